/** The export of rows that a wrong clock put after now. */
import { expect, test } from "bun:test";
import { exportKinds } from "../../../src/core/questions/exported.ts";
import { exported } from "../../../src/engine/admin/export.ts";
import { TestClock } from "../../support/clock.ts";
import { MemoryDisk } from "../../support/memory-disk.ts";
import { openInMemory } from "../../support/memory-engine.ts";
import { event, load, noonMs, valuesOf } from "../../support/records.ts";
import { addWebsites } from "../../support/websites.ts";

const dayMs = 86_400_000;
const everything = { startMs: -Infinity, endMs: Infinity };

test("an export has the rows that came while the clock was ahead", async () => {
  const clock = new TestClock(noonMs);
  const engine = await openInMemory(new MemoryDisk(), { clock });
  await addWebsites(engine, "example.com");
  const timesOf = async (period = everything) => {
    const [of] = exportKinds;
    const parts = await Array.fromAsync(exported(engine, { websiteId: 1, of, ending: "jsonl", period }));
    const lines = Buffer.concat(parts).toString().split("\n").filter(Boolean);
    return lines.map((line) => Date.parse((JSON.parse(line) as { time: string }).time));
  };
  expect(await timesOf()).toEqual([]);
  const [aheadMs, lastMs] = [noonMs + 200 * dayMs, noonMs + 201 * dayMs];
  clock.set(aheadMs);
  await engine.commit(load("b", { timeMs: aheadMs, values: valuesOf("/ahead"), visit: 1 }));
  await engine.commit(
    event("c", { timeMs: lastMs, values: valuesOf("/ahead"), properties: [["signup", "true"]] }),
  );
  clock.set(noonMs);
  await engine.commit(load("d", { timeMs: noonMs, values: valuesOf("/now"), visit: 2 }));
  expect(await timesOf()).toEqual([noonMs, aheadMs, lastMs]);
  expect(await timesOf({ startMs: aheadMs, endMs: Infinity })).toEqual([aheadMs, lastMs]);
  expect(await timesOf({ startMs: -Infinity, endMs: noonMs })).toEqual([noonMs]);
  await engine.stop();
});
