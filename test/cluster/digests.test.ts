/**
 * Nodes merge and write the files of their copies whenever their own memory and disk have it: their digests are the same
 * all the same, with months that gave up their rows, after deletions, and on a node that has just read its files.
 */
import { afterEach, expect, test } from "bun:test";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { beginningOf } from "../../src/cli/cluster/backups.ts";
import { moveIn } from "../../src/cli/cluster/move-in.ts";
import { bringUp } from "../../src/cli/cluster/objects.ts";
import { connect } from "../../src/cluster/connection/connect.ts";
import { paceDefault } from "../../src/cluster/pace.ts";
import type { Stream } from "../../src/cluster/stream/stream.ts";
import { dumpLines } from "../../src/engine/dump.ts";
import type { OpenOptions } from "../../src/engine/options/options.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { chunkRowsMax } from "../../src/store/chunks/chunk-head.ts";
import { TestCluster, type TestNode } from "../support/cluster.ts";
import { goldenTop, openGolden } from "../support/golden-folder.ts";
import { longTest } from "../support/long-test.ts";
import { describeWith } from "../support/needs.ts";
import { imported } from "../support/records.ts";
import { rounds } from "../support/rounds.ts";
import { randomBySeed } from "../support/seed.ts";
import { Traffic } from "../support/traffic.ts";
import { until } from "../support/until.ts";

/** March and April are over, and have rows: the kept folder has none of February and before. */
const nowMs = Date.UTC(2026, 4, 20);
const april = Date.UTC(2026, 3, 1);
const clock = { ...systemClock, nowMs: () => nowMs };
/** Each node makes its own checkpoints at other records, and other files. */
const nodes: Readonly<Record<string, Partial<OpenOptions>>> = {
  a: { clock },
  b: { clock, checkpointRecords: 40 },
  c: { clock, checkpointRecords: 15, fileMinimums: { beaconRunMin: 20, openRowsMin: 50, basedRowsMin: 50 } },
};

function positionOf(file: string, fromPosition: number, position: number) {
  return { file, fromPosition, position, digest: "" };
}

describeWith("nats", "digests of copies that differ in their files", () => {
  let cluster: TestCluster;
  let stream: Stream;
  afterEach(() => cluster?.stop());

  const folderOf = (name: string) => join(cluster.top, name);
  const nodeOf = (name: string) => cluster.nodes.find(({ folder }) => folder === folderOf(name)) as TestNode;

  /** Brings a folder with months that gave up their rows into a cluster. */
  async function start(): Promise<void> {
    cluster = await TestCluster.start();
    const [single, objects] = [folderOf("single"), folderOf("objects")];
    cpSync(join(goldenTop, "months-1"), single, { recursive: true });
    await (await openGolden(single)).stop();
    const connection = await connect([cluster.servers.urls]);
    const own = { connection, prefix: "test", replicas: 1 };
    const moving = { folder: single, objects, stream: own, clock, random: systemRandom };
    ({ stream } = await moveIn({ ...moving, onProgress: () => {} }));
    for (const [name, options] of Object.entries(nodes)) {
      const bring = { folder: folderOf(name), objects, stream: await beginningOf(stream) };
      await (await bringUp({ ...bring, clock, logger: silentLogger }))?.all();
      await cluster.open(name, options, "test", paceDefault);
    }
    await connection.close();
  }

  async function restart(name: string): Promise<void> {
    await cluster.close(nodeOf(name));
    await cluster.open(name, nodes[name], "test", paceDefault);
  }

  /** Commits where records are appended. On a busy machine that may change meanwhile: then some of them come twice. */
  function commit(records: readonly Parameters<TestNode["engine"]["commit"]>[0][]): Promise<void> {
    return until(async () => {
      const { engine } = await cluster.sequencer();
      await Promise.all(records.map((record) => engine.commit(record)));
      return true;
    }, "the records are stored");
  }

  async function expectSame(): Promise<void> {
    expect(new Set(await cluster.digests()).size).toBe(1);
  }

  async function expectSameAtEnd(): Promise<void> {
    await cluster.level();
    const dumps = cluster.nodes.map(({ engine }) => {
      engine.check();
      return [...dumpLines(engine["recovered"].state)].join("\n");
    });
    expect(dumps).toEqual(dumps.map(() => dumps[0]!));
    for (const { node } of cluster.nodes) expect(node["differs"]).toBe(false);
  }

  /** The sizes of the chunks of April, of the first website. */
  const chunksOf = ({ engine }: TestNode) =>
    [...engine.site(1)!.chunks.values()].filter(({ monthMs }) => monthMs === april).map(({ rows }) => rows);

  test("are the same whatever is merged, dropped and read from files", async () => {
    await start();
    const random = randomBySeed();
    const traffic = new Traffic(random);
    traffic.timeMs = nowMs;
    for (const { engine } of cluster.nodes) expect(engine.site(1)!.reduced.size).toBeGreaterThan(3);
    const all = rounds(10);
    for (let round = 0; round < all; round++) {
      const records = Array.from({ length: 40 }, () => traffic.next());
      // Months are dropped in the last rounds, and those without rows first.
      await commit(records.filter(({ kind }) => round >= all / 2 || kind !== "monthsDropped"));
      const times = Array.from({ length: 30 }, () => april + Math.floor(random() * 29 * 86_400_000));
      await commit([imported(times, { timeMs: traffic.timeMs, ...positionOf(`${round}`, 0, 1) })]);
      const name = Object.keys(nodes)[Math.floor(random() * 3)] as string;
      if (round % 2 === 1) await restart(name);
      else await nodeOf(name).engine["checkpointer"].purge();
      await expectSame();
    }
    await expectSameAtEnd();
  });

  longTest("are the same with chunks of 65,536 rows, which some nodes have merged", async () => {
    await start();
    const rowsOfFile = 70_000;
    for (let file = 0; file < 2; file++)
      for (let first = 0; first < rowsOfFile; first += 1_000) {
        const times = Array.from({ length: 1_000 }, (_, at) => april + (first + at) * 30_000);
        const position = positionOf(`${file}`, first, first + 1_000);
        await commit([imported(times, { timeMs: nowMs, ...position })]);
      }
    // Hits come in chunks of at most so many rows: a larger one was merged, of two or of all of them.
    const isMerged = (node: TestNode) => chunksOf(node).some((rows) => rows > chunkRowsMax);
    await expectSame();
    // The record of that checkpoint has sealed the chunks: the next ones of this node merge them.
    await until(async () => {
      await commit([imported([nowMs], { timeMs: nowMs, ...positionOf("more", 0, 1) })]);
      await cluster.level();
      await nodeOf("c").engine.purge();
      return isMerged(nodeOf("c"));
    }, "a node has merged them");
    expect(isMerged(nodeOf("a"))).toBe(false);
    await expectSame();
    await restart("c");
    await expectSame();
    await expectSameAtEnd();
  });
});
