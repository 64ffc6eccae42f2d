/** Reads request bodies up to a limit, whatever length they declare, and parses them as JSON. */
import { bodyBytesMax } from "../../core/hit.ts";
import { badInput, Refusal } from "../../core/refusal.ts";

/** Returns the body as UTF-8 text. Throws Refusal 400 if it is longer than 64 KiB or breaks off. */
export async function readBody(request: Request): Promise<string> {
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > bodyBytesMax) throw tooLong();
  try {
    const text = declared === null ? await readStream(request) : await request.text();
    if (Buffer.byteLength(text) > bodyBytesMax) throw tooLong();
    return text;
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(400, "body: expected all of it, got an end of the connection before");
  }
}

/** Reads a body of unknown length, and stops at the limit instead of after it. */
async function readStream({ body }: Request): Promise<string> {
  if (body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const part of body) {
    bytes += part.byteLength;
    if (bytes > bodyBytesMax) throw tooLong();
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}

/** Throws Refusal 400. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, `body: expected JSON, got ${text === "" ? "nothing" : "something else"}`);
  }
}

/** Returns the value of a body whose type is JSON. Throws Refusal 400 for any other. */
export async function readJson(request: Request): Promise<unknown> {
  const type = request.headers.get("content-type") ?? undefined;
  if (type?.split(";", 1)[0]?.trim().toLowerCase() !== "application/json")
    throw badInput("content-type", type, "application/json");
  return parseJson(await readBody(request));
}

function tooLong(): Refusal {
  return new Refusal(400, `body: expected at most ${bodyBytesMax} bytes, got more`);
}
