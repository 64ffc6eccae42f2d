/** Figures of an engine for monitoring systems: its log, its checkpoints, and its memory by parts. */
import { counterLines, gaugeLines, gaugesLines, Histogram } from "../lib/metrics.ts";
import type { Log } from "../wal/log.ts";
import type { StoreResult } from "../wal/log-store.ts";
import type { Checkpointer } from "./checkpoint/checkpointer.ts";

/** Seconds. */
const batchBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const checkpointBounds = [0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 60];

interface MemoryPart {
  readonly bytes: number;
}

export class EngineMetrics {
  private readonly batches = new Histogram(
    {
      name: "footfall_log_batch_seconds",
      help: "Time until a batch of the log was on the disk, or could not be stored",
      label: "outcome",
    },
    batchBounds,
  );
  private readonly checkpoints = new Histogram(
    { name: "footfall_checkpoint_seconds", help: "Time that checkpoints took", label: "outcome" },
    checkpointBounds,
  );

  noteBatch({ failure, tookMs }: StoreResult): void {
    this.batches.observe(failure === null ? "stored" : "failed", tookMs / 1_000);
  }

  noteCheckpoint(outcome: "saved" | "failed", tookMs: number): void {
    this.checkpoints.observe(outcome, tookMs / 1_000);
  }

  /** `caches`: all that the thread that takes hits keeps only to be faster, mapped files too. */
  lines(
    log: Pick<Log<unknown>, "bytesSinceStart">,
    checkpointer: Pick<Checkpointer, "recordsToReplay">,
    [names, earlyHits, caches]: readonly [MemoryPart, MemoryPart, MemoryPart],
  ): string[] {
    const { heapUsed, external } = process.memoryUsage();
    // Bun counts the buffers as used, too.
    const kinds = { objects: Math.max(0, heapUsed - external), buffers: external };
    const parts = { names: names.bytes, early_hits: earlyHits.bytes, caches: caches.bytes };
    return [
      ...this.batches.lines(),
      ...counterLines(
        { name: "footfall_log_bytes_total", help: "Bytes that were added to the log" },
        log.bytesSinceStart,
      ),
      ...this.checkpoints.lines(),
      ...gaugeLines(
        { name: "footfall_log_records_to_replay", help: "Records that no checkpoint has yet" },
        checkpointer.recordsToReplay,
      ),
      ...gaugesLines(
        {
          name: "footfall_memory_bytes",
          help: "Memory of the thread that takes hits; the whole process has process_resident_memory_bytes",
          label: "kind",
        },
        kinds,
      ),
      ...gaugesLines(
        {
          name: "footfall_memory_part_bytes",
          help: "Parts of that memory: names, hits that wait for their page view, and caches",
          label: "part",
        },
        parts,
      ),
    ];
  }
}
