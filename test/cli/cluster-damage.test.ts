/**
 * A message in the stream that no node can read, and a record that cannot be applied: every node stops before it and has
 * saved nothing of it, and the data comes back up to there by an explicit choice.
 */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expectSound } from "../../src/cli/cluster/move-in.ts";
import { encodeMessages } from "../../src/cluster/stream/message.ts";
import { StreamStore } from "../../src/cluster/stream/stream-store.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { encodeBatch, SegmentStrings } from "../../src/record/codec.ts";
import type { LogRecord } from "../../src/record/record.ts";
import { commitSome, machine, runBeside, view, viewsIn } from "../support/cluster-folders.ts";
import { TestCluster, type TestNode } from "../support/cluster.ts";
import { useExecutable } from "../support/executable.ts";
import { describeWith } from "../support/needs.ts";
import { dumpOf } from "../support/sound-folder.ts";

const executable = useExecutable();

describeWith("nats", "what no node can take of a stream", () => {
  let cluster: TestCluster;
  let nodes: readonly TestNode[];

  beforeEach(async () => {
    cluster = await TestCluster.start();
    mkdirSync(join(cluster.top, "objects"));
    for (const name of ["a", "b"]) await cluster.open(name);
    nodes = [...cluster.nodes];
    const { engine } = await cluster.sequencer();
    await commitSome(engine);
    await cluster.level();
  });
  afterEach(() => cluster.stop());

  const run = (words: readonly string[], folder: string, prefix?: string) =>
    runBeside(executable, cluster, words, {
      folder,
      objects: join(cluster.top, "objects"),
      ...(prefix !== undefined && { prefix }),
    });

  /** Stores a batch behind the last one, as a node does that appends. */
  async function append(records: readonly LogRecord[]): Promise<void> {
    const { stream } = (nodes[0] as TestNode).node["options"];
    const store = new StreamStore({ stream, ...machine });
    while (store.lastMessage < (await stream.range()).last) await Array.fromAsync(store.read());
    const { nextSeq, checksum, epoch } = store.position;
    const ids = { id: systemRandom.bytes(16), incarnation: Uint8Array.fromHex(stream.start.incarnation) };
    const head = { ...ids, firstSeq: nextSeq, count: records.length, epoch, previousChecksum: checksum };
    const [bytes] = encodeMessages(encodeBatch(records, new SegmentStrings()), head).messages;
    expect(await stream.publish(bytes as Uint8Array, store.lastMessage)).toBe("stored");
  }

  /** Returns why each node ended. The one that sequences notices when it appends the next batch. */
  async function ends(): Promise<string[]> {
    const { engine } = await cluster.sequencer();
    await expect(engine.commit(view("refused"))).rejects.toThrow();
    const failures = await Promise.all(nodes.map(({ node }) => node.failed));
    for (const node of nodes) await cluster.close(node);
    return failures.map(({ message }) => message);
  }

  /** Moves a folder back by the choice to lose what is not known, and then into another cluster. */
  async function expectWayBack(folder: string, views: number): Promise<void> {
    const moved = await run(["cluster", "move", "--back", "--accept-loss"], folder);
    expect([moved.exitCode, moved.output]).toEqual([0, moved.output]);
    expect(moved.output).toContain("It lacks what the stream has behind that record: ");
    expect(await viewsIn(cluster.top, folder)).toBe(views + 1);
    const into = await run(["cluster", "move"], folder, `next${views}${folder.length}`);
    expect([into.exitCode, into.errors]).toEqual([0, ""]);
  }

  test("is a stray message: everything before it is kept", async () => {
    const { connection, folder, engine } = nodes[0] as TestNode;
    const seq = engine.appliedSeq;
    connection.publish("test.log", "stray");
    await connection.flush();
    for (const failure of await ends()) {
      expect(failure).toContain("of the stream is damaged: ");
      expect(failure).toContain("'footfall cluster move --back --accept-loss'");
    }
    const before = dumpOf(folder);

    const refused = await run(["cluster", "move", "--back"], folder);
    expect(refused.exitCode).toBe(2);
    expect(refused.errors).toContain(`is damaged, so nothing behind record ${seq} can be taken`);
    expect(refused.errors).toContain(`cluster move --back --accept-loss --data ${folder}'`);
    expect(dumpOf(folder)).toEqual(before);

    await expectWayBack(folder, 5);
    expect(dumpOf(folder)).toEqual(before);
    // Without a folder, all of it comes from the stream.
    await expectWayBack(join(cluster.top, "new"), 5);
    const alone = await run(["cluster", "move", "--accept-loss"], folder, "third");
    expect([alone.exitCode, alone.errors]).toEqual([2, expect.stringContaining("is for --back")]);
  });

  test("is an empty message, too: nodes do not take it for the end of the stream", async () => {
    const { connection } = nodes[0] as TestNode;
    connection.publish("test.log", "");
    await connection.flush();
    for (const failure of await ends()) expect(failure).toContain("of the stream is damaged: ");
  });

  test("is a record that cannot be applied: no node saves it, and the records before it in its batch are kept", async () => {
    const names = [{ kind: "path", hashes: "no base64!" }];
    const spoilt: LogRecord = { kind: "namesFolded", timeMs: systemClock.nowMs(), websiteId: 1, names };
    await append([view("before"), view("before too"), spoilt, view("behind")]);
    for (const failure of await ends()) {
      expect(failure).toContain("could not be applied");
      expect(failure).toContain("'footfall cluster move --back --accept-loss'");
    }
    const folders = nodes.map(({ folder }) => folder) as [string, string];
    for (const folder of folders) expectSound(folder);
    // The next start finds it again.
    const again = await cluster.open("a");
    expect((await again.node.failed).message).toContain("could not be applied");
    await cluster.close(again);

    const refused = await run(["cluster", "move", "--back"], folders[0]);
    expect(refused.exitCode).toBe(2);
    expect(refused.errors).toContain("could not be applied");
    expect(refused.errors).toContain("so nothing behind record 9 can be taken");

    await expectWayBack(folders[0], 7);
  });
});
