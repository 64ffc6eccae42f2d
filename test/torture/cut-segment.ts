/** Cuts the last segment of a log at every byte: a start has exactly the batches that are whole before it, and goes on. */
import { assert } from "../../src/lib/assert.ts";
import { segmentName } from "../../src/wal/segment.ts";
import { dumpOf } from "../support/dump.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { randomFrom } from "../support/random.ts";
import { load } from "../support/records.ts";
import { Traffic, websiteIds } from "../support/traffic.ts";
import { userAdded, websiteAdded } from "../support/account-records.ts";
import { frameEnds } from "./damage.ts";
import type { Torture } from "./torture.ts";

const path = `/data/wal/${segmentName(1)}`;
/** A start at one cut of so many; the log is read at all of them. */
const startEvery = 50;

/** A log of random traffic in batches of a few records, as a power cut leaves it. */
async function logged(random: () => number, batches: number): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  const engine = await openInMemory(disk);
  await engine.commit(userAdded(1, "ada"));
  for (const websiteId of websiteIds) await engine.commit(websiteAdded(websiteId, `${websiteId}.example`));
  const traffic = new Traffic(random);
  for (let batch = 0; batch < batches; batch++)
    await Promise.all(
      Array.from({ length: 1 + Math.floor(random() * 4) }, () => engine.commit(traffic.next())),
    );
  return disk.clone();
}

function cutAt(disk: MemoryDisk, length: number): MemoryDisk {
  const cut = disk.clone();
  cut.put(path, cut.read(path, 0, length));
  return cut;
}

async function cutEverywhere(random: () => number, batches: number): Promise<number> {
  const disk = await logged(random, batches);
  const bytes = disk.read(path);
  const ends = frameEnds(bytes);
  let [whole, expected] = [-2, ""];
  for (let length = 0; length < bytes.length; length++) {
    const last = ends.findLastIndex((end) => end <= length);
    if (last !== whole) expected = dumpOf(cutAt(disk, ends[last] ?? 0)).join("\n");
    whole = last;
    const cut = cutAt(disk, length);
    assert(
      dumpOf(cut).join("\n") === expected,
      `cut at byte ${length}, the log is not that of ${last} batches`,
    );
    if (length % startEvery !== 0) continue;
    const engine = await openInMemory(cut);
    assert(dumpOf(cut).join("\n") === expected, `a start has repaired something else, cut at byte ${length}`);
    if (engine.registry.websites.has(1)) await engine.commit(load("after"));
    engine.check();
    await engine.stop();
  }
  return bytes.length;
}

export const cutSegment: Torture = {
  about: "the last segment cut at every byte",
  rounds: { full: 10, short: 1 },
  run: async ({ rounds, seed }) => {
    let cuts = 0;
    for (let round = 0; round < rounds; round++)
      cuts += await cutEverywhere(randomFrom(seed + round), rounds === 1 ? 3 : 60);
    return `${cuts} cuts of ${rounds} segments: exactly the whole batches before each`;
  },
};
