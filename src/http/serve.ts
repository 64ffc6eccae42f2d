/** Serves the app on a socket: listens, and stops within a deadline. */
import type { App } from "./app.ts";
import { idleTimeoutS } from "./transport/silence.ts";

/** The app has a limit of its own; Bun's would answer without our headers. What nobody reads is not kept. */
const bodyBytesMax = Number.MAX_SAFE_INTEGER;

export interface Listening {
  /** The address of the server, with the port that was found for port 0. */
  readonly url: string;
  readonly port: number;
  /** Finishes the requests in flight; those not finished by the deadline are cut off. */
  stop(deadlineMs: number): Promise<void>;
}

/** Starts to listen. Throws what Bun throws if the address or port cannot be had. */
export function listen(app: App, hostname: string, port: number): Listening {
  const server = Bun.serve({
    hostname,
    port,
    reusePort: false,
    idleTimeout: idleTimeoutS,
    maxRequestBodySize: bodyBytesMax,
    development: false,
    fetch: (request, from) => app.fetch(request, from),
  });
  return {
    get url() {
      return server.url.href;
    },
    port: server.port as number,
    stop: async (deadlineMs) => {
      app.closeStreams();
      await Promise.race([server.stop(), Bun.sleep(deadlineMs)]);
      await server.stop(true);
    },
  };
}
