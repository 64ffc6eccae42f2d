/**
 * The data of a single machine comes into a cluster, is the same there, and comes back; whatever is wrong, there is no
 * cluster then. A node starts from the backups of another one, and the stream lets go what they have.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { NatsConnection } from "@nats-io/transport-node";
import { beginningOf, startClusterBackups } from "../../src/cli/cluster/backups.ts";
import { leaveStream, moveBack } from "../../src/cli/cluster/move-back.ts";
import { expectSound, moveIn } from "../../src/cli/cluster/move-in.ts";
import { bringUp } from "../../src/cli/cluster/objects.ts";
import { connect } from "../../src/cluster/connection/connect.ts";
import { StreamStore } from "../../src/cluster/stream/stream-store.ts";
import { Stream } from "../../src/cluster/stream/stream.ts";
import { openEngine } from "../../src/engine/opening/open.ts";
import { expectCopy, placeOfCopy } from "../../src/engine/opening/shared-folder.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemDisk } from "../../src/lib/disk/disk.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { isManifest } from "../../src/snapshot/manifest.ts";
import type { StreamPosition } from "../../src/wal/log-store.ts";
import { machine, openServer, view } from "../support/cluster-folders.ts";
import { useFolder } from "../support/folder.ts";
import { longTest } from "../support/long-test.ts";
import { NatsServers } from "../support/nats.ts";
import { describeWith } from "../support/needs.ts";
import { openFolder } from "../support/open-folder.ts";
import { dumpOf, filesIn, makeSoundFolder } from "../support/sound-folder.ts";
import { until } from "../support/until.ts";
import { addWebsites } from "../support/websites.ts";

const top = useFolder();
const folder = join(top, "data");
const objects = join(top, "objects");
let nats: NatsServers;
let connection: NatsConnection;

interface Copy {
  readonly engine: RunningEngine;
  readonly store: StreamStore;
}

async function openCopy(path: string, stream: Stream): Promise<Copy> {
  let store: StreamStore | undefined;
  const open = (position: StreamPosition) => (store = new StreamStore({ stream, ...machine, position }));
  const engine = await openEngine({
    folder: path,
    ...machine,
    shared: { ...stream.start, open, mayTake: () => undefined },
  });
  return { engine, store: store as unknown as StreamStore };
}

async function follow({ engine, store }: Copy, stream: Stream): Promise<void> {
  const { last } = await stream.range();
  while (store.lastMessage < last) for await (const batch of store.read()) await engine.follow(batch);
}

describeWith("nats", "the data of a single machine", () => {
  beforeAll(async () => {
    [nats] = await Promise.all([NatsServers.start(), makeSoundFolder(folder)]);
    connection = await connect([nats.urls]);
  });
  afterAll(async () => {
    await connection.close();
    await nats.stop();
  });

  const streamOf = (prefix: string) => ({ connection, prefix, replicas: 1 });
  const moving = (prefix: string) => ({
    objects,
    stream: streamOf(prefix),
    clock: systemClock,
    random: systemRandom,
  });
  const move = (from: string, prefix: string) =>
    moveIn({ folder: from, ...moving(prefix), onProgress: () => {} });

  test("is what a new node starts from, and the stream goes on behind it", async () => {
    const { stream, list } = await move(folder, "moved");
    const { start } = (await Stream.open(streamOf("moved"))) as Stream;
    expect(start).toEqual({ ...stream.start, folderId: list.folderId, baseSeq: list.seq });
    const fresh = join(top, "fresh");
    await (
      await bringUp({ folder: fresh, objects, stream: { ...start, firstSeq: start.baseSeq + 1 }, ...machine })
    )?.all();
    expect(dumpOf(fresh)).toEqual(dumpOf(folder));
    // One of them is enough.
    await expect(move(folder, "moved")).rejects.toThrow("its stream, moved-log, if nobody");
  });

  test("is never replaced by a backup of a cluster that it is none of", async () => {
    const { list } = await move(folder, "theirs");
    const own = join(top, "elsewhere");
    const engine = await openFolder(own, { clock: systemClock, random: systemRandom });
    await addWebsites(engine, "own.example");
    await engine.stop();
    expect(engine.appliedSeq).toBeLessThan(list.seq);
    const before = dumpOf(own);
    // The stream begins behind its last record, as it does for a copy that was away for long.
    const asNode = openServer(nats, own, { objects, prefix: "theirs" });
    await expect(asNode).rejects.toThrow("elsewhere is not of this cluster: choose an empty folder");
    const back = moveBack({ folder: own, ...moving("theirs"), logger: silentLogger });
    await expect(back).rejects.toThrow("elsewhere is not of this cluster");
    // It was moved in, and went on as a single machine.
    const gone = join(top, "gone");
    cpSync(folder, gone, { recursive: true });
    const alone = await openEngine({ folder: gone, ...machine });
    await alone.commit(view("alone"));
    const killed = join(top, "killed");
    cpSync(gone, killed, { recursive: true });
    await alone.stop();
    const late = openServer(nats, gone, { objects, prefix: "theirs" });
    await expect(late).rejects.toThrow("it is no copy of what the cluster began with");
    // Its log alone has what it counted then.
    const { start } = (await Stream.open(streamOf("theirs"))) as Stream;
    expect(() => expectCopy(systemDisk, killed, start)).toThrow("killed has a log of its own up to record");
    expectCopy(systemDisk, folder, start);
    expect(dumpOf(own)).toEqual(before);
    // Nobody can say whose data it has once its manifests are damaged. A copy of another cluster has no log, either.
    rmSync(join(own, "wal"), { recursive: true });
    for (const name of readdirSync(own).filter(isManifest)) truncateSync(join(own, name), 20);
    const files = readdirSync(own, { recursive: true }).sort();
    await expect(openServer(nats, own, { objects, prefix: "theirs" })).rejects.toThrow(
      "elsewhere has checkpoints, but none whose manifest can be read",
    );
    expect(readdirSync(own, { recursive: true }).sort()).toEqual(files);
  });

  longTest("goes on in the stream, which lets go what the backups have, and comes back", async () => {
    const { stream } = await move(folder, "whole");
    const [first, second, back] = ["first", "second", "back"].map((name) => join(top, name)) as [
      string,
      string,
      string,
    ];
    await (await bringUp({ folder: first, objects, stream: await beginningOf(stream), ...machine }))?.all();
    const one = await openCopy(first, stream);
    expect(await one.store.begin()).toBe(null);
    one.engine.beginAppending();
    const everyMs = 1;
    const schedule = startClusterBackups({
      folder: first,
      objects,
      ...one,
      stream,
      isOn: () => true,
      everyMs,
    });
    let firstSeq = 0;
    for (let round = 0; round < 3; round++) {
      for (let at = 0; at < 3; at++) await one.engine.commit(view(`${round}-${at}`));
      const before = firstSeq;
      await schedule.round();
      await until(async () => {
        ({ firstSeq } = await beginningOf(stream));
        return round === 0 || firstSeq > before;
      }, "the stream lets go what the backup before has");
      // Also a copy that is being served is one that `check` reads.
      expectSound(first);
    }
    await schedule.stop();
    await one.engine.commit(view("last"));
    // Its copy would end before the stream begins: the backup is not that of the folder that was moved.
    await (await bringUp({ folder: second, objects, stream: await beginningOf(stream), ...machine }))?.all();
    const two = await openCopy(second, stream);
    await follow(two, stream);
    expect(two.engine.health().records).toBe(one.engine.health().records);
    await Promise.all([one.engine.stop(), two.engine.stop()]);
    expect(dumpOf(second)).toEqual(dumpOf(first));
    expectSound(second);

    const { seq, lacks } = await moveBack({ folder: back, ...moving("whole"), logger: silentLogger });
    expect(lacks).toBe(undefined);
    expect(seq).toBeGreaterThanOrEqual(stream.start.baseSeq + 10);
    expect(dumpOf(back)).toEqual(dumpOf(first));
    const engine = await openEngine({ folder: back, ...machine });
    await engine.commit(view("alone"));
    await engine.stop();
    expectSound(back);
    await expect(openEngine({ folder: second, ...machine })).rejects.toThrow("is a node's copy");
    expect(() => leaveStream(back)).toThrow("is no node's copy");
  });

  test("goes on at once in the folder that was moved in: nothing of it is fetched", async () => {
    const own = join(top, "own");
    await makeSoundFolder(own);
    const { stream, list } = await move(own, "own");
    for (const count of [1, 2]) {
      const server = await openServer(nats, own, { prefix: "own" });
      expect(server.engine.appliedSeq).toBeGreaterThanOrEqual(list.seq);
      await until(() => server.node.isSequencer, "it sequences");
      await server.engine.commit(view(`own-${count}`));
      await server.stop();
    }
    expect(placeOfCopy(systemDisk, own)?.incarnation).toBe(stream.start.incarnation);
    expectSound(own);
  });

  test("comes back only from a whole copy: a damaged one stays that of a node", async () => {
    const { stream } = await move(folder, "back");
    const copy = join(top, "copy");
    await (await bringUp({ folder: copy, objects, stream: await beginningOf(stream), ...machine }))?.all();
    const { engine, store } = await openCopy(copy, stream);
    expect(await store.begin()).toBe(null);
    engine.beginAppending();
    await engine.commit(view("appended"));
    await engine.stop();
    const before = dumpOf(copy);
    const chunk = join(copy, filesIn(copy).find((name) => name.endsWith(".chunk")) as string);
    const bytes = readFileSync(chunk);
    writeFileSync(chunk, bytes.with(bytes.length - 1, (bytes.at(-1) as number) ^ 1));
    const back = { folder: copy, ...moving("back"), logger: silentLogger };
    await expect(moveBack(back)).rejects.toThrow("is damaged, and was left as it is");
    expect(placeOfCopy(systemDisk, copy)).toBeDefined();
    writeFileSync(chunk, bytes);
    await moveBack(back);
    await expect(moveBack(back)).rejects.toThrow("and starts without --nats");
    expect(dumpOf(copy)).toEqual(before);
    expect(placeOfCopy(systemDisk, copy)).toBeUndefined();
  });

  test("makes no cluster if it is damaged", async () => {
    const damaged = join(top, "damaged");
    await makeSoundFolder(damaged);
    const chunk = filesIn(damaged).find((name) => name.endsWith(".chunk")) as string;
    writeFileSync(join(damaged, chunk), "damaged");
    await expect(move(damaged, "damaged")).rejects.toThrow("is damaged, and was left as it is");
    expect(await Stream.open(streamOf("damaged"))).toBe(undefined);
  });
});
