/** Request bodies: read up to a limit each and together, whatever their length claims to be, and parsed as JSON. */
import { bodyBytesMax } from "../../core/hit.ts";
import { badInput, Refusal } from "../../core/refusal.ts";
import { parseBoundedJson, TooMuchJson } from "../../lib/texts/bounded-json.ts";

/** The most bytes of a body, and how many larger ones than `smallBytesMax` are read at once. */
export class BodyLimit {
  /** How to give up each larger body that is being read; the one that takes longest is first. */
  readonly reading = new Set<() => void>();

  constructor(
    readonly bytesMax: number,
    readonly atOnceMax: number,
  ) {}
}

/** Nearly every body is smaller: it comes in one piece. */
const smallBytesMax = 4_096;
/**
 * A request that waits for its body keeps its head, too, of up to 16 KB. So many small bodies are read in the fastest way;
 * of those beyond the oldest are given up. Exported for tests.
 */
export const smallAtOnceMax = 512;
let smallAtOnce = 0;
const moreSmall = new BodyLimit(smallBytesMax, 1_024);
/** The larger ones that are read at once take 16 MiB. */
const usual = new BodyLimit(bodyBytesMax, 256);

/**
 * The body as UTF-8 text. Refusal 400 when it is longer than the limit, 64 KiB mostly, or ends before its end, 500 when it
 * takes long and too many others come.
 */
export async function readBody(request: Request, limit = usual): Promise<string> {
  const declared = request.headers.get("content-length");
  const bytes = declared === null ? Infinity : Number(declared);
  if (declared !== null && bytes > limit.bytesMax) throw tooLong(limit);
  try {
    const text = bytes <= smallBytesMax ? await readSmall(request) : await readLarge(request, limit);
    if (Buffer.byteLength(text) > limit.bytesMax) throw tooLong(limit);
    return text;
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(400, "body: the connection ended before all of it was received");
  }
}

async function readSmall(request: Request): Promise<string> {
  if (smallAtOnce >= smallAtOnceMax) return readLarge(request, moreSmall);
  smallAtOnce++;
  try {
    return await request.text();
  } finally {
    smallAtOnce--;
  }
}

/** Stops at the limit and not after it, whatever the length was said to be; gives up the oldest of too many. */
async function readLarge({ body }: Request, limit: BodyLimit): Promise<string> {
  if (body === null) return "";
  const { reading } = limit;
  const reader = body.getReader();
  let givenUp = false;
  const giveUp = () => {
    givenUp = true;
    // The next one that comes in the same turn gives up another.
    reading.delete(giveUp);
    void reader.cancel();
  };
  reading.add(giveUp);
  const [oldest] = reading;
  if (reading.size > limit.atOnceMax) oldest?.();
  try {
    return await textOf(reader, limit);
  } finally {
    reading.delete(giveUp);
    void reader.cancel().catch(() => {});
    if (givenUp) throw tooMany();
  }
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

/** Returns the value of a body whose type is JSON. Throws Refusal 400 for any other. */
export async function readJson(request: Request, limit?: BodyLimit): Promise<unknown> {
  const type = request.headers.get("content-type") ?? undefined;
  if (type?.split(";", 1)[0]?.trim().toLowerCase() !== "application/json")
    throw badInput("content-type", type, "application/json");
  return parseJson(await readBody(request, limit));
}

function tooLong({ bytesMax }: BodyLimit): Refusal {
  return new Refusal(400, `body: expected at most ${bytesMax} bytes, got more`);
}

function tooMany(): Refusal {
  return new Refusal(500, "body: too many large ones come at once, and this one took long: try again", 5);
}
