/**
 * Errors that nothing catches are bugs. A server says so and goes on, because strangers may find one, and what it has in memory is
 * still what its log says; unless a record could not be applied, after which it ends and is started anew.
 */
import type { Logger } from "../../lib/log.ts";
import { NotApplied } from "../../wal/log.ts";

/** Returns what gives them back to the runtime, which ends the process with 1. */
export function tellUncaught(logger: Logger): () => void {
  const told = (error: unknown) => {
    logger.error("an error that nothing caught: please report it", { error: Bun.inspect(error) });
    if (error instanceof NotApplied) process.exit(1);
  };
  process.on("uncaughtException", told).on("unhandledRejection", told);
  return () => void process.off("uncaughtException", told).off("unhandledRejection", told);
}
