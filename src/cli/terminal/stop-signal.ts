/**
 * Handles SIGTERM and SIGINT. For a server, the first signal asks for an orderly end, and the second ends the program at
 * once. A command that a signal ends takes what it has not finished with it.
 */
import { constants } from "node:os";

/** A stop takes at most this long; data not saved by then is in the log. */
const stopMsMax = 4_500;
const interruptions = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

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

/**
 * Calls `clean` if a signal ends the program before the returned function is called. The exit code is what shells give a
 * program that a signal ended.
 */
export function whenInterrupted(clean: () => void): () => void {
  const onSignal = (signal: NodeJS.Signals) => {
    clean();
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of interruptions) process.on(signal, onSignal);
  return () => {
    for (const signal of interruptions) process.off(signal, onSignal);
  };
}
