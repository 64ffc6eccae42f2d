/** The logger of a command that says what it does meanwhile. */
import { createLogger, type Logger } from "../../lib/log.ts";
import type { Call } from "../command.ts";

export function loggerOf({ settings, terminal, clock }: Call): Logger {
  const { logLevel: level, logFormat: format = terminal.watched ? "text" : "json" } = settings;
  return createLogger({ level, format, nowMs: () => clock.nowMs(), write: (line) => terminal.note(line) });
}
