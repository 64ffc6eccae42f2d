/** What the engine needs of the machine, so that a test can bring a disk that fails and forgets. */
import { acquireLock, type Lock } from "../lib/lock.ts";
import { systemDisk, type Disk } from "../lib/disk.ts";
import { startWorker } from "../lib/worker.ts";
import type { Manifest } from "../snapshot/manifest.ts";
import { openWorkerPort, type LogPort } from "../wal/port.ts";
import type { DeskOptions } from "../query/desk.ts";
import type { CheckpointJob, CheckpointReply } from "./worker.ts";
import { isFresh, sectionsIn, type PlannedCheckpoint } from "./planned-checkpoint.ts";
import { openWorkerPort as openQuestionWorker, type QuestionPort } from "./question-port.ts";

export interface EngineIo {
  readonly disk: Disk;
  lock(path: string): Lock;
  openLogPort(): LogPort;
  /**
   * Takes the sections that are not shared memory away from the caller. Rejects with what the disk said; older
   * checkpoints are untouched then.
   */
  writeCheckpoint(folder: string, checkpoint: PlannedCheckpoint): Promise<Manifest>;
  openQuestionPort(options: DeskOptions): QuestionPort;
}

export const systemIo: EngineIo = {
  disk: systemDisk,
  lock: acquireLock,
  openLogPort: openWorkerPort,
  writeCheckpoint: writeInWorker,
  openQuestionPort: openQuestionWorker,
};

/** One worker a checkpoint: it costs some milliseconds now and then, and no memory in between. */
async function writeInWorker(folder: string, checkpoint: PlannedCheckpoint): Promise<Manifest> {
  const worker = startWorker("engine/worker.ts");
  const done = new Promise<Manifest>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<CheckpointReply>) => {
      if (typeof data === "string") reject(new Error(data));
      else resolve(data);
    };
    worker.onerror = ({ message }) => reject(new Error(`the checkpoint's worker failed: ${message}`));
  });
  const { files, ...rest } = checkpoint;
  const fresh = files.filter(isFresh);
  const kept = JSON.stringify(files.map((file) => (isFresh(file) ? null : file)));
  const job: CheckpointJob = { folder, checkpoint: rest, kept, fresh };
  const buffers = fresh
    .flatMap((file) => sectionsIn(file).map(({ data }) => data.buffer))
    .filter((buffer) => buffer instanceof ArrayBuffer);
  worker.postMessage(job, buffers);
  return await done.finally(() => worker.terminate());
}
