/**
 * An engine for tests of the layers above it: each record is durable at once and applied to a real registry. Its clock
 * is moved by hand, its chance repeats, and it has no statistics.
 */
import { Registry } from "../../src/accounts/registry/registry.ts";
import type { Outcome } from "../../src/core/outcome.ts";
import { Refusal } from "../../src/core/refusal.ts";
import type { Engine } from "../../src/engine/engine.ts";
import type { HitIntake } from "../../src/engine/intake/hit-intake.ts";
import { silentLogger } from "../../src/lib/log.ts";
import type { Answer } from "../../src/query-worker/answer.ts";
import type { LogRecord, NewRecord } from "../../src/record/record.ts";
import type { RemovedCounts } from "../../src/store/state/removal/removed-values.ts";
import { seededRandom, TestClock } from "./clock.ts";

export class InstantEngine implements Engine {
  readonly registry = new Registry();
  readonly clock = new TestClock();
  readonly random = seededRandom(1);
  readonly logger = silentLogger;
  /** In the order of the log. */
  readonly committed: LogRecord[] = [];
  /** How many records stood in the log at each purge. */
  readonly purgedAt: number[] = [];
  readonly offUntilMs = () => 0;
  /** The first moment that the retention keeps, in milliseconds since 1970. */
  keptFrom = 0;
  /** Commits fail. */
  diskFull = false;

  constructor(public demo = false) {}

  nowMs(): number {
    return this.clock.nowMs();
  }

  keptFromMs(): number {
    return this.keptFrom;
  }

  /** Like a real one it applies later than it is asked: what is asked in one go is one batch. */
  async commit(given: NewRecord): Promise<Outcome> {
    const record = { timeMs: this.nowMs(), ...given } as LogRecord;
    await Promise.resolve();
    if (this.diskFull) throw new Refusal(500, "the disk is full");
    this.committed.push(record);
    const outcome = this.registry.apply(record);
    this.registry.check();
    return outcome;
  }

  async purge(): Promise<void> {
    this.purgedAt.push(this.committed.length);
  }

  readonly monthImport = {
    untilOf: () => undefined,
    whyNot: () => undefined,
    add: () => Promise.reject(new Refusal(500, "this engine has no statistics")),
    remove: () => Promise.reject(new Refusal(500, "this engine has no statistics")),
  };

  readonly hits = {
    take: () => Promise.reject(new Refusal(500, "this engine takes no hits")),
    malformed: () => {},
    rejectionsOf: () => [],
    rejections: { unknownHostnames: [] },
  } as unknown as HitIntake;

  health() {
    const records = this.committed.length;
    return {
      records,
      freeBytes: 1e9,
      totalBytes: 1e9,
      hasRoom: !this.diskFull,
      takesHits: !this.diskFull,
      unavailableWebsites: 0,
    };
  }

  metricLines(): [] {
    return [];
  }

  hidingProxyOf(): undefined {
    return undefined;
  }

  ask(): Promise<Answer> {
    return Promise.reject(new Refusal(500, "this engine has no statistics"));
  }

  removeRows(): Promise<RemovedCounts> {
    return Promise.reject(new Refusal(500, "this engine has no statistics"));
  }

  isAvailable(): boolean {
    return true;
  }

  site(): undefined {
    return undefined;
  }

  watch(): () => void {
    return () => {};
  }

  async stop(): Promise<void> {}
}
