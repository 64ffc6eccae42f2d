/** A server for tests (support/http.ts) that listens on a free port of this machine. */
import { listen, type Listening } from "../../src/http/serve.ts";
import { TestServer } from "./http.ts";

export interface ListeningServer {
  readonly server: TestServer;
  /** The token of a session of its account, which has the website example.com. */
  readonly cookie: string;
  /** A server that listens. The test that started it stops it. */
  readonly listening: Listening;
}

export async function startListening(): Promise<ListeningServer> {
  const server = await TestServer.open();
  const cookie = await server.prepare();
  return { server, cookie, listening: listen(server.app, "127.0.0.1", 0) };
}
