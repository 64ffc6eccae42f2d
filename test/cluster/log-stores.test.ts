/** Both kinds of stores of the log behave the same: one suite is run over both, crashes included. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { LogRecord } from "../../src/record/record.ts";
import type { LogStore } from "../../src/wal/log-store.ts";
import { numbered, numberedFrom } from "../support/log-folder.ts";
import { segmentPlace, streamPlace, type LogPlace, type Mark } from "../support/log-places.ts";
import { isThere, nameWith } from "../support/needs.ts";
import { rounds } from "../support/rounds.ts";
import { randomBySeed } from "../support/seed.ts";

const places = [
  ["segments on a disk", true, async (random: () => number) => segmentPlace(random)],
  [nameWith("nats", "a stream of NATS"), isThere("nats"), streamPlace],
] as const;

describe.each(places)("%s", (_, there, make) => {
  const run = test.skipIf(!there);
  const random = randomBySeed();
  let place: LogPlace;

  beforeAll(async () => {
    if (there) place = await make(random);
  });
  afterAll(() => place?.stop());

  /** Opens a store; returns it with the records from `fromSeq` on. */
  async function replayed(fromSeq = 1, mark?: Mark): Promise<{ store: LogStore; records: LogRecord[] }> {
    const records: LogRecord[] = [];
    const onRecord = (record: LogRecord, seq: number) => {
      expect(seq).toBe(fromSeq + records.length);
      records.push(record);
    };
    return { store: await place.open(fromSeq, onRecord, mark), records };
  }

  async function durable(store: LogStore, records: readonly LogRecord[]): Promise<void> {
    expect((await store.append(records)).failure).toBeNull();
  }

  run("an empty log has nothing, and its first record is 1", async () => {
    const { store, records } = await replayed();
    expect(records).toEqual([]);
    expect(store.nextSeq).toBe(1);
    await store.close();
  });

  run("what was appended is read again in order, from any record on, and goes on there", async () => {
    const { store } = await replayed();
    await durable(store, numberedFrom(1, 3));
    store.rotate();
    await durable(store, numberedFrom(4, 1));
    await durable(store, numberedFrom(5, 40));
    expect(store.nextSeq).toBe(45);
    await store.close();
    for (const fromSeq of [1, 2, 4, 45]) {
      const again = await replayed(fromSeq);
      expect(again.records).toEqual(numberedFrom(fromSeq, 45 - fromSeq));
      expect(again.store.nextSeq).toBe(45);
      await again.store.close();
    }
  });

  run("a record that is larger than a message may be comes back whole", async () => {
    const { store, records } = await replayed();
    const large: LogRecord = {
      ...numbered(45),
      properties: Array.from({ length: 3 }, (_, at) => ["large", `${at}`.repeat(400_000)] as const),
    };
    await durable(store, [large, numbered(46)]);
    await store.close();
    const again = await replayed();
    expect(again.records).toEqual([...records, large, numbered(46)]);
    await again.store.close();
  });

  run(
    "an append that fails is applied by nobody; whoever reads anew finds it whole or not at all",
    async () => {
      const { store, records } = await replayed();
      await place.fail();
      const { failure } = await store.append(numberedFrom(47, 2));
      expect(failure).toBeInstanceOf(Error);
      expect(store.nextSeq).toBe(47);
      await place.mend();
      await store.close();
      const again = await replayed();
      const stored = again.records.slice(records.length);
      expect([[], numberedFrom(47, 2)]).toContainEqual(stored);
      await durable(again.store, [numbered(99)]);
      await again.store.close();
      const last = await replayed();
      expect(last.records).toEqual([...again.records, numbered(99)]);
      await last.store.close();
    },
  );

  run("a crash takes nothing that was acknowledged, and no part of a batch stays alone", async () => {
    let { store } = await replayed();
    let fromSeq = store.nextSeq;
    let mark = place.mark(store);
    for (let round = rounds(6); round > 0; round--) {
      const known: LogRecord[] = [];
      for (let batches = Math.floor(random() * 6); batches > 0; batches--) {
        const batch = numberedFrom(Math.floor(random() * 1e6), 1 + Math.floor(random() * 20));
        await durable(store, batch);
        known.push(...batch);
        if (random() < 0.2) store.rotate();
      }
      const inFlight = numberedFrom(Math.floor(random() * 1e6), 1 + Math.floor(random() * 400));
      let isKnown = false;
      void store.append(inFlight).then(({ failure }) => (isKnown = failure === null));
      await place.crash();
      const again = await replayed(fromSeq, mark);
      expect(again.records.slice(0, known.length)).toEqual(known);
      const rest = again.records.slice(known.length);
      if (isKnown || rest.length > 0) expect(rest).toEqual(inFlight);
      store = again.store;
      fromSeq = store.nextSeq;
      mark = place.mark(store);
    }
    await store.close();
  });

  run("records that nobody needs any more go, and the others stay", async () => {
    const { store, records } = await replayed();
    const mark = place.mark(store);
    const fromSeq = store.nextSeq;
    store.rotate();
    await durable(store, numberedFrom(200, 5));
    await place.truncateBefore(fromSeq);
    await store.close();
    const again = await replayed(fromSeq, mark);
    expect(again.records).toEqual(numberedFrom(200, 5));
    expect(again.store.nextSeq).toBe(records.length + 6);
    await again.store.close();
    await expect(replayed()).rejects.toThrow(/begins with|it is the first segment/);
  });
});
