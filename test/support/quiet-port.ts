/**
 * A port of this machine that its system gives to nobody: those that it gives to listeners of any port, and to every
 * connection, begin at 32,768 or later. Each process of a run has some of its own, and takes them one after the other: a
 * server that was killed has its port to itself until it starts again. Browsers refuse 10,080, and none above.
 */
const count = 2_400;
/** Bun numbers the processes of a run from 1 on. */
const first = 10_100 + (Number(process.env["BUN_TEST_WORKER_ID"] ?? 0) % 8) * count;
let taken = Math.floor(Math.random() * count);

/** Returns what `listen` does with the next of them that is free. */
export function onQuietPort<T>(listen: (port: number) => T): T {
  for (;;) {
    try {
      return listen(first + (taken++ % count));
    } catch (error) {
      if ((error as { code?: string }).code !== "EADDRINUSE") throw error;
    }
  }
}

/** Returns such a port for whoever listens on it soon. */
export function quietPort(): number {
  const listener = onQuietPort((port) =>
    Bun.listen({ hostname: "127.0.0.1", port, socket: { data: () => {} } }),
  );
  listener.stop(true);
  return listener.port;
}
