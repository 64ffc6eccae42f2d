/** A stream that has no room: hits are refused at once, with the servers' reason, and taken again when there is room. */
import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { jetstreamManager, type JetStreamManager } from "@nats-io/jetstream";
import { backupMaker, startClusterBackups } from "../../src/cli/cluster/backups.ts";
import { NotTaken } from "../../src/cluster/stream/not-taken.ts";
import { OutcomeUnknown, StreamFull, StreamStore } from "../../src/cluster/stream/stream-store.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { userAdded, websiteAdded } from "../support/account-records.ts";
import { TestCluster, waitForAnswers, type TestNode } from "../support/cluster.ts";
import { numbered } from "../support/log-folder.ts";
import { describeWith } from "../support/needs.ts";
import { until } from "../support/until.ts";

const stream = "test-log";

describeWith("nats", "a stream without room", () => {
  let cluster: TestCluster;
  afterEach(() => cluster?.stop());

  async function bound({ streams }: JetStreamManager): Promise<void> {
    const { state } = await streams.info(stream);
    await streams.update(stream, { max_bytes: state.bytes + 300 });
  }

  const unbound = ({ streams }: JetStreamManager) => streams.update(stream, { max_bytes: -1 });

  test.each([1, 3])(
    "refuses at once, and its node goes on when there is room (servers: %d)",
    async (count) => {
      cluster = await TestCluster.start({ count });
      const told: unknown[] = [];
      const silent = { debug: () => {}, info: () => {}, warn: () => {} };
      const logger = { ...silent, error: (text: string, more?: object) => void told.push([text, more]) };
      const first = await cluster.open("a", { logger });
      waitForAnswers(first.connection);
      await until(() => first.node.isSequencer, "it appends");
      await first.engine.commit(userAdded(1, "ada"));
      const other: TestNode = await cluster.open("b");
      const manager = await jetstreamManager(first.connection);
      await bound(manager);
      // A batch without an answer would wait for a minute.
      const add = (number: number) => first.engine.commit(websiteAdded(number, `${number}.example`));
      let stored = 0;
      let refusal: unknown;
      for (; refusal === undefined; stored += refusal === undefined ? 1 : 0)
        refusal = await add(stored + 1).then(
          () => undefined,
          (error: unknown) => error,
        );
      expect(refusal).toMatchObject({ code: 500, retryAfterS: 5 });
      expect(told).toEqual([
        [
          "hits and changes are refused: NATS does not take them",
          { error: "the servers of NATS have no room: maximum bytes exceeded" },
        ],
      ]);
      await expect(add(stored + 1)).rejects.toMatchObject({ code: 500 });
      expect(first.node.isSequencer).toBe(true);
      expect(first.engine.health()).toMatchObject({ takesHits: false, hasRoom: true });
      const says = () => first.node.nodes.find(({ name }) => name === first.node.name)?.trouble;
      await until(() => says() === "NATS does not take hits and changes", "it says so");
      await unbound(manager);
      await until(async () => (await add(stored + 1)) === "done", "there is room again");
      expect(first.engine.health().takesHits).toBe(true);
      await cluster.level();
      expect(other.engine.registry.websites.size).toBe(stored + 1);
      expect(first.node.isSequencer).toBe(true);
    },
  );

  test("has room again when two backups have what is in it", async () => {
    cluster = await TestCluster.start();
    const { node, engine, folder } = await cluster.open("a");
    await until(() => node.isSequencer, "it appends");
    await engine.commit(userAdded(1, "ada"));
    for (let number = 1; number <= 20; number++)
      await engine.commit(websiteAdded(number, `${number}.example`));
    const { streams } = await jetstreamManager(node.connection);
    const { state } = await streams.info(stream);
    await streams.update(stream, { max_bytes: state.bytes });
    const add = () => engine.commit(websiteAdded(21, "21.example"));
    await expect(add()).rejects.toMatchObject({ code: 500 });
    const own = node["options"].stream;
    const made = { folder, objects: join(folder, "../objects"), engine, stream: own, isOn: () => true };
    const backups = startClusterBackups({ ...made, everyMs: 1 });
    for (let round = 0; round < 3; round++) await backups.round();
    await until(async () => (await own.range()).first > 1, "the stream let go what the backups have");
    await until(async () => (await add()) === "done", "there is room again");
    await backups.stop();
    const { seq, release } = await engine.pinFiles();
    release();
    expect(seq).toBe(engine.appliedSeq - 1);
  });

  test("has room again by the backups of a node that cannot begin to sequence", async () => {
    cluster = await TestCluster.start();
    const { node, engine, connection } = await cluster.open("a");
    await until(() => node.isSequencer, "it appends");
    await engine.commit(userAdded(1, "ada"));
    for (let number = 1; number <= 20; number++)
      await engine.commit(websiteAdded(number, `${number}.example`));
    const other: TestNode = await cluster.open("b");
    let ms = 0;
    const clock = { ...systemClock, monotonicMs: () => ms };
    const isOnBeside = backupMaker(other.node, clock);
    await until(() => other.node.nodes.some(({ isSequencer }) => isSequencer), "it is heard");
    expect(isOnBeside()).toBe(false);
    ms += 60_000;
    expect(isOnBeside()).toBe(false);

    await cluster.close(other);
    const { streams } = await jetstreamManager(connection);
    const { state } = await streams.info(stream);
    await streams.update(stream, { max_bytes: state.bytes });
    await cluster.close(cluster.nodes[0] as TestNode);
    const again = await cluster.open("a");
    const isOn = backupMaker(again.node, clock);
    expect(isOn()).toBe(false);
    ms += 60_000;
    await until(isOn, "it makes backups");
    expect(again.node.isSequencer).toBe(false);
    const { folder, engine: own } = again;
    const made = { folder, objects: join(folder, "../objects"), engine: own, isOn };
    const backups = startClusterBackups({ ...made, stream: again.node["options"].stream, everyMs: 1 });
    await until(async () => {
      await backups.round();
      return again.node.isSequencer;
    }, "there is room again, and it sequences");
    await backups.stop();
    await until(async () => (await own.commit(websiteAdded(21, "21.example"))) === "done", "it appends");
  });

  test("says only of a message that was sent once that it is not stored", async () => {
    cluster = await TestCluster.start();
    const { node, connection } = await cluster.open("a");
    waitForAnswers(connection);
    await until(() => node.isSequencer, "it appends");
    const own = node["options"].stream;
    const store = new StreamStore({
      stream: own,
      clock: systemClock,
      random: systemRandom,
      patienceMs: 60_000,
    });
    await Array.fromAsync(store.read());
    await store.begin();
    await bound(await jetstreamManager(connection));
    const large = { ...numbered(1), properties: [["large", "x".repeat(1_000)]] as const };
    expect((await store.append([large])).failure).toBeInstanceOf(StreamFull);
    const publish = own.publish.bind(own);
    let isLost = true;
    own.publish = async (...given) => {
      if (!isLost) return publish(...given);
      isLost = false;
      return "unknown";
    };
    const { failure } = await store.append([large]);
    expect(failure).toBeInstanceOf(OutcomeUnknown);
    expect(failure?.message).toEndWith("did not say whether they have it: maximum bytes exceeded");
    // It reads what came meanwhile first.
    const late = new StreamStore({ stream: own, clock: systemClock, random: systemRandom });
    expect((await late.append([large])).failure?.name).toBe("Fenced");
  });
});

test.each([
  ["the limit of the stream", 10077, "maximum bytes exceeded", [true, true]],
  ["a server that stops", 10077, "store is closed", [false, false]],
  ["the disk of one server", 10077, "write /streams: no space left on device", [false, false]],
  ["the limit of the account", 10002, "resource limits exceeded for account", [true, true]],
  ["the limit of one server", 10023, "insufficient resources", [true, false]],
  ["a server that does not lead", 10009, undefined, [false, false]],
] as const)("is told from other trouble: %s", (_, code, description, expected) => {
  const { isFull, isSure } = new NotTaken({ err_code: code, ...(description && { description }) });
  expect([isFull, isSure]).toEqual([...expected]);
});
