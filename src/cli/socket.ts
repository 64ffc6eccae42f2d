/**
 * Connects a command to the running server: control functions are called by name, over HTTP on a unix socket in the
 * data folder that only its owner may open. One JSON value goes in, one comes out.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { Refusal, shown, type RefusalCode } from "../core/refusal.ts";
import { diskCall, systemDisk } from "../lib/disk/disk.ts";
import { diskFailure } from "../lib/disk/failure.ts";
import type { Logger } from "../lib/log.ts";
import { streamOf } from "../lib/stream.ts";
import { buildCommit } from "./version.ts";

/** Takes the JSON value of a call; throws Refusal. */
export type Callable = (input: unknown) => Promise<unknown>;

/** The result of a function that holds something for its caller, until the caller lets it go or ends. */
export class Held<T = unknown> {
  constructor(
    readonly value: T,
    readonly release: () => void,
  ) {}
}

const bytesMedia = "application/octet-stream";

/** The name of the control socket in the data folder. Exported for tests. */
export const socketName = "control.sock";
/** The largest body is a month of sums, with some 150 bytes for each page, source or other name of a day. */
const bodyBytesMax = 1024 * 1024 * 1024;
/** The longest path that the system allows, without the zero at its end. */
const pathBytesMax = 103;
const ownerOnly = 0o177;
/** The header of each answer to a call that has the commit of the server's build. */
const commitHeader = "x-api-commit";
/**
 * A purge of a large website is silent for long, and so are a hold and an export that nobody reads for a while. A timeout of
 * a request would end with the first bytes of its answer. Bun's types know this of servers with a port only.
 */
const silence: object = { idleTimeout: 0 };
/** A server that works says its commit at once, whatever else it does: it is asked before each call, which may take any time. */
const answerMsMax = 10_000;
/** Begins what servers of all versions say of a function that they do not have. */
const noCommand = "this server has no command ";

export interface ControlSocket {
  close(): Promise<void>;
}

/**
 * Opens the socket. The folder must be locked by this process. Throws Refusal or DiskError if the socket cannot be
 * made. `metrics`: the answer to a GET of `metrics`, for programs that read HTTP, such as curl with `--unix-socket`. Who may
 * open the socket owns the data.
 */
export function openSocket(
  folder: string,
  functions: Readonly<Record<string, Callable>>,
  logger: Logger,
  metrics: () => Response,
): ControlSocket {
  const path = join(folder, socketName);
  const commit = buildCommit();
  if (Buffer.byteLength(path) > pathBytesMax)
    throw new Refusal(
      400,
      `the data folder's path is too long for a socket in it: ${shown(path)} has over ${pathBytesMax} bytes`,
    );
  // This is the socket that a killed server left behind.
  systemDisk.remove(path);
  const server = diskCall("open", path, () => {
    const before = process.umask(ownerOnly);
    try {
      return Bun.serve({
        unix: path,
        maxRequestBodySize: bodyBytesMax,
        ...silence,
        fetch: async (request) => {
          if (request.method === "GET" && nameIn(request) === "metrics") return metrics();
          const answer = await answerCall(request, functions, logger);
          answer.headers.set(commitHeader, commit);
          return answer;
        },
      });
    } finally {
      process.umask(before);
    }
  });
  const own = inodeAt(path);
  return {
    close: async () => {
      // The end of a server removes what is at its path. That of another one stays: this one ends with its process.
      if (inodeAt(path) !== own) return server.unref();
      await server.stop(true);
      // One that stays, as on a disk that turned read-only, is removed by the next start.
      diskFailure(() => systemDisk.remove(path));
    },
  };
}

function inodeAt(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}

function nameIn(request: Request): string {
  return new URL(request.url).pathname.slice(1);
}

/** Answers the call of a function, by its name in the path. Never rejects. */
export async function answerCall(
  request: Request,
  functions: Readonly<Record<string, Callable>>,
  logger: Logger,
): Promise<Response> {
  const name = nameIn(request);
  try {
    if (!Object.hasOwn(functions, name)) throw new Refusal(404, noCommand + shown(name));
    const result = await functions[name]!(await request.json());
    if (result instanceof Held) return heldOpen(result);
    if (isStream(result)) return streamed(result, name, logger);
    return Response.json({ result: result ?? null });
  } catch (error) {
    if (error instanceof Refusal) return Response.json({ error: error.message }, { status: error.code });
    logger.error("a command failed", { command: name, error: String(error) });
    return Response.json({ error: "the server failed: see its log" }, { status: 500 });
  }
}

/** Whether it is bytes that are made while they are taken. */
function isStream(result: unknown): result is AsyncGenerator<Uint8Array> {
  return typeof result === "object" && result !== null && Symbol.asyncIterator in result;
}

/** Answers with bytes, and breaks off where they cannot be made. */
function streamed(bytes: AsyncGenerator<Uint8Array>, command: string, logger: Logger): Response {
  const failed = (error: unknown) => logger.error("a command broke off", { command, error: String(error) });
  return new Response(streamOf(bytes, failed), { headers: { "content-type": bytesMedia } });
}

/** Answers with the value at once, and ends the answer never: the end of the connection releases what is held. */
function heldOpen({ value, release }: Held): Response {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(Buffer.from(`${JSON.stringify({ result: value })}\n`)),
    cancel: release,
  });
  return new Response(body);
}

export async function serverListens(folder: string): Promise<boolean> {
  return (await listeningCommit(folder)) !== undefined;
}

/**
 * Returns whether a server of this build listens in that folder. Throws Refusal 409 where one of another build does: it may take
 * a call for another, or answer what this build cannot read.
 */
export async function ownServerListens(folder: string): Promise<boolean> {
  const commit = await listeningCommit(folder);
  if (commit === undefined || commit === buildCommit()) return commit !== undefined;
  throw new Refusal(
    409,
    "the server that runs is of another version than this command: restart it with this one, and run the command again",
  );
}

/**
 * Returns the commit of the server that listens in that folder, "" if it does not say it; undefined if none listens. Throws Refusal
 * 500 where one listens and says nothing, as while it is stopped by a signal or its container is paused.
 */
async function listeningCommit(folder: string): Promise<string | undefined> {
  const path = join(folder, socketName);
  try {
    const { headers } = await fetch("http://localhost/", {
      unix: path,
      signal: AbortSignal.timeout(answerMsMax),
    });
    return headers.get(commitHeader) ?? "";
  } catch (error) {
    if ((error as Error).name !== "TimeoutError") return undefined;
    const message = `the server that listens on ${path} has not answered for ${answerMsMax / 1_000} s: see whether it is paused, or its machine too busy`;
    throw new Refusal(500, message);
  }
}

/**
 * Calls a control function of the server that holds the folder; its Refusal is thrown again here. A stream of bytes comes
 * as one.
 */
export async function callServer(folder: string, name: string, input: unknown): Promise<unknown> {
  const response = await post(folder, name, input);
  if (response.headers.get("content-type") === bytesMedia) return bytesOf(response);
  return resultOf(response.status, await response.text());
}

async function* bytesOf({ body }: Response): AsyncGenerator<Uint8Array> {
  try {
    yield* body as ReadableStream<Uint8Array>;
  } catch {
    throw new Refusal(500, "the server broke off: see its log, and run the command again");
  }
}

/** A hold on the caller's side. */
class Hold extends Held {
  isLost = false;

  /**
   * Asks the server something. Where none answers the hold is lost, also while its end is still on the way here; by the
   * answer of a server that was started since, it has come.
   */
  async lost(folder: string): Promise<boolean> {
    return !(await serverListens(folder)) || this.isLost;
  }
}

/**
 * Calls a control function that holds something until `release` is called, or this process ends. The hold is lost if
 * the server ends before.
 */
export async function holdServer(folder: string, name: string): Promise<Hold> {
  const response = await post(folder, name, null);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let text = "";
  for (let end = false; !end && !text.endsWith("\n");) {
    const { done, value } = await reader.read();
    end = done;
    text += Buffer.from(value ?? []).toString();
  }
  const hold = new Hold(resultOf(response.status, text), () => void reader.cancel().catch(() => {}));
  const lose = () => void (hold.isLost = true);
  // The answer has no end while the server is there.
  reader.read().then(lose, lose);
  return hold;
}

async function post(folder: string, name: string, input: unknown): Promise<Response> {
  try {
    const body = JSON.stringify(input ?? null);
    // Work on a large folder may be silent for longer than Bun waits for an answer.
    const options = { unix: join(folder, socketName), method: "POST", body, timeout: false };
    return await fetch(`http://localhost/${name}`, options);
  } catch {
    throw new Refusal(500, "the server stopped before it answered: start it, and run the command again");
  }
}

/** The status of a body that is too large, which no function sees. */
const tooLarge = 413;

/** Returns the result in an answer. Throws the Refusal that it has instead. */
export function resultOf(status: number, text: string): unknown {
  if (status === tooLarge)
    throw new Refusal(
      400,
      "this is more than the running server takes at once: stop it, and run the command again",
    );
  const { result, error } = JSON.parse(text) as { result: unknown; error?: string };
  if (error === undefined) return result;
  // It was started before the executable was replaced.
  const message = error.startsWith(noCommand)
    ? `the server that runs is of another version and does not know ${error.slice(noCommand.length)}: restart it with this one, and run the command again`
    : error;
  throw new Refusal(status as RefusalCode, message);
}
