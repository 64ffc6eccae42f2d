/**
 * The nodes of a cluster against the naive model: random traffic through all of them, random questions to all of them over
 * HTTP, and every answer the model's; nodes stop and start in between, also the one that sequences. `FOOTFALL_ROUNDS` asks
 * more.
 */
import { afterEach, expect, test } from "bun:test";
import { NodeLink } from "../../src/cluster/forwarding/node-link.ts";
import { paceDefault } from "../../src/cluster/pace.ts";
import { Peers } from "../../src/cluster/forwarding/peers.ts";
import type { Outcome } from "../../src/core/outcome.ts";
import { Refusal } from "../../src/core/refusal.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { type App } from "../../src/http/app.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { deletesStatistics } from "../../src/record/traits.ts";
import { hashOf, newToken } from "../../src/accounts/token.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { sessionStarted, userAdded, websiteAdded } from "../support/account-records.ts";
import { TestCluster, type TestNode } from "../support/cluster.ts";
import { appOf } from "../support/http.ts";
import { modelAnswer } from "../support/model-answers.ts";
import { Model, type TrafficRecord } from "../support/model.ts";
import { describeWith } from "../support/needs.ts";
import { Questions, urlOf, withListsJoined } from "../support/questions.ts";
import { someone } from "../support/records.ts";
import { rounds } from "../support/rounds.ts";
import { randomBySeed } from "../support/seed.ts";
import { Traffic, trafficStartMs, websiteIds } from "../support/traffic.ts";

const hostnames = ["one.example", "two.example"];
const names = ["a", "b", "c"];
const records = rounds(600, 240);
const questions = rounds(30, 12);
const pastMs = 91 * 86_400_000;
const sender = { ...someone, isPeerTrusted: false };

/** A node with its routes, its way to the others, and the outcomes of the traffic that its copy has applied. */
interface Server extends TestNode {
  readonly outcomes: readonly Outcome[];
  readonly peers: Peers;
  readonly app: App;
}

/** Commits a record; one that deletes statistics while no checkpoint is under way, as the engine does with its own. */
function logged(engine: RunningEngine, record: TrafficRecord): Promise<Outcome> {
  const commit = () => engine.commit(record);
  return deletesStatistics(record) ? engine["checkpointer"].between(commit) : commit();
}

describeWith("nats", "a cluster against the model", () => {
  let cluster: TestCluster;
  const servers = new Map<string, Server>();
  const token = newToken(systemRandom);
  let nowMs = 0;
  /** Websites with more rows are asked in the Worker. */
  let smallRows = Infinity;
  afterEach(async () => {
    for (const name of [...servers.keys()]) await close(name);
    await cluster?.stop();
  });

  async function open(name: string): Promise<void> {
    const clock = { ...systemClock, nowMs: () => nowMs };
    const options = { clock, checkpointRecords: 40, smallRows };
    const node = await cluster.open(name, options, "test", { ...paceDefault, roundMs: 100 });
    const peers = new Peers(new NodeLink(node.node, "test", systemClock));
    const { engine } = node;
    const outcomes: Outcome[] = [];
    const { state } = engine["recovered"];
    const apply = state.apply.bind(state);
    state.apply = (given) => {
      const outcome = apply(given);
      if (given.kind !== "checkpoint") outcomes.push(outcome);
      return outcome;
    };
    const app = appOf(engine, { cluster: peers });
    const commit = async (request: Request) => {
      const record = (await request.json()) as TrafficRecord;
      try {
        return Response.json(await logged(engine, record));
      } catch (error) {
        return new Response(String(error), { status: 500 });
      }
    };
    peers.serve({ api: commit, control: commit, hits: app.hitForwarded }, silentLogger);
    servers.set(name, { ...node, peers, app, outcomes });
  }

  async function close(name: string): Promise<void> {
    const server = servers.get(name) as Server;
    servers.delete(name);
    await server.peers.stop();
    await cluster.close(cluster.nodes.find(({ node }) => node === server.node) as TestNode);
  }

  async function restart(name: string): Promise<void> {
    await close(name);
    await open(name);
  }

  function oneOf(random: () => number): Server {
    return [...servers.values()][Math.floor(random() * servers.size)] as Server;
  }

  /** Waits for a node that sequences, and for all of them to have everything. */
  async function settled(): Promise<void> {
    await cluster.sequencer();
    await cluster.level();
  }

  /**
   * Commits a record by way of any node. On a busy machine a lease may lapse: whoever hears that it may have been stored
   * or not looks at what its copy has then, and sends it again if it was not.
   */
  async function commitAt(server: Server, record: TrafficRecord): Promise<Outcome> {
    for (;;) {
      const before = server.outcomes.length;
      try {
        return await sendBy(server, record);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
      }
      await settled();
      if (server.outcomes.length > before) return server.outcomes.at(-1) as Outcome;
    }
  }

  async function sendBy({ node, engine, peers }: Server, record: TrafficRecord): Promise<Outcome> {
    if (node.isSequencer) return logged(engine, record);
    const body = JSON.stringify(record);
    const request = new Request("http://localhost/", { method: "POST", body });
    const answer = await peers.forward(request, { target: "api", sender, onProgress: () => {} });
    if (!answer.ok) throw new Refusal(500, await answer.text());
    return (await answer.json()) as Outcome;
  }

  async function askAll(model: Model, traffic: Traffic, random: () => number): Promise<void> {
    await settled();
    const asked = new Questions(random, { startMs: trafficStartMs - pastMs, endMs: traffic.timeMs });
    for (let count = 0; count < questions; count++) {
      const question = withListsJoined(asked.next());
      const websiteId = random() < 0.8 ? 1 : 2;
      const url = urlOf(hostnames[websiteId - 1] as string, question);
      // Lists know the time to the second, and count to its end.
      const askedMs = question.kind === "summary" ? nowMs : Math.floor(nowMs / 1_000) * 1_000 + 999;
      const expected = modelAnswer(model, websiteId, question, askedMs);
      for (const [name, { app }] of servers) {
        const headers = { cookie: `_me_sess=${token}` };
        const answer = await (await app.fetch(new Request(`http://localhost${url}`, { headers }))).json();
        if (!Bun.deepEquals(answer, expected)) console.log(`different at ${name}: ${url}`);
        expect(answer).toEqual(expected);
      }
    }
  }

  test("random questions to all nodes have the answers of the model", async () => {
    const random = randomBySeed();
    const traffic = new Traffic(random);
    const model = new Model(websiteIds);
    nowMs = traffic.timeMs;
    smallRows = random() < 0.5 ? Infinity : 100;
    cluster = await TestCluster.start();
    for (const name of names) await open(name);
    const { engine } = await cluster.sequencer();
    const at = { timeMs: nowMs };
    await engine.commit({ ...userAdded(1, "ada"), ...at });
    await engine.commit(sessionStarted("s1", { ...at, tokenHash: hashOf(token) }));
    for (const websiteId of websiteIds)
      await engine.commit({
        ...websiteAdded(websiteId, hostnames[websiteId - 1] as string),
        ...at,
        visits: true,
      });
    for (let count = 0; count < records; count++) {
      const record = traffic.next();
      nowMs = Math.max(nowMs, traffic.timeMs);
      const expected = model.apply(record);
      const got = await commitAt(oneOf(random), record);
      expect(got).toBe(expected);
      if (count % 80 === 79) await askAll(model, traffic, random);
      if (count % 70 === 69) await restart(names[Math.floor(random() * names.length)] as string);
      if (count === 120) {
        const sequencer = await cluster.sequencer();
        await restart([...servers].find(([, { node }]) => node === sequencer.node)?.[0] as string);
      }
    }
    await askAll(model, traffic, random);
    expect(new Set(await cluster.digests()).size).toBe(1);
    for (const { engine: own, node } of servers.values()) {
      own.check();
      // Their states were compared at all times, and none differed.
      expect(node["differs"]).toBe(false);
    }
  });
});
