/** An answer whose bytes are made while they are taken, so that a long one needs no more memory than a short one. */
import { streamOf } from "../../lib/stream.ts";
import { errorAnswer } from "./errors.ts";
import type { Call } from "../transport/route.ts";

/** The media type of a download whose length nobody knows. */
export const downloadMedia = "application/octet-stream";

/**
 * Returns the answer to a call: a file under a name, ASCII. `end` is called when it is taken, its client has gone or it
 * fails, and may be called more than once.
 */
export function downloaded(
  { services, request: { signal }, headers }: Call,
  name: string,
  bytes: AsyncGenerator<Uint8Array>,
  end: () => void,
): Response {
  headers["content-disposition"] = `attachment; filename="${name}"`;
  // The code is sent already, so the connection is cut. A bug is logged as everywhere.
  const failed = (error: unknown) =>
    void errorAnswer(error, { method: "GET", path: name }, services.engine.logger);
  signal.addEventListener("abort", end, { once: true });
  // The client may have gone while the first part was made.
  if (signal.aborted) end();
  return new Response(streamOf(bytes, failed, end));
}
