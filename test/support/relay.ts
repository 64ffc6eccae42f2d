/** A relay between a client and a server on this machine, which can be like a network that lets nothing through any more. */
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface Relay {
  readonly port: number;
  /** Reads and passes on nothing more, and lets nobody know: what is sent stays in the buffers of the system. */
  stall(): void;
  /** Passes on what has waited, and whatever comes. */
  resume(): void;
  stop(): void;
}

/** Passes what comes on to a port. */
export async function startRelay(to: number): Promise<Relay> {
  const ends: Socket[] = [];
  let isStalled = false;
  const server = createServer((client) => {
    const upstream = connect(to, "127.0.0.1");
    for (const [from, into] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      ends.push(from);
      if (isStalled) from.pause();
      else from.pipe(into);
      // An end that breaks takes the other one with it.
      from.on("error", () => into.destroy());
      from.on("close", () => into.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stall: () => {
      isStalled = true;
      for (const end of ends) end.unpipe().pause();
    },
    resume: () => {
      isStalled = false;
      ends.forEach((end, index) => end.pipe(ends[index ^ 1] as Socket));
    },
    stop: () => {
      server.close();
      for (const end of ends) end.destroy();
    },
  };
}
