/** Uploads a file for an import as the set-up page does. */
import type { FileReport } from "../../src/http/transport/file-import.ts";
import type { TestServer } from "./http.ts";

export type UploadBody = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

/** Returns the status and the report, or the error. */
export async function uploaded(
  server: TestServer,
  cookie: string,
  body: UploadBody,
  query = "?dry_run=true",
  hostname = "example.com",
) {
  const request = new Request(`http://localhost/website/${hostname}/import${query}`, {
    method: "POST",
    headers: { cookie: `_me_sess=${cookie}` },
    body,
  });
  const response = await server.fetch(request);
  return [response.status, (await response.json()) as FileReport & { error: { message: string } }] as const;
}
