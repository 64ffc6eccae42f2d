/** A logger whose lines are kept, as text without a time of its own. */
import { createLogger } from "../../src/lib/log.ts";

export function linesOf() {
  const lines: string[] = [];
  const write = (line: string) => lines.push(line);
  return { lines, logger: createLogger({ level: "info", format: "text", nowMs: () => 0, write }) };
}
