/** The engine's machine in memory: a disk that fails and forgets, the log and checkpoints in this thread. */
import type { EngineIo } from "../../src/engine/io.ts";
import { writePlanned } from "../../src/engine/planned-checkpoint.ts";
import { openLocalPort as openDesk } from "../../src/engine/question-port.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { openLocalPort, type LogPort } from "../../src/wal/port.ts";
import { PowerCut, type MemoryDisk } from "./memory-disk.ts";

/** `powerOff` is called when the power goes; what was waiting for the log waits for ever then. */
export function memoryIo(disk: MemoryDisk, powerOff: () => void = () => {}): EngineIo {
  return {
    disk,
    lock: () => ({ release() {} }),
    openLogPort: () => untilPowerCut(openLocalPort(disk), powerOff),
    openQuestionPort: (options) => openDesk(disk, systemClock, options),
    writeCheckpoint: async (folder, checkpoint) => writePlanned(disk, folder, checkpoint),
  };
}

function untilPowerCut(port: LogPort, powerOff: () => void): LogPort {
  return {
    close: () => port.close(),
    write: async (request) => {
      try {
        return await port.write(request);
      } catch (error) {
        if (!(error instanceof PowerCut)) throw error;
        powerOff();
        return new Promise(() => {});
      }
    },
  };
}
