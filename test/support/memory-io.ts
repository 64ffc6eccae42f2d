/** The engine's machine in memory: a disk that fails and forgets, the log and checkpoints in this thread. */
import type { RunningJob } from "../../src/engine/checkpoint/io.ts";
import type { EngineIo } from "../../src/engine/checkpoint/io.ts";
import {
  bytesToWrite,
  isFresh,
  writePlanned,
  type PlannedCheckpoint,
} from "../../src/engine/files/planned-checkpoint.ts";
import { makeFacts, type FactsJob, type MadeFacts } from "../../src/facts/making/job.ts";
import { reduceMonth, renumberedSections } from "../../src/facts/months/reduce-job.ts";
import { channelsOf } from "../../src/query/names/derived.ts";
import { lookUps } from "../../src/query/names/look-ups.ts";
import { compileGoals } from "../../src/query/rows/filters/targets.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { assert } from "../../src/lib/assert.ts";
import { encodeManifest, type Manifest } from "../../src/snapshot/manifest.ts";
import { scrub } from "../../src/snapshot/scrub.ts";
import type { LogPort } from "../../src/wal/worker-port.ts";
import { localLogPort, localQuestionPort } from "./local-ports.ts";
import { PowerCut, type MemoryDisk } from "./memory-disk.ts";

/** `powerOff` is called when the power goes; what was waiting for the log waits for ever then. */
export function memoryIo(disk: MemoryDisk, powerOff: () => void = () => {}): EngineIo {
  return {
    disk,
    lock: (path) => disk.lock(path),
    openLogPort: () => untilPowerCut(localLogPort(disk), powerOff),
    openQuestionPort: (options) => localQuestionPort(disk, systemClock, options),
    makeFacts: (job, onMade) => makeHere(disk, job, onMade),
    reduceMonth: (job) => ({
      done: Promise.try(reduceMonth, disk, job, compileGoals, channelsOf),
      cancel: () => {},
    }),
    scrub: (job, onDamaged) => {
      const sleep = () => new Promise<void>((resolve) => setImmediate(resolve));
      return { done: scrub(disk, job, { clock: systemClock, sleep, onDamaged }), cancel: () => {} };
    },
    writeCheckpoint: async (folder, checkpoint) => {
      const foreseen = bytesToWrite(checkpoint) + unforeseenBytes;
      const manifest = writePlanned(disk, folder, checkpoint, renumberedSections);
      assert(foreseen >= writtenBytes(checkpoint, manifest), "room was kept free for the whole checkpoint");
      return manifest;
    },
  };
}

/** The most bytes that a manifest takes besides its files, for names of dimensions and the like. */
const unforeseenBytes = 4_096;

/** Returns the bytes of the files that a checkpoint wrote. */
function writtenBytes({ files }: PlannedCheckpoint, manifest: Manifest): number {
  const fresh = new Set(files.filter(isFresh).map(({ name }) => name));
  const written = manifest.files.filter(({ name }) => fresh.has(name));
  return written.reduce((sum, { bytes }) => sum + bytes, encodeManifest(manifest).length);
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

/** A turn for each chunk, as the Worker's messages would have. */
function makeHere(disk: MemoryDisk, job: FactsJob, onMade: (made: MadeFacts) => void): RunningJob {
  let cancelled = false;
  const work = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    for (const made of makeFacts(disk, job, lookUps)) {
      if (cancelled) return;
      onMade(structuredClone(made));
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { done: work(), cancel: () => (cancelled = true) };
}
