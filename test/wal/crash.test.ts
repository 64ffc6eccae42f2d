/**
 * Power cuts and failing calls at every place of a log's life. Whatever happens: what was acknowledged is
 * read back at its sequence number, what follows it was at least asked for, and the log can go on.
 */
import { describe, expect, test } from "bun:test";
import type { LogRecord } from "../../src/record/record.ts";
import { openLocalPort, type LogPort } from "../../src/wal/port.ts";
import { numbered, openLog, replayAll } from "../support/log-folder.ts";
import { MemoryDisk, PowerCut } from "../support/memory-disk.ts";
import { randomFrom } from "../support/random.ts";
import { seed } from "../support/seed.ts";

/** All that one log was asked for in its lives, and what of it was acknowledged. */
class History {
  readonly asked = new Set<string>();
  readonly acknowledged = new Map<number, LogRecord>();
  private next = 1;

  record(): LogRecord {
    const record = numbered(this.next++);
    this.asked.add(JSON.stringify(record));
    return record;
  }

  /** Expects to have read what was acknowledged and, after it, only what was asked for. */
  check(read: readonly LogRecord[]): void {
    expect(read.length).toBeGreaterThanOrEqual(this.acknowledged.size);
    for (const [index, record] of read.entries()) {
      const promised = this.acknowledged.get(index + 1);
      if (promised !== undefined) expect(record).toEqual(promised);
      else expect(this.asked.has(JSON.stringify(record))).toBe(true);
    }
    expect(new Set(read.map((record) => JSON.stringify(record))).size).toBe(read.length);
    // From now on everything that was read is history.
    for (const [index, record] of read.entries()) this.acknowledged.set(index + 1, record);
  }
}

/** A port on which a power cut is silence. */
function mortalPort(disk: MemoryDisk): { port: LogPort; dead: Promise<void> } {
  const local = openLocalPort(disk);
  const { promise: dead, resolve: die } = Promise.withResolvers<void>();
  const port: LogPort = {
    write: (request) =>
      local.write(request).catch((error: unknown) => {
        if (!(error instanceof PowerCut)) throw error;
        die();
        return new Promise(() => {});
      }),
    close: () => local.close(),
  };
  return { port, dead };
}

/** Replays, then appends batches with rotations and full segments in between, until the end or a power cut. */
async function live(disk: MemoryDisk, history: History): Promise<void> {
  let position;
  try {
    const replayed = replayAll(disk);
    history.check(replayed.read);
    position = replayed.position;
  } catch (error) {
    if (error instanceof PowerCut) return;
    throw error;
  }
  const { port, dead } = mortalPort(disk);
  const { log } = openLog(disk, { position, port, segmentBytesMax: 700 });
  const work = async () => {
    for (let batch = 0; batch < 12; batch++) {
      const appended = Array.from({ length: 1 + (batch % 3) }, async () => {
        const record = history.record();
        const seq = await log.append(record).catch(() => undefined);
        if (seq !== undefined) history.acknowledged.set(seq, record);
      });
      if (batch === 4) void log.rotate();
      await Promise.all(appended);
    }
    await log.close();
  };
  await Promise.race([work(), dead]);
}

async function callsOfALife(): Promise<number> {
  const disk = new MemoryDisk();
  await live(disk, new History());
  return disk.calls;
}

describe("a power cut", () => {
  test("at every call, then another in the recovery or later, loses nothing that was acknowledged", async () => {
    const random = randomFrom(seed());
    const calls = await callsOfALife();
    expect(calls).toBeGreaterThan(40);
    for (let call = 1; call <= calls + 1; call++)
      for (let round = 0; round < 3; round++) {
        const history = new History();
        let disk = new MemoryDisk();
        disk.cutPowerAt(call);
        await live(disk, history);
        disk = disk.crash(random);
        disk.cutPowerAt(1 + Math.floor(random() * 30));
        await live(disk, history);
        disk = disk.crash(random);
        history.check(replayAll(disk).read);
        await live(disk, history);
        history.check(replayAll(disk.crash(random)).read);
      }
  });
});

describe.each(["EIO", "ENOSPC"])("%s", (code) => {
  test("at every call fails one batch at most, and a power cut afterwards loses nothing", async () => {
    const random = randomFrom(seed());
    const calls = await callsOfALife();
    for (let call = 1; call <= calls; call++)
      for (const writtenBytes of [0, 9, 1_000_000]) {
        const history = new History();
        const disk = new MemoryDisk();
        // The first calls are those of the replay of a new folder: their failure refuses the start.
        replayAll(disk);
        disk.failAt({ call, code, writtenBytes });
        try {
          await live(disk, history);
        } catch (error) {
          expect(error).toMatchObject({ name: "DiskError", code });
          expect(history.asked.size).toBe(0);
        }
        expect(history.acknowledged.size).toBeGreaterThanOrEqual(history.asked.size - 3);
        const after = disk.crash(random);
        await live(after, history);
        history.check(replayAll(after).read);
        expect(replayAll(after).repairs).toEqual([]);
      }
  });

  test("at every call of a replay with repairs, and the next replay repairs the rest", async () => {
    const whole = new MemoryDisk();
    const history = new History();
    await live(whole, history);
    const names = whole.list("/data/wal").map((name) => `/data/wal/${name}`);
    for (const path of names.slice(-2))
      whole.put(path, new Uint8Array([...whole.read(path), 1, 2, 3, 4, 5, 6, 7, 8]));
    const random = randomFrom(seed());
    const undisturbed = whole.clone();
    expect(replayAll(undisturbed).repairs).toHaveLength(2);
    for (let call = 1; call <= undisturbed.calls; call++) {
      const disk = whole.clone();
      disk.failAt({ call, code, writtenBytes: 3 });
      expect(() => replayAll(disk)).toThrow(code);
      const after = disk.crash(random);
      history.check(replayAll(after).read);
      expect(replayAll(after).repairs).toEqual([]);
    }
  });
});
