/** Reads the header `Server-Timing`, in which the API says what an answer took. */
import type { ServerProcess } from "../test/support/server.ts";
import { answered } from "./folder.ts";

export interface AnswerWork {
  readonly ms: number;
  /** Rows and properties that were looked at. */
  readonly rowsRead: number;
  /** Rows that were known to match all filters. */
  readonly rowsKnown: number;
  /** Entries of what was counted before, added instead of rows. */
  readonly entriesAdded: number;
}

/** Asks for `path`, reads the answer to its end, and returns what it took. Throws for any but 200. */
export async function workOf(server: ServerProcess, path: string): Promise<AnswerWork> {
  return answerWork((await answered(server, path)).get("server-timing") ?? "");
}

/** Counts stand in the description as `5 rows read` or `rows read=5`, in any order and among others. */
export function answerWork(header: string): AnswerWork {
  const [, ms, description = ""] = /(?:^|,)\s*answer;dur=([\d.]+)(?:;desc="([^"]*)")?/.exec(header) ?? [];
  const counts = description.split(/[,;]/).flatMap((part) => {
    const [, before, name, after] = /^\s*(\d*)\s*([^\d=]+?)\s*(?:=\s*(\d+))?\s*$/.exec(part) ?? [];
    const count = before || after;
    return name === undefined || count === undefined ? [] : [{ name, count: Number(count) }];
  });
  const sumOf = (names: RegExp) =>
    counts.filter(({ name }) => names.test(name)).reduce((sum, { count }) => sum + count, 0);
  if (ms === undefined || !counts.some(({ name }) => /\bread\b/.test(name)))
    throw new Error(`Server-Timing does not say what was read: ${header}`);
  return {
    ms: Number(ms),
    rowsRead: sumOf(/\bread\b/),
    rowsKnown: sumOf(/\bmatch/),
    entriesAdded: sumOf(/\badded\b/),
  };
}
