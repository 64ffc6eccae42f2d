/** A copy whose state was not that of the other nodes stays as it is, also when the stream has passed it. */
import { afterEach, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beginningOf, startClusterBackups } from "../../src/cli/cluster/backups.ts";
import { commitSome, openServer, runBeside, view } from "../support/cluster-folders.ts";
import { TestCluster, type TestNode } from "../support/cluster.ts";
import { useExecutable } from "../support/executable.ts";
import { describeWith } from "../support/needs.ts";
import { filesIn } from "../support/sound-folder.ts";
import { until } from "../support/until.ts";

function contentOf(folder: string): Record<string, string> {
  return Object.fromEntries(
    filesIn(folder).map((name) => [name, readFileSync(join(folder, name), "base64")]),
  );
}

const executable = useExecutable();

describeWith("nats", "a copy that differs", () => {
  let cluster: TestCluster;
  afterEach(() => cluster?.stop());

  test("is neither replaced by a backup at the next start nor moved back", async () => {
    cluster = await TestCluster.start();
    const { engine, folder: own, node } = await cluster.open("a");
    await until(() => node.isSequencer, "it appends");
    await commitSome(engine);
    const other = await cluster.open("b");
    const { folder } = other;
    await cluster.level();
    await cluster.close(other);
    const { appliedSeq } = engine;
    writeFileSync(join(folder, "differs"), "b\n");
    const before = contentOf(folder);
    const objects = join(own, "..", "objects");
    const { stream } = node["options"];
    const made = { folder: own, objects, engine, stream, isOn: () => true };
    const backups = startClusterBackups({ ...made, everyMs: 1 });
    await until(async () => {
      await engine.commit(view("later"));
      await backups.round();
      return (await beginningOf(stream)).firstSeq > appliedSeq + 1;
    }, "the stream has passed the copy");
    await backups.stop();

    await expect(openServer(cluster.servers, folder, { objects })).rejects.toThrow(
      "was not that of the other nodes",
    );
    expect(contentOf(folder)).toEqual(before);
    await cluster.close(cluster.nodes[0] as TestNode);
    const moved = await runBeside(executable, cluster, ["cluster", "move", "--back"], { folder, objects });
    expect(moved.exitCode).toBe(2);
    expect(moved.errors).toContain(`keep ${folder} to find out why`);
    expect(contentOf(folder)).toEqual(before);
  });
});
