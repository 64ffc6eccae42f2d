/** Serves the app on a socket: listens, takes another certificate, and stops within a deadline. */
import type { App } from "./app.ts";
import { idleTimeoutS } from "./transport/silence.ts";

/** The app has a limit of its own; Bun's would answer without our headers. What nobody reads is not kept. */
const bodyBytesMax = Number.MAX_SAFE_INTEGER;

/** The contents of two PEM files. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface Listening {
  /** The address of the server, with the port that was found for port 0. */
  readonly url: string;
  readonly port: number;
  /** Answers new connections with another certificate. Throws what Bun throws if it cannot be used. */
  renew(certificate: Certificate): void;
  /** Finishes the requests in flight; those not finished by the deadline are cut off. */
  stop(deadlineMs: number): Promise<void>;
}

/**
 * Starts to listen, with a certificate for HTTPS. Throws what Bun throws if the address or port cannot be had, or the
 * certificate cannot be used.
 */
export function listen(app: App, hostname: string, port: number, certificate?: Certificate): Listening {
  const open = (port: number, certificate?: Certificate) =>
    Bun.serve({
      hostname,
      port,
      // Bun keeps the certificate of a listener. The next one takes over while this one listens.
      reusePort: certificate !== undefined,
      idleTimeout: idleTimeoutS,
      maxRequestBodySize: bodyBytesMax,
      development: false,
      fetch: app.fetch,
      ...(certificate && { tls: certificate }),
    });
  // Sharing the port must not hide that another program has it.
  if (certificate !== undefined && port !== 0) void open(port).stop(true);
  let server = open(port, certificate);
  const all = [server];
  return {
    get url() {
      return server.url.href;
    },
    port: server.port as number,
    renew: (renewed) => {
      const before = server;
      server = open(before.port as number, renewed);
      all.push(server);
      // Its connections live on.
      void before.stop().then(() => all.splice(all.indexOf(before), 1));
    },
    stop: async (deadlineMs) => {
      app.closeStreams();
      await Promise.race([Promise.all(all.map((each) => each.stop())), Bun.sleep(deadlineMs)]);
      await Promise.all(all.map((each) => each.stop(true)));
    },
  };
}
