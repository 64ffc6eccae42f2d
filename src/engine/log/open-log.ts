/** Opens the log of an engine: in segments of its folder, or in the stream of a cluster. */
import type { Outcome } from "../../core/outcome.ts";
import { Refusal } from "../../core/refusal.ts";
import { assert } from "../../lib/assert.ts";
import type { LogRecord } from "../../record/record.ts";
import { Log, LogFailure, LogFull } from "../../wal/log.ts";
import { NotAppending, RecordTooNew, type LogStore, type StoreResult } from "../../wal/log-store.ts";
import type { LogPosition } from "../../wal/position.ts";
import { SegmentStore } from "../../wal/segment-store.ts";
import { digestOf } from "./state-digest.ts";
import { LogTrouble } from "./log-trouble.ts";
import type { EngineOptions, Recovered } from "../options/options.ts";
import { logPath } from "../../wal/segment.ts";

export interface OpenedLog {
  readonly log: Log<Outcome>;
  /** Returns the end of the segments; undefined if the log is elsewhere. */
  readonly segmentsEnd: () => LogPosition | undefined;
}

interface BatchMetrics {
  noteBatch(result: StoreResult): void;
}

type Apply = (record: LogRecord, seq: number) => Outcome;

export function openLog(
  options: EngineOptions,
  recovered: Recovered,
  metrics: BatchMetrics,
  given: Apply,
): OpenedLog {
  const trouble = new LogTrouble(options.clock, options.logger, options.shared && "stream");
  const store = openLogStore(options, recovered);
  const { place } = recovered;
  const mayTake = options.shared?.mayTake;
  const apply = noticingCheckpoints(options, recovered, given);
  const onWritten = (result: StoreResult) => {
    trouble.note(result);
    metrics.noteBatch(result);
  };
  return {
    log: new Log({ store, place, apply, mayTake, onWritten }),
    segmentsEnd: () => (store instanceof SegmentStore ? store.end : undefined),
  };
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
