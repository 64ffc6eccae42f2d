/**
 * Sends a message to a webhook: one signed POST over a connection of its own. Redirects are answers like others, of which
 * only the status is read. A receiver checks the signature: HMAC-SHA-256 of `<seconds>.<body>` with the secret, in hex.
 */
import type { ClientRequest } from "node:http";
import type { RequestOptions } from "node:https";
import type { Network } from "../../core/addresses/network.ts";
import { SendError, targetOf, type Resolve, type Target } from "./webhook-target.ts";

const wholeMs = 10_000;
/** Status codes that say that a later attempt may succeed, as all 5xx do. */
const passing = [408, 425, 429];

export interface WebhookPost {
  readonly url: string;
  readonly secret: string;
  /** The same for every attempt to send one message, so that a receiver can tell a repetition. */
  readonly id: string;
  readonly body: string;
}

export interface WebhookOptions {
  readonly allowed: readonly Network[];
  readonly resolve: Resolve;
  /** Certificates to trust instead of the system's, in tests. */
  readonly ca?: string;
  /** How long a webhook has, from the question for its address to its answer: less in tests. */
  readonly timeoutMs?: number;
}

/** Returns `t=<seconds>,v1=<hex>`. Exported for tests. */
export function signatureFor(body: string, secret: string, nowMs: number): string {
  const seconds = Math.floor(nowMs / 1_000);
  const hash = new Bun.CryptoHasher("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return `t=${seconds},v1=${hash}`;
}

/** Throws SendError unless it is taken. */
export async function postWebhook(
  { url: text, secret, id, body }: WebhookPost,
  nowMs: number,
  { allowed, resolve, ca, timeoutMs = wholeMs }: WebhookOptions,
): Promise<void> {
  const url = new URL(text);
  const headers = {
    Host: url.host,
    "User-Agent": "Footfall",
    "Content-Type": "application/json",
    "Footfall-Id": id,
    "Footfall-Signature": signatureFor(body, secret, nowMs),
  };
  const late = Promise.withResolvers<never>();
  const why = `no answer within ${timeoutMs / 1_000} seconds`;
  const timer = setTimeout(() => late.reject(new SendError(why, false)), timeoutMs);
  try {
    const target = await Promise.race([targetOf(url, allowed, resolve), late.promise]);
    const options = { path: url.pathname + url.search, method: "POST", headers, agent: false, ca };
    const asked = request(target, options);
    asked.end(body);
    return expectTaken(await Promise.race([statusOf(asked), late.promise]).finally(() => asked.destroy()));
  } finally {
    clearTimeout(timer);
  }
}

function expectTaken(status: number): void {
  if (status >= 200 && status < 300) return;
  if (status < 400) throw new SendError(`it answered ${status}: redirects are not followed`, true);
  throw new SendError(`it answered ${status}`, status < 500 && !passing.includes(status));
}

/**
 * Begins a request at the judged address, and at no other one that the name has by now. An `import()` of the platform's client
 * would make the executable 0.4 MB larger.
 */
function request({ address: host, port, tlsName }: Target, options: RequestOptions): ClientRequest {
  return tlsName === undefined
    ? process.getBuiltinModule("node:http").request({ ...options, host, port })
    : process.getBuiltinModule("node:https").request({ ...options, host, port, servername: tlsName });
}

function statusOf(asked: ClientRequest): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  asked.on("response", ({ statusCode = 0 }) => resolve(statusCode));
  asked.on("error", (error: NodeJS.ErrnoException) => reject(new SendError(troubleOf(error), false)));
  return promise;
}

/** Words for the trouble of a connection, by the code of its error. */
const troubles = new Map([
  ["ECONNREFUSED", "it refuses connections"],
  ["ECONNRESET", "it closed the connection without an answer"],
  ["EHOSTUNREACH", "there is no way to it from this server"],
  ["ENETUNREACH", "there is no way to it from this server"],
]);

/** Says in words why there is no connection; a code that is not known stays as it is. */
function troubleOf({ code = "", message }: NodeJS.ErrnoException): string {
  if (/CERT|SIGNATURE/.test(code)) return `its certificate is not valid: "${code}"`;
  if (code.startsWith("HPE_")) return "its answer is no HTTP";
  return troubles.get(code) ?? (code || message);
}
