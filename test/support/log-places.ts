/**
 * The two kinds of stores of the log, each on what it runs on: segments on a disk that forgets what was not synced, and
 * a stream on a real nats-server.
 */
import { connect } from "../../src/cluster/connection/connect.ts";
import { Stream } from "../../src/cluster/stream/stream.ts";
import { Fenced, StreamStore } from "../../src/cluster/stream/stream-store.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";
import type { LogRecord } from "../../src/record/record.ts";
import type { LogStore, StreamPosition } from "../../src/wal/log-store.ts";
import { replay } from "../../src/wal/recovery.ts";
import { removeSegmentsBefore } from "../../src/wal/segment.ts";
import type { LogPort } from "../../src/wal/worker-port.ts";
import { SegmentStore } from "../../src/wal/segment-store.ts";
import { localLogPort } from "./local-ports.ts";
import { directory, folderId } from "./log-folder.ts";
import { MemoryDisk, PowerCut } from "./memory-disk.ts";
import { NatsServers } from "./nats.ts";

/** The place from which a reader goes on: a checkpoint would say it. */
export type Mark = StreamPosition | undefined;

type OnRecord = (record: LogRecord, seq: number) => void;

export interface LogPlace {
  /** Reads everything from a record on, and returns the store that goes on from there. Rejects with what is wrong. */
  open(fromSeq: number, onRecord: OnRecord, mark?: Mark): Promise<LogStore>;
  mark(store: LogStore): Mark;
  /** Lets records below `seq` go. */
  truncateBefore(seq: number): Promise<void>;
  /** Whatever holds the bytes ends at once, in the middle of the append under way, and comes back. */
  crash(): Promise<void>;
  /** Makes the next append fail. */
  fail(): Promise<void>;
  /** Ends what `fail` began. */
  mend(): Promise<void>;
  stop(): Promise<void>;
}

export function segmentPlace(random: () => number): LogPlace {
  let disk = new MemoryDisk();
  disk.makeDirectory(directory);
  let off = () => {};
  return {
    open: async (fromSeq, onRecord) => {
      const { position } = replay({ disk, directory, folderId, fromSeq, onRecord });
      const port = untilPowerCut(localLogPort(disk), () => off());
      return new SegmentStore({ directory, folderId, port, position, segmentBytesMax: 4_096 });
    },
    mark: () => undefined,
    truncateBefore: async (seq) => removeSegmentsBefore(disk, directory, seq),
    crash: async () => {
      const isOff = new Promise<void>((resolve) => (off = resolve));
      disk.cutPowerAt(1 + Math.floor(random() * 2));
      await isOff;
      disk = disk.crash(random);
    },
    fail: async () => disk.failAt({ call: 1, code: "EIO" }),
    mend: async () => {},
    stop: async () => {},
  };
}

/** A write that was under way when the power went never ends. */
function untilPowerCut(port: LogPort, off: () => void): LogPort {
  return {
    close: () => port.close(),
    write: (request) =>
      port.write(request).catch((error: unknown) => {
        if (!(error instanceof PowerCut)) throw error;
        off();
        return new Promise(() => {});
      }),
  };
}

/** Reads a stream to its end and begins an epoch there, as a node that takes over does. Rejects with what is wrong. */
export async function replayStream(
  stream: Stream,
  store: StreamStore,
  fromSeq: number,
  onRecord: OnRecord,
): Promise<void> {
  let failure: Error | null;
  do {
    const { last } = await stream.range();
    while (store.lastMessage < last)
      for await (const { firstSeq, records } of store.read())
        for (const [index, record] of records.entries())
          if (firstSeq + index >= fromSeq) onRecord(record, firstSeq + index);
    failure = await store.begin();
  } while (failure instanceof Fenced);
  if (failure !== null) throw failure;
}

export async function streamPlace(random: () => number): Promise<LogPlace> {
  const servers = await NatsServers.start();
  const [server] = servers.servers;
  const connection = await connect([servers.urls]);
  const start = { incarnation: systemRandom.bytes(16).toHex(), folderId: folderId.toHex(), baseSeq: 0 };
  const stream = await Stream.create({ connection, prefix: "test", replicas: 1 }, start);
  const patienceMs = 60_000;
  let passedMs = 0;
  const pass = () => (passedMs += 2 * patienceMs);
  // While the server is down, time passes quickly: nobody waits for it.
  const monotonicMs = () => systemClock.monotonicMs() + (server?.isRunning ? passedMs : pass());
  const options = { stream, clock: { ...systemClock, monotonicMs }, random: systemRandom };
  const opened: LogStore[] = [];
  const restart = async () => {
    await server?.kill();
    // Its owner died with it: it does not ask again.
    pass();
    for (const store of opened) await store.close();
    await server?.start();
  };
  return {
    open: async (fromSeq, onRecord, position) => {
      const store = new StreamStore({ ...options, position, patienceMs });
      opened.push(store);
      await replayStream(stream, store, fromSeq, onRecord);
      return store;
    },
    mark: (store) => (store as StreamStore).position,
    truncateBefore: (seq) => new StreamStore(options).truncateBefore(seq),
    crash: async () => {
      for (let turns = Math.floor(random() * 30); turns > 0; turns--)
        await new Promise((resolve) => setImmediate(resolve));
      await restart();
    },
    fail: async () => server?.kill(),
    mend: async () => server?.start(),
    stop: async () => {
      await connection.close();
      await servers.stop();
    },
  };
}
