/** The real engine on a disk in memory, with a clock of the test and chance that is always the same. */
import { openEngine } from "../../src/engine/opening/open.ts";
import type { OpenOptions } from "../../src/engine/options/options.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { seededRandom, TestClock } from "./clock.ts";
import type { MemoryDisk } from "./memory-disk.ts";
import { memoryIo } from "./memory-io.ts";

/** Opens the folder `/data` of the disk. What `more` says goes before all else. */
export function openInMemory(disk: MemoryDisk, more: Partial<OpenOptions> = {}): Promise<RunningEngine> {
  return openEngine({
    folder: "/data",
    clock: new TestClock(),
    random: seededRandom(1),
    logger: silentLogger,
    demo: false,
    io: memoryIo(disk),
    ...more,
  });
}
