/** A node whose state is not that of the others stops; nodes that are equal go on. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Agreement, type SaidState } from "../../src/cluster/roster/agreement.ts";
import { saidFormat } from "../../src/cluster/roster/record-level.ts";
import type { HeardNode } from "../../src/cluster/roster/roster.ts";
import type { State } from "../../src/engine/checkpoint/state.ts";
import { digestForm, digestOf } from "../../src/engine/log/state-digest.ts";
import { userChanged } from "../support/account-records.ts";
import { TestClock } from "../support/clock.ts";
import { TestCluster, type TestNode } from "../support/cluster.ts";
import { describeWith } from "../support/needs.ts";
import { load } from "../support/records.ts";
import { until } from "../support/until.ts";
import { addWebsites } from "../support/websites.ts";

describe("agreement", () => {
  const clock = new TestClock();
  let agreement: Agreement;
  beforeEach(() => {
    agreement = new Agreement(1, clock);
  });

  function heard(name: string, digests: SaidState["digests"], more: Partial<HeardNode> = {}): HeardNode {
    const state = { form: 1, digests };
    const report = { version: "1", level: 1, seq: 9, behindMs: 0, silentMs: 0, isSequencer: false };
    return { name, ...report, state, ...more };
  }
  const differsAt = (nodes: readonly HeardNode[], isSequencer = false) =>
    agreement.differsAt("own", isSequencer, nodes);

  test("what most nodes have is right, whoever sequences", () => {
    agreement.note(7, 70);
    expect(differsAt([heard("b", [[7, 70]]), heard("c", [[7, 71]], { isSequencer: true })])).toBeUndefined();
    expect(differsAt([heard("b", [[7, 71]]), heard("c", [[7, 71]])], true)).toBe(7);
    expect(differsAt([])).toBeUndefined();
  });

  test("among as many it is what the one has that sequences; where none does, nobody is wrong", () => {
    agreement.note(7, 70);
    expect(differsAt([heard("b", [[7, 71]], { isSequencer: true })])).toBe(7);
    expect(differsAt([heard("b", [[7, 71]])], true)).toBeUndefined();
    expect(differsAt([heard("b", [[7, 71]])])).toBeUndefined();
    // Each of two may think that it sequences, for a moment.
    expect(differsAt([heard("b", [[7, 71]], { isSequencer: true })], true)).toBeUndefined();
  });

  test("nodes that have not come there are waited for, and not for ever", () => {
    agreement.note(7, 70);
    const nodes = [heard("b", [[7, 71]], { isSequencer: true }), heard("c", [[6, 1]])];
    expect(differsAt(nodes)).toBeUndefined();
    expect(differsAt([nodes[0] as HeardNode, heard("c", [[7, 70]])])).toBeUndefined();
    clock.advance(12_000);
    expect(differsAt(nodes)).toBe(7);
  });

  test("digests of another form, or none, say nothing", () => {
    agreement.note(7, 70);
    const other = { form: 2, digests: [[7, 71]] } as const;
    const nodes = [heard("b", [], { state: other, isSequencer: true }), heard("c", [], { state: undefined })];
    clock.advance(60_000);
    expect(differsAt(nodes)).toBeUndefined();
    expect(agreement.said).toEqual({ form: 1, digests: [[7, 70]] });
  });

  test("a folder has one vote: a process that was started again is not counted beside the one before", () => {
    agreement.note(7, 70);
    const before = heard("c-aaaaaa", [[7, 71]], { silentMs: 9_000, isSequencer: true });
    const after = heard("c-bbbbbb", [[7, 71]]);
    // Two folders against one, and not three votes of three processes.
    expect(differsAt([heard("b", [[7, 70]]), before, after])).toBeUndefined();
    // A node that has just started has no digest yet: what the folder said before holds, but not that it sequenced.
    const fresh = heard("c-bbbbbb", []);
    expect(differsAt([heard("b", [[7, 71]]), before, fresh])).toBe(7);
    expect(differsAt([before, fresh])).toBeUndefined();
    expect(agreement.differsAt("c-bbbbbb", false, [before, heard("b", [[7, 70]])])).toBeUndefined();
  });

  test("the newest digests are kept, and this node's own report is none of another", () => {
    for (let seq = 1; seq <= 20; seq++) agreement.note(seq, seq);
    expect(agreement.said.digests.map(([seq]) => seq)).toEqual([13, 14, 15, 16, 17, 18, 19, 20]);
    expect(differsAt([heard("own", [[20, 0]], { isSequencer: true })])).toBeUndefined();
  });
});

/** Changes one value in memory, as a fault would. */
const faults: Readonly<Record<string, (state: State) => void>> = {
  "a flag of a row": ({ store }) => {
    const [chunk] = [...store.sites.get(1)!.chunks.values()];
    chunk!.flags[3]! ^= 1;
  },
  "an id of a row": ({ store }) => {
    const [chunk] = [...store.sites.get(1)!.chunks.values()];
    chunk!.ids.path.values[2]! ^= 1;
  },
  "a letter of a name": ({ store }) => {
    store.sites.get(1)!.dictionaries[0]!.since(1).bytes[0]! ^= 1;
  },
  "a number of a visit": ({ store }) => void store.sites.get(1)!.lastVisit++,
  "a count of what was refused": ({ store }) => store.rejected.add(1, 86_400_000, { crawler: 1 }),
  "an account": ({ registry }) => {
    Object.assign(registry.users.get(1)!, { username: "Ada" });
  },
};

describeWith("nats", "nodes whose states differ", () => {
  let cluster: TestCluster;
  afterEach(() => cluster?.stop());

  const stateOf = ({ engine }: TestNode): State => engine["recovered"].state;
  const digest = (node: TestNode) => digestOf(stateOf(node), node.node.appliedSeq);

  /** Which one sequences matters: none loses its lease to another because the machine is busy. */
  const open = (name: string) => cluster.open(name);

  async function start(names: readonly string[]): Promise<TestNode> {
    cluster = await TestCluster.start();
    for (const name of names) await open(name);
    const first = await cluster.sequencer();
    await addWebsites(first.engine, "a.example");
    await send(first, 50);
    await cluster.level();
    return first;
  }

  async function send({ engine }: TestNode, count: number): Promise<void> {
    const { appliedSeq } = engine;
    const records = Array.from({ length: count }, (_, at) => load(`${appliedSeq}-${at}`));
    await Promise.all(records.map((record) => engine.commit(record)));
  }

  /** Makes a checkpoint, whose record all nodes apply. Returns when the others of `nodes` have compared it. */
  async function compare(sequencer: TestNode, nodes = cluster.nodes): Promise<void> {
    await send(sequencer, 1);
    await sequencer.engine.purge();
    const newest = (node: TestNode) => node.node["options"].agreement.said.digests.at(-1)?.[0] ?? 0;
    const seq = newest(sequencer);
    const isSaid = ({ node }: TestNode) =>
      nodes.every(({ node: { name } }) => {
        const found = node.nodes.find((heard) => heard.name === name);
        return found?.state?.digests.some(([at]) => at >= seq);
      });
    await until(() => nodes.every(isSaid), "all nodes have heard all");
  }

  test.each(Object.entries(faults))("%s that differs is in the digest", async (_, falsify) => {
    const first = await start(["a"]);
    const before = digest(first);
    expect(before).toBe(digest(first) as number);
    falsify(stateOf(first));
    expect(digest(first)).not.toBe(before as number);
  });

  test("the one that differs stops and says what to do; the others go on, and a new copy takes its place", async () => {
    const first = await start(["a", "b", "c"]);
    await compare(first);
    const wrong = cluster.nodes.find((node) => node !== first) as TestNode;
    faults["an id of a row"]!(stateOf(wrong));
    await compare(first);
    const failure = await wrong.node.failed;
    expect(failure.message).toContain(`keep ${wrong.folder} to find out why, and start with an empty folder`);
    expect(wrong.node.behindMs).toBeGreaterThan(5_000);
    const name = wrong.folder.split("/").at(-1) as string;
    await cluster.close(wrong);
    expect(existsSync(join(wrong.folder, "differs"))).toBe(true);
    await expect(open(name)).rejects.toThrow("was not that of the other nodes");
    rmSync(wrong.folder, { recursive: true });
    await open(name);
    await cluster.level();
    await compare(first);
    for (const { node } of cluster.nodes) expect(node["differs"]).toBe(false);
    expect(new Set(cluster.nodes.map(digest)).size).toBe(1);
  });

  test("the one that sequences stops too, where it alone differs, and another one sequences", async () => {
    const first = await start(["a", "b", "c"]);
    faults["a letter of a name"]!(stateOf(first));
    await send(first, 1);
    await first.engine.purge();
    await first.node.failed;
    await cluster.close(first);
    const next = await cluster.sequencer();
    await send(next, 5);
    await compare(next);
    for (const { node } of cluster.nodes) expect(node["differs"]).toBe(false);
  });

  test("of two the one goes on that sequences; a node of another version is not compared", async () => {
    const first = await start(["a", "b"]);
    const other = cluster.nodes.find((node) => node !== first) as TestNode;
    await first.engine.commit(userChanged(1, { username: "bob" }));
    await compare(first);
    const said = { form: digestForm() + 1, digests: first.node["options"].agreement.said.digests };
    const report = { version: "0", level: 99, format: saidFormat, seq: 0, behindMs: 0, isSequencer: false };
    for (const name of ["older", "oldest"])
      first.connection.publish("test.nodes", JSON.stringify({ name, ...report, state: said }));
    first.connection.publish("test.nodes", JSON.stringify({ name: "odd", ...report, state: { digests: 3 } }));
    await until(() => first.node.nodes.length === 5, "all are heard");
    await compare(first);
    expect(first.node["differs"]).toBe(false);
    faults["an account"]!(stateOf(other));
    await send(first, 1);
    await first.engine.purge();
    await other.node.failed;
    expect(first.node["differs"]).toBe(false);
  });
});
