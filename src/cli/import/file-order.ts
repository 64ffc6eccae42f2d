/** The order in which the files of an import are read: by their first times, so that visitors are new only once a day. */
import { badInput } from "../../core/refusal.ts";
import { parseLine } from "./line.ts";
import { Lines } from "./lines.ts";
import { LogSource } from "./source.ts";

/** Returns the paths in the order of their first times. Throws Refusal 400 for standard input beside others; DiskError. */
export async function inOrderOfTime(
  paths: readonly string[],
  standardInput: AsyncIterable<Uint8Array>,
): Promise<readonly string[]> {
  if (paths.length === 1) return paths;
  if (paths.includes("-")) throw badInput("FILE", "-", "standard input alone, or files");
  const timed: (readonly [path: string, timeMs: number])[] = [];
  for (const path of paths) timed.push([path, await firstTimeOf(new LogSource(path, standardInput))]);
  return timed.toSorted(([, a], [, b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([path]) => path);
}

/** Returns the time of the first line that has one; Infinity if there is none. */
async function firstTimeOf(source: LogSource): Promise<number> {
  const lines = new Lines();
  for await (const chunk of source.chunks())
    for (const text of lines.of(chunk)) {
      const line = text === undefined ? undefined : parseLine(text);
      if (line !== undefined) return line.timeMs;
    }
  return Infinity;
}
