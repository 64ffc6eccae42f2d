import { describe, expect, test } from "bun:test";
import { DiskError } from "../../src/lib/disk/disk.ts";
import type { LogRecord } from "../../src/record/record.ts";
import { Log, LogFailure, LogFull } from "../../src/wal/log.ts";
import { type LogPort, type WriteRequest, type WriteResult } from "../../src/wal/worker-port.ts";
import { batchRecordsMax, waitingRecordsMax } from "../../src/wal/queue.ts";
import {
  directory,
  numbered,
  numberedFrom,
  openLog,
  replayAll,
  segmentPath,
  segmentStore,
} from "../support/log-folder.ts";
import { MemoryDisk } from "../support/memory-disk.ts";

/** A port that shows its requests and answers when it is told to. */
function manualPort() {
  const requests: WriteRequest[] = [];
  let answer: (result: WriteResult) => void = () => {};
  const port: LogPort = {
    write: (request) => {
      requests.push(request);
      return new Promise((resolve) => (answer = resolve));
    },
    close: async () => {},
  };
  const answered = async (failure: WriteResult["failure"] = null) => {
    answer({ failure, freeBytes: 4_096, tookMs: 0 });
    await turn();
  };
  return { port, requests, answered };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const full = new DiskError("write", "/data/wal/x", "ENOSPC");

function freshDisk(): MemoryDisk {
  const disk = new MemoryDisk();
  disk.makeDirectory(directory);
  return disk;
}

describe("append", () => {
  test("resolves to what apply gave, in order, and replay gives the same records", async () => {
    const disk = freshDisk();
    const { log, applied } = openLog(disk);
    const records = numberedFrom(0, 500);
    expect(await Promise.all(records.map((record) => log.append(record)))).toEqual(
      records.map((_, index) => index + 1),
    );
    expect([...applied.values()]).toEqual(records);
    expect(log.nextSeq).toBe(501);
    expect(log.nextSeq).toBe(501);
    expect(log.bytesSinceStart).toBe(disk.size(segmentPath(1)));
    expect(log.freeBytes).toBe(disk.free);
    await log.close();
    expect(disk.openFiles).toHaveLength(0);
    expect(replayAll(disk).read).toEqual(records);
  });

  test("makes one batch of what comes in one turn, and one of what comes while it is written", async () => {
    const { port, requests, answered } = manualPort();
    const { log } = openLog(freshDisk(), { port });
    const first = numberedFrom(0, 3).map((record) => log.append(record));
    await turn();
    const second = numberedFrom(3, 4).map((record) => log.append(record));
    await turn();
    expect(requests.map(({ starts }) => starts)).toEqual([true]);
    await answered();
    expect(await Promise.all(first)).toEqual([1, 2, 3]);
    expect(requests.map(({ starts }) => starts)).toEqual([true, false]);
    await answered();
    expect(await Promise.all(second)).toEqual([4, 5, 6, 7]);
  });

  test("applies nothing before it is durable, and then a batch in one turn before anyone hears of it", async () => {
    const { port, answered } = manualPort();
    const events: string[] = [];
    const apply = (_: LogRecord, seq: number) => void events.push(`applied ${seq}`);
    const log = new Log<void>({ store: segmentStore(freshDisk(), { port }), apply });
    for (const record of numberedFrom(0, 2)) void log.append(record).then(() => events.push("heard"));
    await turn();
    await turn();
    expect(events).toEqual([]);
    expect(log.nextSeq).toBe(1);
    await answered();
    expect(events).toEqual(["applied 1", "applied 2", "heard", "heard"]);
  });

  test("cuts what waits into batches of at most 4,096 records", async () => {
    const disk = freshDisk();
    const { log } = openLog(disk);
    await Promise.all(numberedFrom(0, batchRecordsMax * 2 + 1).map((record) => log.append(record)));
    expect(disk.history.filter((call) => call.startsWith("sync /"))).toHaveLength(3);
    await log.close();
  });

  test("rejects at once with LogFull when too much waits, and takes records again later", async () => {
    const { port, answered } = manualPort();
    const { log } = openLog(freshDisk(), { port });
    const inFlight = log.append(numbered(0));
    await turn();
    const record = numbered(1);
    const waiting = Array.from({ length: waitingRecordsMax }, () => log.append(record));
    await expect(log.append(record)).rejects.toBeInstanceOf(LogFull);
    await answered();
    await inFlight;
    const later = log.append(record);
    for (let batch = 0; batch < 17; batch++) await answered();
    expect((await Promise.all(waiting)).at(-1)).toBe(waitingRecordsMax + 1);
    expect(await later).toBe(waitingRecordsMax + 2);
  });

  test("asserts that a record holds no lone surrogate and that the log is open", async () => {
    const { log } = openLog(freshDisk());
    expect(() => log.append({ ...numbered(1), beacon: "\ud800" })).toThrow("lone surrogate");
    await log.close();
    expect(() => log.append(numbered(1))).toThrow("closed log");
  });
});

describe("a failure", () => {
  test("rejects the whole batch, and the next one goes to a new segment with the same numbers", async () => {
    const disk = freshDisk();
    const { log, applied } = openLog(disk);
    await Promise.all(numberedFrom(0, 3).map((record) => log.append(record)));
    disk.failAt({ call: 2, code: "EIO" });
    const failed = await Promise.allSettled(numberedFrom(3, 3).map((record) => log.append(record)));
    for (const result of failed) {
      const { reason } = result as PromiseRejectedResult;
      expect(reason).toBeInstanceOf(LogFailure);
      expect(reason.cause).toMatchObject({ operation: "sync", code: "EIO" });
    }
    expect(log.nextSeq).toBe(4);
    expect(await log.append(numbered(9))).toBe(4);
    await log.close();
    expect([...applied.keys()]).toEqual([1, 2, 3, 4]);
    expect(disk.list(directory)).toEqual([1, 4].map((seq) => segmentPath(seq).split("/").at(-1) as string));
    const { read, repairs } = replayAll(disk);
    expect(read).toEqual([...numberedFrom(0, 3), numbered(9)]);
    expect(repairs).toEqual([]);
  });

  test("forgets the strings that the failed batch defined", async () => {
    const disk = freshDisk();
    const { log } = openLog(disk);
    const record = { ...numbered(1), properties: [["only here", ""]] as const };
    await log.append(numbered(0));
    disk.failAt({ call: 1, code: "ENOSPC", writtenBytes: 20 });
    await expect(log.append(record)).rejects.toBeInstanceOf(LogFailure);
    await log.append(record);
    await log.close();
    expect(replayAll(disk).read).toEqual([numbered(0), record]);
  });

  test("leaves what waits for the next batch alone", async () => {
    const { port, requests, answered } = manualPort();
    const { log } = openLog(freshDisk(), { port });
    const first = log.append(numbered(0));
    await turn();
    const second = log.append(numbered(1));
    const failure = first.catch((error: unknown) => error);
    await answered(full);
    expect(await failure).toBeInstanceOf(LogFailure);
    await answered();
    expect(await second).toBe(1);
    expect(requests.map(({ segment, starts }) => [segment, starts])).toEqual([
      [segmentPath(1), true],
      [segmentPath(1), true],
    ]);
  });

  test("tells how much space is free, as a success does", async () => {
    const disk = freshDisk();
    const { log } = openLog(disk);
    expect(log.freeBytes).toBe(Infinity);
    disk.free = 5;
    disk.failAt({ call: 3, code: "ENOSPC" });
    await expect(log.append(numbered(0))).rejects.toBeInstanceOf(LogFailure);
    expect(log.freeBytes).toBe(5);
    await log.close();
  });

  test("to tell the free space is none, and the last figure stands", async () => {
    const disk = freshDisk();
    const { log } = openLog(disk);
    await log.append(numbered(0));
    disk.failAt({ call: 4, code: "EIO" });
    expect(await log.append(numbered(1))).toBe(2);
    expect(log.freeBytes).toBe(disk.free);
    await log.close();
  });
});

describe("segments", () => {
  test("rotate: what comes later is in a new segment", async () => {
    const disk = freshDisk();
    const { log, applied } = openLog(disk);
    const before = numberedFrom(0, 5).map((record) => log.append(record));
    const rotated = log.rotate();
    const after = numberedFrom(5, 2).map((record) => log.append(record));
    await rotated;
    expect(applied.size).toBe(5);
    expect(await Promise.all([...before, ...after])).toEqual([1, 2, 3, 4, 5, 6, 7]);
    await log.close();
    expect(disk.list(directory)).toHaveLength(2);
    expect(replayAll(disk)).toMatchObject({ seqs: [1, 2, 3, 4, 5, 6, 7], repairs: [] });
    expect(replayAll(disk, { fromSeq: 6 }).read).toEqual(numberedFrom(5, 2));
  });

  test("rotating twice, or with nothing before, makes no empty segment", async () => {
    const disk = freshDisk();
    const { log } = openLog(disk);
    await Promise.all([log.rotate(), log.rotate()]);
    await log.append(numbered(0));
    await Promise.all([log.rotate(), log.rotate()]);
    await log.append(numbered(1));
    await log.close();
    expect(disk.list(directory)).toHaveLength(2);
  });

  test("rotate resolves also when what was before it failed", async () => {
    const disk = freshDisk();
    const { log } = openLog(disk);
    disk.failAt({ call: 2, code: "EMFILE" });
    const failed = log.append(numbered(0));
    const rotated = log.rotate();
    await expect(failed).rejects.toBeInstanceOf(LogFailure);
    await rotated;
    expect(log.nextSeq).toBe(1);
    await log.close();
  });

  test("a segment that is full is followed by another, readable with nothing but itself", async () => {
    const disk = freshDisk();
    const { log } = openLog(disk, { segmentBytesMax: 1_000 });
    for (let number = 0; number < 60; number++) await log.append(numbered(number));
    await log.close();
    const names = disk.list(directory);
    expect(names.length).toBeGreaterThan(3);
    for (const name of names) expect(disk.size(`${directory}/${name}`)).toBeLessThan(1_500);
    const all = replayAll(disk);
    expect(all.read).toEqual(numberedFrom(0, 60));
    expect(all.position.segmentNumber).toBe(names.length);
    const last = Number.parseInt(names.at(-1) as string, 10);
    for (const name of names.slice(0, -1)) disk.remove(`${directory}/${name}`);
    expect(replayAll(disk, { fromSeq: last }).read).toEqual(numberedFrom(last - 1, 61 - last));
  });

  test("a segment with very many strings is followed by another: they are in memory as long as it is", async () => {
    const disk = freshDisk();
    const { log } = openLog(disk);
    const named = (number: number): LogRecord => {
      const properties = Array.from(
        { length: 50 },
        (_, at) => [`name ${number}`, `${number}.${at}`] as const,
      );
      return { ...numbered(number), properties, numbers: [], hasOthers: false };
    };
    const records = Array.from({ length: 1_400 }, (_, number) => named(number));
    for (let from = 0; from < records.length; from += 100)
      await Promise.all(records.slice(from, from + 100).map((record) => log.append(record)));
    await log.close();
    // Each record brings 51 strings; a segment ends with the batch that brings it to 65,536.
    expect(disk.list(directory).map((name) => Number.parseInt(name, 10))).toEqual([1, 1_301]);
    const { read } = replayAll(disk);
    expect(read).toHaveLength(records.length);
    expect(read.at(-1)).toMatchObject(records.at(-1) as object);
  });

  test("so is a segment with very long strings", async () => {
    const disk = freshDisk();
    const { log } = openLog(disk);
    const named = (number: number): LogRecord => ({
      ...numbered(number),
      properties: Array.from(
        { length: 50 },
        (_, at) => ["name", `${number}.${at} ${"x".repeat(2_000)}`] as const,
      ),
      numbers: [],
      hasOthers: false,
    });
    const records = Array.from({ length: 60 }, (_, number) => named(number));
    for (const record of records) await log.append(record);
    await log.close();
    // Each record brings 100,000 characters and some; a segment ends with the batch that brings it to 4 million.
    expect(disk.list(directory).map((name) => Number.parseInt(name, 10))).toEqual([1, 41]);
    expect(replayAll(disk).read).toEqual(records);
  });

  test("a log goes on where replay says, over many lives", async () => {
    const disk = freshDisk();
    for (let life = 0; life < 5; life++) {
      const { log } = openLog(disk, { position: replayAll(disk).position });
      for (const record of numberedFrom(life * 3, 3)) await log.append(record);
      await log.close();
    }
    expect(replayAll(disk)).toMatchObject({ read: numberedFrom(0, 15), records: 15, repairs: [] });
  });
});

describe("close", () => {
  test("waits for what is under way", async () => {
    const disk = freshDisk();
    const { log } = openLog(disk);
    const appended = numberedFrom(0, 10).map((record) => log.append(record));
    await log.close();
    expect(await Promise.all(appended)).toHaveLength(10);
    expect(disk.openFiles).toHaveLength(0);
  });

  test("of a log that wrote nothing leaves no file", async () => {
    const disk = freshDisk();
    const log = new Log<void>({ store: segmentStore(disk), apply() {} });
    await log.close();
    expect(disk.list(directory)).toEqual([]);
  });
});
