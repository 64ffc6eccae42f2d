/** The operator hears of a disk that cannot store the log, or takes long to. */
import { expect, test } from "bun:test";
import { LogTrouble } from "../../src/engine/log/log-trouble.ts";
import { Fenced, OutcomeUnknown } from "../../src/cluster/stream/stream-store.ts";
import { DiskError, type FileHandle } from "../../src/lib/disk/disk.ts";
import { localLogPort } from "../support/local-ports.ts";
import { TestClock } from "../support/clock.ts";
import { linesOf } from "../support/log-lines.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { memoryIo } from "../support/memory-io.ts";
import { load } from "../support/records.ts";
import { addWebsites } from "../support/websites.ts";

test("each reason why batches fail is a line a minute, and one that they are stored again", () => {
  const { lines, logger } = linesOf();
  const clock = new TestClock();
  const trouble = new LogTrouble(clock, logger);
  const result = (code?: string) => ({
    failure: code === undefined ? null : new DiskError("create", "/data/wal/unfinished", code),
    freeBytes: 1,
    tookMs: 2,
  });
  trouble.note(result());
  for (let second = 0; second < 90; second++) {
    for (let batch = 0; batch < 10; batch++) trouble.note(result("EMFILE"));
    if (second === 30) trouble.note(result("EIO"));
    clock.advance(1_000);
  }
  for (let batch = 0; batch < 2; batch++) trouble.note(result());
  trouble.note(result("EMFILE"));
  const refused = (code: string) =>
    expect.stringMatching(
      new RegExp(`^error hits and changes are refused: the log cannot be written .*\\(${code}\\)`),
    );
  const again = "info  hits and changes are stored again";
  expect(lines).toEqual([refused("EMFILE"), refused("EIO"), refused("EMFILE"), again, refused("EMFILE")]);
});

test("a log that is a stream has words of its own: no disk is blamed for an outage of NATS", () => {
  const { lines, logger } = linesOf();
  const trouble = new LogTrouble(new TestClock(), logger, "stream");
  const failure = new OutcomeUnknown("the servers of NATS did not say whether they have it");
  trouble.note({ failure, freeBytes: NaN, tookMs: 8_050 });
  expect(lines).toEqual([
    "warn  NATS is slow: hits waited for its servers to store them ms=8050 times=1",
    'error hits and changes are refused: NATS does not take them error="the servers of NATS did not say whether they have it"',
  ]);
});

test("a node that was replaced while it was paused says nothing of NATS, which takes what the other node has", () => {
  const { lines, logger } = linesOf();
  const trouble = new LogTrouble(new TestClock(), logger, "stream");
  trouble.note({ failure: new Fenced("another node appended message 7"), freeBytes: NaN, tookMs: 5 });
  expect([lines, trouble.isFailing]).toEqual([[], false]);
});

/** A disk whose syncs of files take as long as it is told. */
class SlowDisk extends MemoryDisk {
  syncMs = 0;

  constructor(private readonly clock: TestClock) {
    super();
  }

  override sync(file: FileHandle): void {
    super.sync(file);
    this.clock.advance(this.syncMs);
  }
}

test("a sync slower than a second is told at most once a minute, with the slowest since", async () => {
  const { lines, logger } = linesOf();
  const clock = new TestClock();
  const disk = new SlowDisk(clock);
  const io = { ...memoryIo(disk), openLogPort: () => localLogPort(disk, clock) };
  const engine = await openInMemory(disk, { io, clock, logger });
  await addWebsites(engine, "a.example");
  const takes = async (ms: number, at: number) => {
    disk.syncMs = ms;
    expect(await engine.commit(load(`b${at}`, { timeMs: clock.nowMs() }))).toBe("done");
  };
  for (const [at, ms] of [1_000, 1_500, 9_000, 4_000, 50_000, 20].entries()) await takes(ms, at);
  expect(lines).toEqual([
    "warn  the disk is slow: hits waited for the log to be synced ms=1500 times=1",
    "warn  the disk is slow: hits waited for the log to be synced ms=50000 times=3",
  ]);
  disk.syncMs = 0;
  await engine.stop();
});

test("a disk that is full all at once is told once, and no hit counts that was refused", async () => {
  const { lines, logger } = linesOf();
  const disk = new MemoryDisk();
  const engine = await openInMemory(disk, { logger });
  await addWebsites(engine, "a.example");
  disk.fillAt(1, 6);
  const answers = [];
  for (let at = 0; at < 10; at++) answers.push(await engine.commit(load(`b${at}`)).catch(String));
  const stored = answers.filter((answer) => answer === "done").length;
  expect(stored).toBeWithin(1, 10);
  expect(engine.site(1)?.rows).toBe(stored);
  expect(lines).toEqual([
    expect.stringMatching(/^error hits and changes are refused.*the disk is full.*ENOSPC/),
    "info  hits and changes are stored again",
  ]);
  await engine.stop();
});
