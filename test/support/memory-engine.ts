import type { OpenOptions } from "../../src/engine/options/options.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import type { MemoryDisk } from "./memory-disk.ts";
import { memoryIo } from "./memory-io.ts";
import { openFolder } from "./open-folder.ts";

/** The real engine on the folder `/data` of a disk in memory, as `openFolder` opens one. */
export function openInMemory(disk: MemoryDisk, more: Partial<OpenOptions> = {}): Promise<RunningEngine> {
  return openFolder("/data", { io: memoryIo(disk), ...more });
}
