/** The engine's interface to the machine, so that a test can bring a disk that fails and forgets. */
import type { FactsJob, MadeFacts } from "../../facts/making/job.ts";
import type { ReduceJob } from "../../facts/months/reduce-job.ts";
import { acquireLock, type Lock } from "../../lib/disk/lock.ts";
import { systemDisk, type Disk } from "../../lib/disk/disk.ts";
import { startWorker } from "../../lib/threads/worker.ts";
import type { FileEntry, Manifest } from "../../snapshot/manifest.ts";
import { LogWorkerPort, type LogPort } from "../../wal/worker-port.ts";
import type { QueryWorkerOptions } from "../../query-worker/query-worker.ts";
import type { DamagedFile, ScrubJob } from "../../snapshot/scrub.ts";
import type { WorkerJob, WorkerReply } from "./worker.ts";
import { isFresh, sectionsIn, type PlannedCheckpoint } from "../files/planned-checkpoint.ts";
import { QuestionWorkerPort, type QuestionPort } from "../../query-worker/worker-port.ts";

/** Work that is under way in another thread. */
export interface RunningJob<T = void> {
  /** Resolves when all is done; rejects if it could not continue. */
  readonly done: Promise<T>;
  cancel(): void;
}

export interface EngineIo {
  readonly disk: Disk;
  lock(path: string): Lock;
  openLogPort(): LogPort;
  /**
   * Writes a checkpoint. Sections that are not shared memory are taken away from the caller. Rejects with the disk's
   * error; earlier checkpoints are untouched then.
   */
  writeCheckpoint(folder: string, checkpoint: PlannedCheckpoint): Promise<Manifest>;
  /** Makes facts. `onMade` receives each chunk as soon as its facts are made, or could not be made. */
  makeFacts(job: FactsJob, onMade: (made: MadeFacts) => void): RunningJob;
  /** Writes the file of a month that gives up its rows; resolves when it is durable. */
  reduceMonth(job: ReduceJob): RunningJob<FileEntry>;
  /** Compares files with their checksums. `onDamaged` receives each that differs. */
  scrub(job: ScrubJob, onDamaged: (damaged: DamagedFile) => void): RunningJob;
  openQuestionPort(options: QueryWorkerOptions): QuestionPort;
}

export const systemIo: EngineIo = {
  disk: systemDisk,
  lock: acquireLock,
  openLogPort: () => new LogWorkerPort(),
  writeCheckpoint: writeInWorker,
  makeFacts: makeInWorker,
  reduceMonth: reduceInWorker,
  scrub: scrubInWorker,
  openQuestionPort: (options) => new QuestionWorkerPort(options),
};

async function writeInWorker(folder: string, checkpoint: PlannedCheckpoint): Promise<Manifest> {
  const { files, ...rest } = checkpoint;
  const fresh = files.filter(isFresh);
  const kept = JSON.stringify(files.map((file) => (isFresh(file) ? null : file)));
  const buffers = fresh
    .flatMap((file) => sectionsIn(file).map(({ data }) => data.buffer))
    .filter((buffer) => buffer instanceof ArrayBuffer);
  const job = { kind: "checkpoint", folder, checkpoint: rest, kept, fresh } as const;
  let manifest: Manifest | undefined;
  const onReply = (reply: WorkerReply) => {
    if (reply.kind === "written") manifest = reply.manifest;
  };
  await runInWorker(job, "the thread that writes checkpoints", onReply, buffers).done;
  return manifest as Manifest;
}

function makeInWorker(job: FactsJob, onMade: (made: MadeFacts) => void): RunningJob {
  return runInWorker({ kind: "facts", ...job }, "the thread for precomputed sums", (reply) => {
    if (reply.kind === "made") onMade(reply.made);
  });
}

function reduceInWorker(job: ReduceJob): RunningJob<FileEntry> {
  let made: FileEntry | undefined;
  const work = runInWorker({ kind: "reduce", ...job }, "the thread that adds up an old month", (reply) => {
    if (reply.kind === "reduced") made = reply.file;
  });
  return { ...work, done: work.done.then(() => made as FileEntry) };
}

function scrubInWorker(job: ScrubJob, onDamaged: (damaged: DamagedFile) => void): RunningJob {
  return runInWorker({ kind: "scrub", ...job }, "the thread that looks for damage", (reply) => {
    if (reply.kind === "damaged") onDamaged(reply.damaged);
  });
}

/**
 * Starts one worker for each job: that costs some milliseconds now and then, and no memory in between. `handedOver`: memory
 * that is the worker's from now on.
 */
function runInWorker(
  job: WorkerJob,
  name: string,
  onReply: (reply: WorkerReply) => void,
  handedOver: ArrayBuffer[] = [],
): RunningJob {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onMessage = (reply: WorkerReply) => {
    onReply(reply);
    if (reply.kind === "failed") reject(Object.assign(new Error(reply.message), { name: reply.name }));
    else if (reply.kind === "done") resolve();
  };
  const onEnd = (how: string) => reject(new Error(`${name} ${how}`));
  const worker = startWorker("engine/checkpoint/worker.ts", onMessage, onEnd);
  worker.postMessage(job, handedOver);
  return { done: promise.finally(() => worker.terminate()), cancel: () => worker.terminate() };
}
