/**
 * `bun test/lib/garbage-made.ts FILE BYTES` makes garbage beside a mapped file in a thread that is given so many bytes,
 * and prints by how many bytes the heap grew at most.
 */
import { systemDisk } from "../../src/lib/disk/disk.ts";
import { GarbageBound, threadHeap } from "../../src/lib/memory/garbage.ts";

const [path, memoryBytes] = process.argv.slice(2) as [string, string];
const mapped = systemDisk.map(path);
const kept = Array.from({ length: 100_000 }, (_, at) => ({ at, text: `kept ${at}` }));
threadHeap.collect();
const bytes = threadHeap.bytes ?? 0;
const bound = new GarbageBound(Number(memoryBytes));
let most = 0;
for (let turn = 0; turn < 3_000; turn++) {
  // As old as a visit that is over: the runtime takes its replacement for the young one.
  for (let at = turn % 50; at < kept.length; at += 50) kept[at] = { at, text: `turn ${turn}` };
  bound.look();
  await Bun.sleep(0);
  most = Math.max(most, (threadHeap.bytes ?? 0) - bytes);
}
// The file is mapped until here.
console.log(mapped.length > 0 ? most : 0);
