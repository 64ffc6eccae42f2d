/** Opens the log of an engine: in segments of its folder, or in the stream of a cluster. */
import { basename } from "node:path";
import type { Outcome } from "../../core/outcome.ts";
import { Refusal } from "../../core/refusal.ts";
import { assert } from "../../lib/assert.ts";
import { DiskError } from "../../lib/disk/disk.ts";
import type { LogRecord } from "../../record/record.ts";
import { Log, LogFailure, LogFull } from "../../wal/log.ts";
import { NotAppending, RecordTooNew, type LogStore, type StoreResult } from "../../wal/log-store.ts";
import type { LogPosition } from "../../wal/position.ts";
import { SegmentStore } from "../../wal/segment-store.ts";
import { digestOf } from "./state-digest.ts";
import { LogTrouble } from "./log-trouble.ts";
import { Seldom } from "../../lib/seldom.ts";
import type { EngineOptions, Recovered } from "../options/options.ts";
import { isSegment, logPath } from "../../wal/segment.ts";

export interface OpenedLog {
  readonly log: Log<Outcome>;
  /** Returns the end of the segments; undefined if the log is elsewhere. */
  readonly segmentsEnd: () => LogPosition | undefined;
  /**
   * Returns whether the last batch was not stored. A server that says so may get no hits that would show that the log can be
   * written again: so each `retryMs` whoever asks has a record written that changes nothing. Only where the log is open and this
   * engine appends to it. `nowMs` is asked only then, since it moves the log's time on.
   */
  readonly isFailing: (nowMs: () => number) => boolean;
  /** Writes the final record, at this time, and closes the log. Nothing else may be under way. */
  readonly close: (nowMs: number) => Promise<void>;
}

const retryMs = 5_000;

interface Told {
  readonly metrics: { noteBatch(result: StoreResult): void };
  /** Receives that somebody has removed the segment with the last records: a checkpoint has to take its place. */
  readonly onSegmentGone: (error: string) => void;
}

/** Hits of no website: nothing comes of it. */
const nothing = { kind: "rejected", websiteId: 0, counts: [] } as const;

type Apply = (record: LogRecord, seq: number) => Outcome;

export function openLog(options: EngineOptions, recovered: Recovered, told: Told, given: Apply): OpenedLog {
  const trouble = new LogTrouble(options.clock, options.logger, options.shared && "stream");
  const store = openLogStore(options, recovered);
  const { place } = recovered;
  const mayTake = options.shared?.mayTake;
  const apply = noticingCheckpoints(options, recovered, given);
  const onWritten = (result: StoreResult) => {
    trouble.note(result);
    told.metrics.noteBatch(result);
    if (isSegmentGone(result)) told.onSegmentGone(String(result.failure));
  };
  const log = new Log({ store, place, apply, mayTake, onWritten });
  const retries = new Seldom(options.clock, retryMs);
  let isRetrying = false;
  const retry = async (timeMs: number) => {
    isRetrying = true;
    // That it fails again is told with the batch.
    await log.append({ ...nothing, timeMs }).catch(() => {});
    isRetrying = false;
  };
  return {
    log,
    segmentsEnd: () => (store instanceof SegmentStore ? store.end : undefined),
    isFailing: (nowMs) => {
      if (trouble.isFailing && !isRetrying && retries.isDue()) void retry(nowMs());
      return trouble.isFailing;
    },
    close: async (timeMs) => {
      try {
        if (options.shared === undefined) await log.append({ kind: "closed", timeMs });
      } catch (error) {
        options.logger.error("the final record of the log could not be written", { error: String(error) });
      }
      await log.close();
    },
  };
}

/** Only the look after a batch asks for a segment by its name. */
function isSegmentGone({ failure }: StoreResult): boolean {
  return failure instanceof DiskError && failure.code === "ENOENT" && isSegment(basename(failure.path));
}

/** Returns an `apply` that tells a shared log of each checkpoint. */
function noticingCheckpoints({ shared }: EngineOptions, { state }: Recovered, apply: Apply): Apply {
  const onCheckpoint = shared?.onCheckpoint;
  if (onCheckpoint === undefined) return apply;
  return (record, seq) => {
    const outcome = apply(record, seq);
    if (record.kind === "checkpoint") onCheckpoint(seq, () => digestOf(state, seq));
    return outcome;
  };
}

/** Returns what whoever asked for a record is told, if the log did not take it. */
export function refusalOf(error: unknown): unknown {
  if (error instanceof LogFull) return new Refusal(500, "the server is overloaded: try again", 1);
  if (!(error instanceof LogFailure)) return error;
  if (error.cause instanceof RecordTooNew) return new Refusal(500, error.cause.message, 5);
  const retryS = error.cause instanceof NotAppending ? 1 : 5;
  return new Refusal(500, "the server could not store this: try again", retryS, error.cause);
}

function openLogStore({ io, folder, shared }: EngineOptions, recovered: Recovered): LogStore {
  const { place } = recovered;
  if (shared === undefined) {
    const directory = logPath(folder);
    const whyNot = () => recovered.hold.whyNot();
    return new SegmentStore({ directory, port: io.openLogPort(), ...recovered, whyNot });
  }
  assert(place !== undefined, "a copy has a place in the stream");
  return shared.open(place);
}
