/**
 * Acts as a program with grown tables (grown-tree.ts) on a folder: `<folder> <answers>` on the command line, JSON on
 * the standard output. It reads the folder, writes it again, takes hits with values of the new dimensions, and reads it
 * again.
 */
import { readFileSync } from "node:fs";
import { dimensions } from "../../src/core/dimension.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import type { Chunk } from "../../src/store/columns/chunk.ts";
import { answersTo, goldenAnswers, openGolden, type KeptAnswer } from "./golden-folder.ts";
import { load, valuesOf } from "./records.ts";
import { websiteIds } from "./traffic.ts";

const [folder, answers] = process.argv.slice(2) as [string, string];
const kept: readonly KeptAnswer[] = readFileSync(answers, "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line));
/** Those that the recipe's lines have added. */
const newDimensions = dimensions.slice(12) as readonly { readonly name: string; readonly list: string }[];

async function found(engine: RunningEngine) {
  const isSame = JSON.stringify(await answersTo(engine, kept)) === JSON.stringify(kept);
  const lists: readonly string[] = newDimensions.map(({ list }) => list);
  const all = await goldenAnswers(engine);
  return {
    isSame,
    lists: all.filter(({ question }) => lists.includes(question.list)),
    extras: websiteIds.flatMap((websiteId) =>
      [...(engine.site(websiteId)?.chunks.values() ?? [])].map((chunk) => [...new Set(extrasOf(chunk))]),
    ),
  };
}

/** Reads a column that only a program with grown tables has. */
function extrasOf(chunk: Chunk): Uint32Array {
  return (chunk.columns as unknown as { readonly extra: Uint32Array }).extra.subarray(0, chunk.rows);
}

async function opened<T>(use: (engine: RunningEngine) => Promise<T>): Promise<T> {
  const engine = await openGolden(folder);
  engine.check();
  const result = await use(engine);
  engine.check();
  await engine.stop();
  return result;
}

const first = await opened(found);
const again = await opened(async (engine) => {
  const result = await found(engine);
  await engine.purge();
  return result;
});
const last = await opened(async (engine) => {
  const result = await found(engine);
  const values = [...valuesOf("/new"), "1920 x 1080", "800 x 600"];
  for (const websiteId of websiteIds)
    for (const beacon of ["new a", "new b"])
      await engine.commit({ ...load(beacon, { websiteId, values }), timeMs: engine.nowMs() });
  return result;
});
const grown = await opened(found);
console.log(JSON.stringify({ first, again, last, grown }));
process.exit(0);
