/** Two nodes append to one stream: one of them is fenced off, and the stream stays one log. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "../../src/cluster/connection/connect.ts";
import { encodeMessages } from "../../src/cluster/stream/message.ts";
import { Stream } from "../../src/cluster/stream/stream.ts";
import { Fenced, StreamStore } from "../../src/cluster/stream/stream-store.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { encodeBatch, SegmentStrings } from "../../src/record/codec.ts";
import type { LogRecord } from "../../src/record/record.ts";
import { numbered, numberedFrom } from "../support/log-folder.ts";
import { replayStream } from "../support/log-places.ts";
import { describeWith } from "../support/needs.ts";
import { NatsServers } from "../support/nats.ts";
import { randomBySeed } from "../support/seed.ts";

const id = () => systemRandom.bytes(16);

describeWith("nats", "a stream", () => {
  let servers: NatsServers;
  let stream: Stream;
  let count = 0;

  beforeAll(async () => {
    servers = await NatsServers.start();
  });
  afterAll(() => servers?.stop());

  /** A stream of its own. */
  async function fresh(baseSeq = 0): Promise<void> {
    const options = { connection: await connect([servers.urls]), prefix: `test${++count}`, replicas: 1 };
    stream = await Stream.create(options, { incarnation: id().toHex(), folderId: id().toHex(), baseSeq });
  }

  function open(position?: StreamStore["position"]): StreamStore {
    return new StreamStore({ stream, clock: systemClock, random: systemRandom, position });
  }

  async function readAll(store = open()): Promise<LogRecord[]> {
    const records: LogRecord[] = [];
    await replayStream(stream, store, 1, (record) => records.push(record));
    return records;
  }

  /** The bytes of a message, as a node makes it that appends behind `store`. */
  function messageOf(
    store: StreamStore,
    records: readonly LogRecord[],
    incarnation = stream.start.incarnation,
  ) {
    const { nextSeq, checksum, epoch } = store.position;
    const head = { id: id(), firstSeq: nextSeq, count: records.length, epoch, previousChecksum: checksum };
    const payload = encodeBatch(records, new SegmentStrings());
    const { messages } = encodeMessages(payload, { ...head, incarnation: Uint8Array.fromHex(incarnation) });
    return messages[0] as Uint8Array;
  }

  test("is made once: whoever comes second opens that of the first", async () => {
    const options = { connection: await connect([servers.urls]), prefix: "once", replicas: 1 };
    const starts = [1, 2].map(() => ({ incarnation: id().toHex(), folderId: id().toHex(), baseSeq: 7 }));
    const both = await Promise.all(starts.map((start) => Stream.create(options, start)));
    expect(both[0]?.start).toEqual(both[1]?.start as Stream["start"]);
    expect((await Stream.open(options))?.start).toEqual(both[0]?.start as Stream["start"]);
    expect(await Stream.open({ ...options, prefix: "none" })).toBeUndefined();
  });

  test("takes nothing from a node that another one has followed, and that node reads what came", async () => {
    await fresh(41);
    const [old, next] = [open(), open()];
    expect(await old.begin()).toBeNull();
    expect(old.nextSeq).toBe(42);
    expect((await old.append(numberedFrom(1, 2))).failure).toBeNull();
    await Array.fromAsync(next.read());
    expect(await next.begin()).toBeNull();
    expect((await old.append([numbered(3)])).failure).toBeInstanceOf(Fenced);
    expect((await next.append([numbered(4)])).failure).toBeNull();
    const batches = await Array.fromAsync(old.read());
    expect(batches.map(({ firstSeq, records }) => [firstSeq, records.length])).toEqual([
      [44, 0],
      [44, 1],
    ]);
    expect(old.position).toEqual(next.position);
    expect(await readAll()).toEqual([numbered(1), numbered(2), numbered(4)]);
  });

  test("an answer that was lost is found again by the id of the batch, whatever became of it", async () => {
    await fresh();
    const random = randomBySeed();
    const store = open();
    await store.begin();
    const publish = stream.publish.bind(stream);
    const kept: LogRecord[] = [];
    for (let number = 0; number < 40; number++) {
      const batch = [numbered(number)];
      let isLost = random() < 0.5;
      // The answer is lost behind the servers, or the request on the way to them.
      stream.publish = async (...given) => {
        const lost = isLost;
        isLost = random() < 0.3;
        if (lost && random() < 0.5) return "unknown";
        const outcome = await publish(...given);
        return lost ? "unknown" : outcome;
      };
      expect((await store.append(batch)).failure).toBeNull();
      kept.push(...batch);
    }
    stream.publish = publish;
    expect(await readAll()).toEqual(kept);
  });

  test("a late message of a node that was followed is refused: the epoch began behind it", async () => {
    await fresh();
    const [old, next] = [open(), open()];
    await old.begin();
    await Array.fromAsync(next.read());
    const late = messageOf(old, [numbered(1)]);
    const { lastMessage } = old;
    expect(await next.begin()).toBeNull();
    expect(await stream.publish(late, lastMessage)).toBe("refused");
    expect(await readAll()).toEqual([]);
  });

  test("parts of a batch that its node did not finish are passed over", async () => {
    await fresh();
    const old = open();
    await old.begin();
    const large = { ...numbered(1), properties: [["large", "x".repeat(1_500_000)]] as const };
    const { position, lastMessage } = old;
    const payload = encodeBatch([large], new SegmentStrings());
    const head = {
      id: id(),
      firstSeq: 1,
      count: 1,
      epoch: position.epoch,
      previousChecksum: position.checksum,
    };
    const incarnation = Uint8Array.fromHex(stream.start.incarnation);
    const { messages } = encodeMessages(payload, { ...head, incarnation });
    expect(messages.length).toBe(3);
    for (const [index, bytes] of messages.slice(0, 2).entries())
      expect(await stream.publish(bytes, lastMessage + index)).toBe("stored");
    const next = open();
    expect(await readAll(next)).toEqual([]);
    await next.append([numbered(2)]);
    expect(await readAll()).toEqual([numbered(2)]);
  });

  test("is refused where it does not continue: another log, a damaged message, a gap", async () => {
    await fresh();
    const store = open();
    await store.begin();
    await store.append(numberedFrom(1, 3));
    const { position } = store;
    await stream.publish(messageOf(store, [numbered(4)], "ab".repeat(16)), store.lastMessage);
    await expect(Array.fromAsync(open(position).read())).rejects.toThrow("belongs to another log");
    await fresh();
    const other = open();
    await other.begin();
    const damaged = messageOf(other, [numbered(4)]);
    damaged[80] = (damaged[80] as number) ^ 1;
    await stream.publish(damaged, other.lastMessage);
    await expect(readAll()).rejects.toThrow("message 2 of the stream is damaged");
    await stream.removeBefore(2);
    await expect(readAll()).rejects.toThrow("the stream begins with message 2, but 1 is needed");
    await expect(Array.fromAsync(open({ ...other.position, checksum: 1 }).read())).rejects.toThrow(
      "is damaged",
    );
    await fresh();
    const third = open();
    await third.begin();
    expect(await stream.publish(new Uint8Array(), third.lastMessage)).toBe("stored");
    await expect(Array.fromAsync(third.read())).rejects.toThrow("message 2 of the stream is damaged");
  });

  test("tells as soon as a message is stored", async () => {
    await fresh();
    const store = open();
    const seen = new Promise<number>((resolve) => stream.watch(resolve, () => true));
    await store.begin();
    expect(await seen).toBe(1);
  });
});
