/**
 * Sends a message to a webhook: one signed POST over a connection of its own. Redirects are answers like others, of which
 * only the status is read. A receiver checks the signature: HMAC-SHA-256 of `<seconds>.<body>` with the secret, in hex.
 */
import type { Socket } from "node:net";
import type { Network } from "../../core/addresses/network.ts";
import { SendError, targetOf, type Resolve, type Target } from "./webhook-target.ts";

const wholeMs = 10_000;
const answerBytesMax = 16 * 1024;
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
  const bytes = Buffer.from(body);
  const head = [
    `POST ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    "User-Agent: Footfall",
    "Content-Type: application/json",
    `Content-Length: ${bytes.byteLength}`,
    `Footfall-Id: ${id}`,
    `Footfall-Signature: ${signatureFor(body, secret, nowMs)}`,
    "Connection: close",
  ].join("\r\n");
  const request = Buffer.concat([Buffer.from(`${head}\r\n\r\n`), bytes]);
  const late = Promise.withResolvers<never>();
  const why = `no answer within ${timeoutMs / 1_000} seconds`;
  const timer = setTimeout(() => late.reject(new SendError(why, false)), timeoutMs);
  try {
    const target = await Promise.race([targetOf(url, allowed, resolve), late.promise]);
    return expectTaken(await exchange(target, request, ca, late.promise));
  } finally {
    clearTimeout(timer);
  }
}

function expectTaken(status: number): void {
  if (status >= 200 && status < 300) return;
  if (status < 400) throw new SendError(`it answered ${status}: redirects are not followed`, true);
  throw new SendError(`it answered ${status}`, status < 500 && !passing.includes(status));
}

async function connect({ address: host, port, tlsName }: Target, ca: string | undefined): Promise<Socket> {
  if (tlsName === undefined) return (await import("node:net")).connect({ host, port });
  const { connect } = await import("node:tls");
  const servername = tlsName === "" ? {} : { servername: tlsName };
  return connect({ host, port, ...servername, ...(ca !== undefined && { ca }) });
}

/** Returns the status of the answer. */
async function exchange(
  target: Target,
  request: Uint8Array,
  ca: string | undefined,
  late: Promise<never>,
): Promise<number> {
  const socket = await connect(target, ca);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const fail = (why: string) => reject(new SendError(why, false));
  let answer = "";
  socket.on(target.tlsName === undefined ? "connect" : "secureConnect", () => socket.write(request));
  socket.on("data", (bytes: Uint8Array) => {
    answer += Buffer.from(bytes).toString("latin1");
    const status = statusIn(answer);
    if (status !== undefined) resolve(status);
    else if (answer.length > answerBytesMax) fail("its answer is no HTTP");
  });
  socket.on("error", (error: NodeJS.ErrnoException) => fail(troubleOf(error)));
  socket.on("close", () => fail("it closed the connection without an answer"));
  try {
    return await Promise.race([promise, late]);
  } finally {
    socket.destroy();
  }
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
  return troubles.get(code) ?? (code || message);
}

/** Returns the final status at the beginning of an answer; undefined as long as it is not there. */
function statusIn(answer: string): number | undefined {
  const [, digits] = /^HTTP\/1\.[01] (\d{3})[^\n]*\n/.exec(answer) ?? [];
  if (digits === undefined) return undefined;
  const status = Number(digits);
  if (status >= 200) return status;
  const end = answer.indexOf("\r\n\r\n");
  return end < 0 ? undefined : statusIn(answer.slice(end + 4));
}
