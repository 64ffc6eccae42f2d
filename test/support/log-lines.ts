/** Loggers whose lines are kept. */
import { createLogger, type LogLevel } from "../../src/lib/log.ts";

/** Lines as text, without their time. */
export function linesOf(level: LogLevel = "info") {
  const lines: string[] = [];
  const write = (line: string) => lines.push(line.slice("00:00:00 ".length));
  return { lines, logger: createLogger({ level, format: "text", nowMs: () => 0, write }) };
}

export type Entry = Record<string, unknown> & { readonly level: LogLevel; readonly message: string };

/** Lines as the objects that their JSON says. */
export function entriesOf(level: LogLevel = "info") {
  const entries: Entry[] = [];
  const write = (line: string) => entries.push(JSON.parse(line) as Entry);
  return { entries, logger: createLogger({ level, format: "json", nowMs: () => 0, write }) };
}
