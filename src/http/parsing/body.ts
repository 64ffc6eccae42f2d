/** Request bodies: read up to a limit each and together, whatever their length claims to be, and parsed as JSON. */
import { bodyBytesMax } from "../../core/hit.ts";
import { badInput, Refusal } from "../../core/refusal.ts";
import { nextTurn, Trickle } from "../../lib/threads/turn.ts";
import { parseBoundedJson, TooMuchJson } from "../../lib/texts/bounded-json.ts";

/** The most bytes of a body, and the room for all that are being read. */
export class BodyLimit {
  /** The bytes that each of them takes, by how to give it up; the one that takes longest is first. */
  readonly reading = new Map<() => void, number>();
  private bytes = 0;

  /** `roomBytes`: the most of those that are read at once, heads and all. */
  constructor(
    readonly bytesMax: number,
    private readonly roomBytes: number,
  ) {}

  /** Notes a body that is being read; those that take longest are given up where there is no room. */
  begin(giveUp: () => void, bytes: number): void {
    this.reading.set(giveUp, bytes);
    this.bytes += bytes;
    for (const [oldest] of this.reading) {
      if (this.bytes <= this.roomBytes) break;
      this.end(oldest);
      oldest();
    }
  }

  end(giveUp: () => void): void {
    this.bytes -= this.reading.get(giveUp) ?? 0;
    this.reading.delete(giveUp);
  }
}

/** Nearly every body is smaller: it comes in one piece. */
const smallBytesMax = 4_096;
/** The small bodies that are read in the fastest way, which cannot be given up. Exported for tests. */
export const smallAtOnceMax = 512;
let smallAtOnce = 0;
/** It is for the small ones beyond these, and for larger ones. */
const usual = new BodyLimit(bodyBytesMax, 16 * 1024 * 1024);
/** Bun cuts thousands of slow connections in one turn: hits come in between of what follows. */
const brokenOff = new Trickle(16);
/** A request that waits for its body takes so many bytes besides the texts of its head. */
const requestBytes = 2_048;

/**
 * The body as UTF-8 text. Refusal 400 when it is longer than the limit, 64 KiB mostly, or ends before its end, 500 when it
 * takes long and others come for which there is no room.
 */
export async function readBody(request: Request, limit = usual): Promise<string> {
  const declared = request.headers.get("content-length");
  const bytes = declared === null ? Infinity : Number(declared);
  if (declared !== null && bytes > limit.bytesMax) throw tooLong(limit);
  const isFast = bytes <= smallBytesMax && smallAtOnce < smallAtOnceMax;
  if (isFast) smallAtOnce++;
  try {
    const text = await (isFast ? request.text() : readPieces(request, bytes, limit));
    if (Buffer.byteLength(text) > limit.bytesMax) throw tooLong(limit);
    return text;
  } catch (error) {
    if (error instanceof Refusal) throw error;
    await brokenOff.turn();
    throw new Refusal(400, "body: the connection ended before all of it was received");
  } finally {
    if (isFast) smallAtOnce--;
  }
}

/** Stops at the limit and not after it, whatever the length was said to be. */
async function readPieces(request: Request, bytes: number, limit: BodyLimit): Promise<string> {
  if (request.body === null) return "";
  const reader = request.body.getReader();
  let givenUp = false;
  const giveUp = () => {
    givenUp = true;
    // Its connection may have ended before the next piece was asked for.
    void reader.cancel().catch(() => {});
  };
  limit.begin(giveUp, headBytes(request) + Math.min(bytes, limit.bytesMax));
  try {
    return await textOf(reader, limit);
  } finally {
    limit.end(giveUp);
    void reader.cancel().catch(() => {});
    if (givenUp) throw tooMany();
  }
}

/** The bytes that a request takes while its body comes, without the body. */
function headBytes({ url, headers }: Request): number {
  let bytes = requestBytes + url.length;
  for (const [name, value] of headers) bytes += name.length + value.length;
  return bytes;
}

async function textOf(
  reader: Pick<ReadableStreamDefaultReader<Uint8Array>, "read">,
  limit: BodyLimit,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > limit.bytesMax) throw tooLong(limit);
    text += decoder.decode(value, { stream: true });
    // Chunks that come in one turn are read as one piece: those of a byte take 0.8 microseconds each alone, and 0.05 so.
    await nextTurn();
  }
}

/** Throws Refusal 400. */
export function parseJson(text: string): unknown {
  try {
    return parseBoundedJson(text);
  } catch (error) {
    if (error instanceof TooMuchJson)
      throw new Refusal(
        400,
        "body: expected fewer lists, objects and names that are numbers, got too many of them",
      );
    throw new Refusal(400, `body: expected JSON, got ${text === "" ? "nothing" : "something else"}`);
  }
}

/** The codings of HTTP that change the bytes. Some clients name their character set in that header: their bodies are as they are. */
const packings = /\b(?:gzip|deflate|br|zstd|compress)\b/i;

/** Returns the value of a body whose type is JSON, and which is not packed. Throws Refusal 400 for any other. */
export async function readJson(request: Request, limit?: BodyLimit): Promise<unknown> {
  const type = request.headers.get("content-type") ?? undefined;
  if (type?.split(";", 1)[0]?.trim().toLowerCase() !== "application/json")
    throw badInput("content-type", type, "application/json");
  const encoding = request.headers.get("content-encoding") ?? "";
  if (packings.test(encoding))
    throw badInput("content-encoding", encoding, "none, as bodies are not unpacked here");
  return parseJson(await readBody(request, limit));
}

function tooLong({ bytesMax }: BodyLimit): Refusal {
  return new Refusal(400, `body: expected at most ${bytesMax} bytes, got more`);
}

function tooMany(): Refusal {
  return new Refusal(500, "body: too many come at once, and this one took long: try again", 5);
}
