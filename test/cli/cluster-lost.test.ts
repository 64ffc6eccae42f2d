/**
 * The way back from a stream that is lost: the folder of any node, and any backup of the cluster, becomes that of a single
 * machine with all that it has, and a new cluster begins with that.
 */
import { afterEach, expect, test } from "bun:test";
import { cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beginningOf, startClusterBackups } from "../../src/cli/cluster/backups.ts";
import { bringUp, type StreamBeginning } from "../../src/cli/cluster/objects.ts";
import { connect } from "../../src/cluster/connection/connect.ts";
import { Stream } from "../../src/cluster/stream/stream.ts";
import { placeOfCopy } from "../../src/engine/opening/shared-folder.ts";
import { systemDisk } from "../../src/lib/disk/disk.ts";
import { commitSome, machine, runBeside, view, viewsIn } from "../support/cluster-folders.ts";
import { TestCluster, type TestNode } from "../support/cluster.ts";
import { useExecutable } from "../support/executable.ts";
import { describeWith } from "../support/needs.ts";
import { dumpOf, filesIn } from "../support/sound-folder.ts";

const executable = useExecutable();

describeWith("nats", "a stream that is lost", () => {
  let cluster: TestCluster;
  afterEach(() => cluster?.stop());

  const at = (name: string) => join(cluster.top, name);

  const run = (words: readonly string[], folder: string, objects = at("objects")) =>
    runBeside(executable, cluster, words, { folder, objects });

  const moveBack = (folder: string) => run(["cluster", "move", "--back"], folder);

  /** Two nodes with page views, of which a backup has the first ones. Returns the folders of both, which are stopped. */
  async function startAndStop(): Promise<readonly [string, string]> {
    cluster = await TestCluster.start();
    mkdirSync(at("objects"));
    const nodes: TestNode[] = [];
    for (const name of ["a", "b"]) nodes.push(await cluster.open(name));
    const [one, other] = nodes as [TestNode, TestNode];
    const { engine, folder } = await cluster.sequencer();
    await commitSome(engine);
    const { stream } = one.node["options"];
    const backups = startClusterBackups({
      folder,
      objects: at("objects"),
      engine,
      stream,
      isOn: () => true,
      everyMs: 1,
    });
    await backups.round();
    await backups.stop();
    for (let number = 0; number < 5; number++) await engine.commit(view(`late-${number}`));
    await cluster.level();
    await cluster.close(one);
    await cluster.close(other);
    return [one.folder, other.folder];
  }

  async function beginning(): Promise<StreamBeginning> {
    const connection = await connect(cluster.servers.urls.split(","));
    try {
      return await beginningOf((await Stream.open({ connection, prefix: "test", replicas: 1 })) as Stream);
    } finally {
      await connection.close();
    }
  }

  test("loses nothing that a node's folder has: it is a single machine's, and begins a new cluster", async () => {
    const [folder, other] = await startAndStop();
    await cluster.servers.loseStreams();
    await expect(cluster.open("a")).rejects.toThrow("'footfall cluster move --back'");
    const before = dumpOf(folder);
    expect(before).toEqual(dumpOf(other));

    const moved = await moveBack(folder);
    expect([moved.exitCode, moved.errors]).toEqual([0, ""]);
    expect(moved.output).toContain("with everything up to record");
    expect(moved.output).toContain("these servers of NATS have no stream with the prefix test");
    expect(dumpOf(folder)).toEqual(before);
    expect(await viewsIn(cluster.top, folder)).toBe(11);

    const into = await run(["cluster", "move"], folder);
    expect([into.exitCode, into.errors]).toEqual([0, ""]);
    expect(into.output).toContain(`start its first node on ${folder}, `);
    for (const name of ["c", "d"]) {
      const stream = await beginning();
      const fresh = join(folder, "..", name);
      await (await bringUp({ folder: fresh, objects: at("objects"), stream, ...machine }))?.all();
      const node = await cluster.open(name);
      expect(node.engine.site(1)?.rows).toBe(10);
    }
    await (await cluster.sequencer()).engine.commit(view("new"));
    await cluster.level();
    expect(cluster.nodes.map(({ engine }) => engine.site(1)?.rows)).toEqual([11, 11]);
    for (const node of [...cluster.nodes]) await cluster.close(node);

    // The stream of that name is another one now, and the folder of the other node has all that it had.
    await expect(cluster.open("b")).rejects.toThrow("'footfall cluster move --back'");
    const late = await moveBack(other);
    expect([late.exitCode, late.errors]).toEqual([0, ""]);
    expect(late.output).toContain("have another stream with the prefix test");
    expect(await viewsIn(cluster.top, other)).toBe(11);
  });

  test("loses what came after the newest backup, if that is all that is left", async () => {
    await startAndStop();
    await cluster.servers.loseStreams();
    const [incarnation = ""] = readdirSync(at("objects"));
    const restored = at("restored");
    const restore = await run(["restore", join(at("objects"), incarnation)], restored);
    expect([restore.exitCode, restore.errors]).toEqual([0, ""]);
    const before = dumpOf(restored);

    // No node would take a backup of it.
    const refused = await run(["cluster", "move"], restored);
    expect(refused.exitCode).toBe(2);
    expect(refused.errors).toContain("is a node's copy of another stream");
    expect(refused.errors).toContain(`cluster move --back --data ${restored}'`);

    const moved = await moveBack(restored);
    expect([moved.exitCode, moved.errors]).toEqual([0, ""]);
    expect(dumpOf(restored)).toEqual(before);
    expect(await viewsIn(cluster.top, restored)).toBe(6);
    const into = await run(["cluster", "move"], restored);
    expect([into.exitCode, into.errors]).toEqual([0, ""]);
  });

  test("or of which a copy is damaged: it is repaired as the folder of a single machine, and no node starts from it", async () => {
    const [folder] = await startAndStop();
    for (const name of filesIn(folder).filter((file) => file.endsWith(".site")))
      writeFileSync(join(folder, name), "damaged");
    const told = await run(["repair"], folder);
    expect(told.exitCode).toBe(3);
    expect(told.output).toContain("is a node's copy: start the node with an empty folder");
    expect(placeOfCopy(systemDisk, folder)).toBeDefined();

    const repaired = await run(["repair", "--accept-loss"], folder);
    expect([repaired.exitCode, repaired.errors]).toEqual([0, ""]);
    expect(repaired.output).toContain("It is the folder of a single machine now");
    await expect(cluster.open("a")).rejects.toThrow("it is no copy of what the cluster began with");
    expect(await viewsIn(cluster.top, folder)).toBe(1);
  });

  test("leaves a damaged copy as it is, and says what to name where there is none", async () => {
    const [folder, other] = await startAndStop();
    await cluster.servers.loseStreams();
    const damaged = at("damaged");
    cpSync(folder, damaged, { recursive: true });
    const state = filesIn(damaged).findLast((name) => name.endsWith(".state")) as string;
    writeFileSync(join(damaged, state), "damaged");
    const files = filesIn(damaged);
    const refused = await moveBack(damaged);
    expect(refused.exitCode).toBe(2);
    expect(refused.errors).toContain("is damaged, and was left as it is");
    expect(filesIn(damaged)).toEqual(files);

    const repaired = await run(["repair", "--accept-loss"], damaged);
    expect([repaired.exitCode, repaired.errors]).toEqual([0, ""]);
    expect((await moveBack(damaged)).errors).toContain("starts without --nats");

    const none = await moveBack(at("none"));
    expect(none.exitCode).toBe(2);
    expect(none.errors).toContain("name the folder of a node with --data, or one that");
    expect((await moveBack(other)).exitCode).toBe(0);
    const again = await moveBack(other);
    expect(again.exitCode).toBe(2);
    expect(again.errors).toContain("starts without --nats");
  });
});
