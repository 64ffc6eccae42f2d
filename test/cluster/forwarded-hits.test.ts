/** Hits that one node forwards to another in one message, over a real nats-server. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { hitsMax } from "../../src/cluster/forwarding/hit-forwarder.ts";
import type { HitAnswer } from "../../src/engine/intake/hit-intake.ts";
import { Refusal } from "../../src/core/refusal.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { peersOf, SharedNode } from "../support/cluster-nodes.ts";
import { ForwardingPair } from "../support/forwarding-pair.ts";
import { describeWith } from "../support/needs.ts";
import { someone } from "../support/records.ts";
import { browser } from "../support/server.ts";
import { until } from "../support/until.ts";

const kib = 1024;
const forwarding = {
  target: "api",
  sender: { ...someone, isPeerTrusted: false },
  onProgress: () => {},
} as const;

function post(body: string): Request {
  const headers = { "content-length": String(Buffer.byteLength(body)), "user-agent": browser };
  return new Request("http://localhost/event/hit", { method: "POST", body, headers });
}

const load = (b: string, u = "https://example.com/") => JSON.stringify({ b, u, p: true });

describeWith("nats", "forwarded hits", () => {
  let pair: ForwardingPair;
  /** The bytes of the messages with hits, and those with a whole request. */
  const messages: number[] = [];
  let requests = 0;
  beforeAll(async () => {
    pair = await ForwardingPair.open();
    const { connection } = pair.second;
    connection.subscribe("test.hits.*", { callback: (_, { data }) => void messages.push(data.length) });
    connection.subscribe("test.forwarded.*", { callback: () => void (requests += 1) });
    await connection.flush();
  });
  afterAll(() => pair?.stop());
  beforeEach(() => {
    pair.reset();
    messages.length = 0;
    requests = 0;
  });

  /** Resolves to the answers of hits that come at once, in words. */
  async function sent(bodies: readonly string[]): Promise<string[]> {
    const answers = bodies.map((body) => pair.app.fetch(post(body)));
    return Promise.all(
      answers.map(async (answer) => `${(await answer).status} ${await (await answer).text()}`),
    );
  }
  const counted = '200 {"accepted":true}';

  test("those of one turn go in one message, and each gets its own answer", async () => {
    const answers = await sent([
      load("m1"),
      "{",
      load("m1"),
      load("m2", "https://nowhere.example/"),
      load("m3"),
      "",
      JSON.stringify({ b: 7, u: "https://example.com/" }),
      load("m4", "https://example.com/\u{1f600}"),
    ]);
    const duplicate = '200 {"accepted":false,"reason":"duplicate"}';
    expect(answers.slice(0, 6)).toEqual([
      counted,
      '400 {"error":{"code":400,"message":"body: expected JSON, got something else"}}',
      duplicate,
      '404 {"error":{"code":404,"message":"u: \\"nowhere.example\\" is not a website of this server"}}',
      counted,
      '400 {"error":{"code":400,"message":"body: expected JSON, got nothing"}}',
    ]);
    expect([answers[6]?.slice(0, 24), answers[7]]).toEqual(['400 {"error":{"code":400', counted]);
    expect([messages.length, requests, pair.ranAtFirst]).toEqual([1, 0, 8]);
    expect(pair.atSecond.waitingCount).toBe(0);
  });

  test("a bug in one of them is a 500 for that one alone", async () => {
    const { hits } = pair.server.engine;
    const { take } = hits;
    hits.take = (given, ...others) => {
      if (given.kind === "load" && given.beacon === "b2") throw new TypeError("a secret");
      return take.call(hits, given, ...others);
    };
    const answers = await sent([load("b1"), load("b2"), load("b3")]);
    hits.take = take;
    const wrong = '500 {"error":{"code":500,"message":"something went wrong in the server"}}';
    expect(answers).toEqual([counted, wrong, counted]);
  });

  test("a refusal has its Retry-After, and the answer the headers of every hit's", async () => {
    const { hits } = pair.server.engine;
    const { take } = hits;
    hits.take = () => Promise.reject(new Refusal(500, "the disk is full", 7));
    const refused = await pair.app.fetch(post(load("r1")));
    hits.take = take;
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([500, "7"]);
    for (const answer of [refused, await pair.app.fetch(post(load("r2")))]) {
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      expect(answer.headers.get("content-type")).toContain("application/json");
    }
  });

  test("messages are bounded in bytes and in hits", async () => {
    const long = Array.from({ length: 300 }, (_, at) =>
      load(`l${at}`, `https://example.com/?q=${"\u0001".repeat(500)}`),
    );
    expect(new Set(await sent(long))).toEqual(new Set([counted]));
    expect(Math.max(...messages)).toBeLessThanOrEqual(256 * kib);
    expect(messages.reduce((sum, bytes) => sum + bytes)).toBeGreaterThan(512 * kib);
    messages.length = 0;
    const many = Array.from({ length: 2 * hitsMax + 1 }, () => "{");
    expect(new Set(await sent(many)).size).toBe(1);
    expect(messages.length).toBe(3);
    expect(requests).toBe(0);
  });

  test("a long body goes alone", async () => {
    const [answer] = await sent([load("long", `https://example.com/?q=${"x".repeat(5_000)}`)]);
    expect([answer, messages.length, requests]).toEqual([counted, 0, 1]);
  });

  test("hits that wait for a sequencer are counted by the one that takes over", async () => {
    pair.roles.sequencer = undefined;
    const answers = sent([load("w1"), load("w2")]);
    await until(() => pair.atSecond.waitingCount === 2, "they wait");
    pair.roles.sequencer = "first";
    expect(await answers).toEqual([counted, counted]);
    expect([messages.length, requests]).toEqual([1, 0]);
  });

  test("a node that does not sequence any more did nothing: the next one is asked once more", async () => {
    Object.defineProperty(pair.first, "isSequencer", { get: () => false, configurable: true });
    const answers = sent([load("n1"), load("n2")]);
    await until(() => messages.length > 0, "it was asked");
    expect(pair.ranAtFirst).toBe(0);
    Reflect.deleteProperty(pair.first, "isSequencer");
    expect(await answers).toEqual([counted, counted]);
  });

  test("of a sequencer that goes away nobody knows what it stored: 500 for each of them", async () => {
    const silent = await SharedNode.open("silent", pair.servers.urls, pair.roles);
    let taken = 0;
    const nothing = () => new Promise<never>(() => {});
    const gone = peersOf(silent, nothing, systemClock, () => {
      taken += 1;
      return nothing();
    });
    // This test hears all messages with hits, so nobody would say that the other does not listen yet.
    await silent.connection.flush();
    pair.roles.sequencer = "silent";
    const answers = sent([load("g1"), load("g2")]);
    await until(() => taken === 2, "the other has them");
    pair.roles.sequencer = "first";
    for (const answer of await answers) expect(answer).toContain("may have stored this or not");
    expect(pair.atSecond.waitingCount).toBe(0);
    await gone.stop();
    await silent.stop();
  });

  test("hits whose message or answer is lost are answered after 15 s", async () => {
    const lost = await SharedNode.open("lost", pair.servers.urls, pair.roles);
    let taken = 0;
    lost.connection.subscribe("test.hits.lost", { callback: () => void (taken += 1) });
    await lost.connection.flush();
    pair.roles.sequencer = "lost";
    const answers = sent([load("s1"), load("s2")]);
    await until(() => taken === 1, "the message came");
    pair.aheadMs = 16_000;
    for (const answer of await answers) expect(answer).toContain("may have stored this or not");
    pair.aheadMs = 0;
    // A long one goes alone.
    let takenAlone = 0;
    lost.connection.subscribe("test.forwarded.lost", { callback: () => void (takenAlone += 1) });
    await lost.connection.flush();
    const alone = sent([load("s3", `https://example.com/${"x".repeat(5 * kib)}`)]);
    await until(() => takenAlone === 1, "the message with the long one came");
    pair.aheadMs = 16_000;
    expect((await alone)[0]).toContain("may have stored this or not");
    pair.aheadMs = 0;
    await lost.stop();
  });
});

describeWith("nats", "hits that wait", () => {
  let pair: ForwardingPair;
  beforeAll(async () => void (pair = await ForwardingPair.open()));
  afterAll(() => pair?.stop());
  afterEach(() => pair.reset());

  /** Returns how many of the hits find room while nobody sequences. */
  async function roomFor(body: string, count: number): Promise<number> {
    pair.roles.sequencer = "nobody";
    const all = Array.from({ length: count }, () =>
      pair.atSecond.forwardHit(post(body), forwarding).catch((error: unknown) => error as Error),
    );
    const tooMany = (answer: unknown) => answer instanceof Refusal && answer.message.startsWith("too many");
    const isRefused = await Promise.all(all.slice(-10)).then((last) => last.every(tooMany));
    expect(isRefused).toBe(true);
    const { waitingCount } = pair.atSecond;
    pair.roles.sequencer = "first";
    const answers = (await Promise.all(all)) as (HitAnswer | Error)[];
    expect(answers.filter((answer) => !tooMany(answer)).length).toBe(waitingCount);
    expect(pair.atSecond.waitingCount).toBe(0);
    return waitingCount;
  }

  test("are 16,384 at most, and have 32 MiB at most", async () => {
    expect(await roomFor("{", 16_500)).toBe(16_384);
    // 4,000 bytes of body, about 200 of headers and address.
    const found = await roomFor(`{"b":"${"x".repeat(3_992)}"}`.replaceAll('"', "'"), 8_400);
    expect(found * 4_000).toBeLessThan(32 * kib * kib);
    expect(found * 4_300).toBeGreaterThan(32 * kib * kib);
  });
});
