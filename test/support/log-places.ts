/**
 * The two kinds of stores of the log, each on what it runs on: segments on a disk that forgets what was not synced, and
 * a stream on a real nats-server.
 */
import { connect } from "../../src/cluster/connection/connect.ts";
import { Stream } from "../../src/cluster/stream/stream.ts";
import { StreamStore } from "../../src/cluster/stream/stream-store.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";
import type { LogStore, StreamPosition } from "../../src/wal/log-store.ts";
import type { LogPort } from "../../src/wal/worker-port.ts";
import { SegmentStore } from "../../src/wal/segment-store.ts";
import { localLogPort } from "./local-ports.ts";
import { directory, folderId } from "./log-folder.ts";
import { MemoryDisk, PowerCut } from "./memory-disk.ts";
import { NatsServers } from "./nats.ts";

/** The place from which a reader goes on: a checkpoint would say it. */
export type Mark = StreamPosition | undefined;

export interface LogPlace {
  /** A store of what is there. */
  open(mark?: Mark): LogStore;
  mark(store: LogStore): Mark;
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
    open: () => {
      const port = untilPowerCut(localLogPort(disk), () => off());
      return new SegmentStore({ disk, directory, folderId, port, segmentBytesMax: 4_096 });
    },
    mark: () => undefined,
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

export async function streamPlace(random: () => number): Promise<LogPlace> {
  const servers = await NatsServers.start();
  const [server] = servers.servers;
  const connection = await connect([servers.urls]);
  const start = { incarnation: systemRandom.bytes(16).toHex(), folderId: folderId.toHex(), baseSeq: 0 };
  const stream = await Stream.create({ connection, prefix: "test", replicas: 1 }, start);
  const opened: LogStore[] = [];
  const restart = async () => {
    await server?.kill();
    // Its owner died with it: it does not ask again.
    for (const store of opened) await store.close();
    await server?.start();
  };
  return {
    open: (position) => {
      const store = new StreamStore({
        stream,
        clock: systemClock,
        random: systemRandom,
        position,
        patienceMs: 100,
      });
      opened.push(store);
      return store;
    },
    mark: (store) => (store as StreamStore).position,
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
