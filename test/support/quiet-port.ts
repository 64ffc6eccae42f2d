/**
 * A port of this machine that its system gives to nobody: those that it gives to listeners of any port, and to every
 * connection, begin at 32,768 or later. Each process takes one after the other: a server that was killed has its port to
 * itself until it starts again. Browsers refuse 10,080, and none above.
 */
const [first, count] = [10_100, 19_900];
/** Bun numbers the processes of a run, which have one parent: they begin far from each other, and from those of other runs. */
const worker = Number(process.env["BUN_TEST_WORKER_ID"] ?? 0);
let taken = process.ppid * 7_919 + worker * 2_400;

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
