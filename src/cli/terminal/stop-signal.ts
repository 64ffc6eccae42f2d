/** Handles SIGTERM and SIGINT: the first signal asks for an orderly end, the second ends the program at once. */

/** A stop takes at most this long; data not saved by then is in the log. */
const stopMsMax = 4_500;

/** Resolves at the first signal. Call it before any work that a signal must not interrupt. */
export function stopSignal(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let signals = 0;
  const onSignal = () => {
    if (++signals > 1) process.exit(1);
    setTimeout(() => process.exit(0), stopMsMax).unref();
    resolve();
  };
  process.on("SIGTERM", onSignal).on("SIGINT", onSignal);
  return promise;
}
