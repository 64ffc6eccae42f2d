/** A HEAD is answered as the GET of the same URL, without the body. */
import type { Elysia } from "elysia";
import { downloadMedia } from "./download.ts";

/** Returns the request that is answered in place of a HEAD. */
export function getOf({ url, headers: asked, signal }: Request): Request {
  const path = url.slice(url.indexOf("/", "http://".length));
  const headers = new Headers(asked);
  // Nobody sees the answer: it counts no more than what a browser fetches ahead.
  headers.set("sec-purpose", "prefetch");
  return new Request(`http://localhost${path}`, { headers, signal });
}

/** The media of answers that are not made to know their length. */
const unmeasured: ReadonlySet<string> = new Set(["text/event-stream", "application/zip", downloadMedia]);

/**
 * Answers as GET does, without the body but with its length if that is known before the end. If the body breaks off, the
 * answer is a 500: a GET has sent its code by then.
 */
export async function answerHead(app: Pick<Elysia, "fetch">, get: Request): Promise<Response> {
  const answer = await app.fetch(get);
  const { status, headers } = answer;
  if (unmeasured.has(headers.get("content-type") ?? "")) {
    await answer.body?.cancel();
    return withoutLength(status, headers);
  }
  try {
    headers.set("content-length", String((await answer.arrayBuffer()).byteLength));
    return new Response(null, { status, headers });
  } catch {
    headers.set("content-type", "application/json");
    return withoutLength(500, headers);
  }
}

function withoutLength(status: number, headers: Headers): Response {
  // Otherwise Bun says that the length is 0.
  headers.set("transfer-encoding", "chunked");
  return new Response(null, { status, headers });
}
