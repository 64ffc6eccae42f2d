/** Requests that one node forwards to another through a real nats-server, over real sockets. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { changeTimeoutS } from "../../src/http/transport/silence.ts";
import { SharedNode, peersOf } from "../support/cluster-nodes.ts";
import { ForwardingPair } from "../support/forwarding-pair.ts";
import { commit, credentials, tokenOf } from "../support/http.ts";
import { describeWith } from "../support/needs.ts";
import { until } from "../support/until.ts";

describeWith("nats", "forwarding", () => {
  let pair: ForwardingPair;
  beforeAll(async () => void (pair = await ForwardingPair.open()));
  afterAll(() => pair?.stop());
  beforeEach(() => pair.reset());

  test("a hit is counted by the other node, and the client gets its answer", async () => {
    const answer = await pair.load("a hit");
    expect([answer.status, await answer.json()]).toEqual([200, { accepted: true }]);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("x-api-commit")).toBe(commit);
    expect(await (await pair.load("a hit")).json()).toEqual({ accepted: false, reason: "duplicate" });
    expect(pair.ranAtFirst).toBe(2);
  });

  test("the address is that which the node judged that the client spoke to", async () => {
    await pair.load("b1");
    await pair.load("b2", { "x-forwarded-for": "203.0.113.9" });
    await pair.load("b3", { "x-forwarded-for": "198.51.100.1, 2001:db8:1:2::3", "x-real-ip": "192.0.2.1" });
    // A stranger who says that it is somebody else is a proxy that nobody named.
    const stranger = { requestIP: () => ({ address: "198.51.100.7" }), timeout: () => {} };
    const headers = { "x-forwarded-for": "203.0.113.9", "content-length": "2" };
    await pair.app.fetch(
      new Request("http://localhost/event/hit", { method: "POST", body: "{}", headers }),
      stranger,
    );
    expect(pair.heard).toEqual([
      "127.0.0.1 127.0.0",
      "203.0.113.9 203.0.113",
      "2001:db8:1:2::3 20010db80001::",
      "198.51.100.7 198.51.100 hidden",
    ]);
  });

  test("a login has both cookies, and is known at once", async () => {
    const answer = await pair.ask("POST", "/auth/login", { body: JSON.stringify(credentials) });
    expect(answer.status).toBe(200);
    expect(answer.headers.getSetCookie().map((cookie) => cookie.split("=")[0])).toEqual([
      "_me_sess",
      "_me_device",
    ]);
    const cookie = `_me_sess=${tokenOf(answer)}`;
    expect((await pair.ask("GET", "/user", { headers: { cookie } })).status).toBe(200);
    expect((await pair.ask("POST", "/auth/logout", { headers: { cookie } })).status).toBe(204);
    expect((await pair.ask("GET", "/user", { headers: { cookie } })).status).toBe(401);
    expect(pair.ranAtFirst).toBe(2);
  });

  test("refusals and their headers come as the other node makes them", async () => {
    const malformed = await pair.ask("POST", "/event/hit", { body: "{" });
    expect([malformed.status, await malformed.json()]).toEqual([
      400,
      { error: { code: 400, message: "body: expected JSON, got something else" } },
    ]);
    const foreign = await pair.ask("POST", "/websites", {
      body: "{}",
      headers: { ...pair.asOwner(), origin: "https://evil.example" },
    });
    expect(foreign.status).toBe(403);
    const nowhere = await pair.ask("POST", "/nowhere");
    expect(nowhere.status).toBe(404);
    expect(pair.ranAtFirst).toBe(2);
  });

  test("an endpoint that only a node of a later version has is not there yet: 500 with Retry-After", async () => {
    pair.lackedAtFirst = "/user/second-factor/offer";
    const body = JSON.stringify({ current_password: credentials.password });
    const offer = () => pair.ask("POST", "/user/second-factor/offer", { body, headers: pair.asOwner() });
    const answer = await offer();
    const message =
      "a node of the cluster is of an earlier version, which does not know this: try again when all are of one version";
    expect([answer.status, await answer.json()]).toEqual([500, { error: { code: 500, message } }]);
    expect(answer.headers.get("retry-after")).toBe("5");
    pair.lackedAtFirst = "";
    expect((await offer()).status).toBe(200);
    // A website that is not there is a 404 as ever.
    const gone = await pair.ask("DELETE", "/websites/there-is-no-endpoint.example", {
      headers: pair.asOwner(),
    });
    expect(gone.status).toBe(404);
  });

  test("questions, pages and the tracker are answered here, and what has a count in memory there", async () => {
    for (const path of ["/", "/script.js?h=example.com", "/event/ping", "/healthz", "/openapi.json"])
      expect([path, (await pair.ask("GET", path)).status]).toEqual([path, 200]);
    for (const path of ["/user", "/websites", "/website/example.com/pages", "/website/example.com/summary"])
      expect([path, (await pair.ask("GET", path, { headers: pair.asOwner() })).status]).toEqual([path, 200]);
    expect((await pair.ask("HEAD", "/event/ping")).status).toBe(200);
    expect((await pair.ask("OPTIONS", "/websites")).status).toBe(204);
    expect(pair.ranAtFirst).toBe(0);
    expect(
      (await pair.ask("GET", "/website/example.com/rejections", { headers: pair.asOwner() })).status,
    ).toBe(200);
    const pixel = await pair.ask("GET", "/event/pixel.gif?u=https://example.com/p");
    expect([pixel.status, (await pixel.bytes()).length]).toEqual([200, 42]);
    expect(pair.ranAtFirst).toBe(2);
  });

  test("a live stream is answered here", async () => {
    const stop = new AbortController();
    const answer = await fetch(new URL("/website/example.com/live", pair.listening.url), {
      headers: pair.asOwner(),
      signal: stop.signal,
    });
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toContain("visitors");
    stop.abort();
    expect(pair.ranAtFirst).toBe(0);
  });

  test("while nobody sequences a request waits, and is answered when somebody does", async () => {
    pair.roles.sequencer = undefined;
    const answer = pair.load("later");
    await until(() => pair.atSecond.waitingCount === 1, "the request waits");
    pair.roles.sequencer = "first";
    expect((await answer).status).toBe(200);
  });

  test("a node that does not sequence any more did nothing: the next one is asked", async () => {
    // It is named by the lease, and knows that it has lost it.
    Object.defineProperty(pair.first, "isSequencer", { get: () => false, configurable: true });
    const answer = pair.load("moved");
    await until(() => pair.atSecond.waitingCount === 1, "the request waits");
    Reflect.deleteProperty(pair.first, "isSequencer");
    expect(await (await answer).json()).toEqual({ accepted: true });
    expect(pair.ranAtFirst).toBe(1);
  });

  test("500 with Retry-After and a sentence where nobody sequences, and where this node cannot follow", async () => {
    pair.roles.sequencer = "nobody";
    const waiting = pair.load("refused");
    await until(() => pair.atSecond.waitingCount === 1, "the request waits");
    pair.aheadMs += 5_000;
    const refused = await waiting;
    expect([refused.status, refused.headers.get("retry-after"), await refused.json()]).toEqual([
      500,
      "5",
      {
        error: {
          code: 500,
          message: "no server of the cluster can store anything at the moment: try again",
        },
      },
    ]);
    pair.roles.sequencer = "first";
    pair.second.isBehind = true;
    const behind = await pair.ask("POST", "/auth/login", { body: JSON.stringify(credentials) });
    expect([behind.status, behind.headers.get("retry-after")]).toEqual([500, "1"]);
    // A hit is stored, and nobody waits to read it.
    expect(await (await pair.load("behind")).json()).toEqual({ accepted: true });
    expect((await pair.ask("GET", "/readyz")).status).toBe(500);
    pair.second.isBehind = false;
    expect((await pair.ask("GET", "/readyz")).status).toBe(200);
  });

  /** Makes a node sequence that takes requests and answers none. */
  async function openSilent() {
    const node = await SharedNode.open("silent", pair.servers.urls, pair.roles);
    const silent = { taken: 0, stop: () => peers.stop().then(() => node.stop()) };
    const peers = peersOf(node, () => {
      silent.taken += 1;
      return new Promise(() => {});
    });
    pair.roles.sequencer = "silent";
    return silent;
  }

  test("a sequencer that goes away without an answer is waited for no longer than it has the lease", async () => {
    const silent = await openSilent();
    const answer = pair.load("unknown");
    await until(() => silent.taken === 1, "the other has the request");
    pair.roles.sequencer = "first";
    const refused = await answer;
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([500, "5"]);
    expect(((await refused.json()) as { error: { message: string } }).error.message).toContain("went away");
    await silent.stop();
  });

  test("a sequencer that says nothing is waited for until the connection of the client would be cut, and no longer", async () => {
    const silent = await openSilent();
    const answer = pair.ask("POST", "/auth/login", { body: JSON.stringify(credentials) });
    await until(() => silent.taken === 1, "the other has the request");
    // Bun may cut four seconds before, and two waits of five seconds are around this one.
    pair.aheadMs += (changeTimeoutS - 4 - 10) * 1_000;
    await until(() => pair.atSecond.waitingCount === 0, "the request is given up");
    const refused = await answer;
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([500, "5"]);
    await silent.stop();
  });

  test("before a 401 and a 404 this node catches up, and then asks itself again", async () => {
    const before = pair.second.caughtUp;
    expect((await pair.ask("GET", "/user")).status).toBe(401);
    expect((await pair.ask("GET", "/website/none.example/pages", { headers: pair.asOwner() })).status).toBe(
      404,
    );
    expect(pair.second.caughtUp).toBe(before + 2);
    pair.second.onCatchUp = async () => {
      pair.second.appliedSeq += 1;
      await pair.server.ask("POST", "/websites", {
        body: { hostname: "news.example" },
        cookie: pair.session,
      });
    };
    const found = await pair.ask("GET", "/website/news.example/pages", { headers: pair.asOwner() });
    pair.second.onCatchUp = () => {};
    expect([found.status, await found.json()]).toEqual([200, []]);
  });

  test("a node that is behind says of no session and no website that it is not there", async () => {
    const statusOf = async (path: string, headers: Record<string, string> = {}) =>
      (await pair.ask("GET", path, { headers })).status;
    pair.second.isBehind = true;
    const elsewhere = { headers: { cookie: "_me_sess=made-at-another-node" } };
    const refused = await pair.ask("GET", "/user", elsewhere);
    expect([refused.status, refused.headers.get("retry-after"), await refused.text()]).toEqual([
      500,
      "5",
      '{"error":{"code":500,"message":"this node has not known for 6 s that it has everything"}}',
    ]);
    pair.second.behindByMs = 3_600_000;
    expect(await (await pair.ask("GET", "/readyz")).text()).toContain(
      "this node has not known since its start that it has everything",
    );
    expect(await statusOf("/website/none.example/pages", pair.asOwner())).toBe(500);
    expect(await statusOf("/user", pair.asOwner())).toBe(200);
    expect(await statusOf("/user")).toBe(401);
    expect(await statusOf("/none", pair.asOwner())).toBe(404);
    pair.second.isBehind = false;
    expect((await pair.ask("GET", "/user", elsewhere)).status).toBe(401);
  });

  test("a hundred strangers who ask at once for what is not there cost the stream two questions", async () => {
    const before = pair.second.caughtUp;
    const asked = Promise.withResolvers<void>();
    pair.second.onCatchUp = () => asked.promise;
    const peer = pair.atSecond;
    const all = Array.from({ length: 100 }, () => peer.catchUp());
    asked.resolve();
    await Promise.all(all);
    pair.second.onCatchUp = () => {};
    expect(pair.second.caughtUp).toBe(before + 2);
  });
});
