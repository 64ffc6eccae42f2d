/**
 * A port of this machine that its system gives to nobody: those that it gives to listeners of any port, and to every
 * connection, begin at 32,768 or later. Nobody else has it while nobody listens on it. Browsers refuse 10,080, and none above.
 */
const [first, count] = [10_100, 19_900];

/** Returns what `listen` does with the first of them that is free. */
export function onQuietPort<T>(listen: (port: number) => T): T {
  for (;;) {
    try {
      return listen(first + Math.floor(Math.random() * count));
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
