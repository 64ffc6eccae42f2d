/** Requests that one node forwards to another through a real nats-server, over real sockets. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createApp, type App } from "../../src/http/app.ts";
import { listen, type Listening } from "../../src/http/serve.ts";
import { parseNetworks } from "../../src/http/transport/client-address.ts";
import { batchHitsMax } from "../../src/core/hit.ts";
import { importUpload } from "../../src/cli/import/upload.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { SharedNode, peersOf, type Roles } from "../support/cluster-nodes.ts";
import { commit, credentials, TestServer, tokenOf } from "../support/http.ts";
import { isThere, nameWith } from "../support/needs.ts";
import { NatsServers } from "../support/nats.ts";
import { browser } from "../support/server.ts";
import { until } from "../support/until.ts";
import type { Peers } from "../../src/cluster/forwarding/peers.ts";

const proxies = parseNetworks("127.0.0.1", "test");

describe.skipIf(!isThere("nats"))(nameWith("nats", "forwarding"), () => {
  const roles: Roles = { sequencer: "first" };
  let servers: NatsServers;
  let first: SharedNode;
  let second: SharedNode;
  /** It sequences: requests come to it from the other only. */
  let server: TestServer;
  let peers: Peers[];
  let session: string;
  let app: App;
  let listening: Listening;
  /** The addresses of hits as the sequencer heard them. */
  const heard: string[] = [];
  let ranAtFirst = 0;
  /** The clock of the node that forwards is so far ahead. */
  let aheadMs = 0;

  beforeAll(async () => {
    servers = await NatsServers.start();
    [first, second] = await Promise.all([
      SharedNode.open("first", servers.urls, roles),
      SharedNode.open("second", servers.urls, roles),
    ]);
    server = await TestServer.open();
    session = await server.prepare();
    const atFirst = peersOf(first, (request, sender) => {
      ranAtFirst += 1;
      heard.push(`${sender.address} ${sender.network}${sender.isUnnamedProxy ? " hidden" : ""}`);
      return server.app.fetchForwarded(request, sender);
    });
    const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + aheadMs };
    const atSecond = peersOf(second, undefined, clock);
    peers = [atFirst, atSecond];
    const { engine, setUp } = server;
    const options = { commit, setUp, trustProxy: proxies, importFile: importUpload, cluster: atSecond };
    app = createApp(engine, options);
    listening = listen(app, "127.0.0.1", 0);
  });
  afterAll(async () => {
    await listening?.stop(0);
    for (const each of peers ?? []) await each.stop();
    await Promise.all([first?.stop(), second?.stop()]);
    await servers?.stop();
  });
  beforeEach(() => {
    roles.sequencer = "first";
    second.isBehind = false;
    heard.length = 0;
    ranAtFirst = 0;
  });

  function ask(
    method: string,
    path: string,
    given: { body?: string | ReadableStream<Uint8Array>; headers?: Record<string, string> } = {},
  ) {
    return fetch(new URL(path, listening.url), {
      method,
      ...(given.body !== undefined && { body: given.body }),
      headers: { "content-type": "application/json", "user-agent": browser, ...given.headers },
    });
  }
  const load = (b: string, headers = {}) =>
    ask("POST", "/event/hit", { body: JSON.stringify({ b, u: "https://example.com/", p: true }), headers });
  const asOwner = () => ({ cookie: `_me_sess=${session}` });

  test("a hit is counted by the other node, and the client gets its answer", async () => {
    const answer = await load("a hit");
    expect([answer.status, await answer.json()]).toEqual([200, { accepted: true }]);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("x-api-commit")).toBe(commit);
    expect(await (await load("a hit")).json()).toEqual({ accepted: false, reason: "duplicate" });
    expect(ranAtFirst).toBe(2);
  });

  test("the address is that which the node judged that the client spoke to", async () => {
    await load("b1");
    await load("b2", { "x-forwarded-for": "203.0.113.9" });
    await load("b3", { "x-forwarded-for": "198.51.100.1, 2001:db8:1:2::3", "x-real-ip": "192.0.2.1" });
    // A stranger who says that it is somebody else is a proxy that nobody named.
    const stranger = { requestIP: () => ({ address: "198.51.100.7" }), timeout: () => {} };
    const headers = { "x-forwarded-for": "203.0.113.9", "content-length": "2" };
    await app.fetch(
      new Request("http://localhost/event/hit", { method: "POST", body: "{}", headers }),
      stranger,
    );
    expect(heard).toEqual([
      "127.0.0.1 127.0.0",
      "203.0.113.9 203.0.113",
      "2001:db8:1:2::3 20010db80001::",
      "198.51.100.7 198.51.100 hidden",
    ]);
  });

  test("a login has both cookies, and is known at once", async () => {
    const answer = await ask("POST", "/auth/login", { body: JSON.stringify(credentials) });
    expect(answer.status).toBe(200);
    expect(answer.headers.getSetCookie().map((cookie) => cookie.split("=")[0])).toEqual([
      "_me_sess",
      "_me_device",
    ]);
    const cookie = `_me_sess=${tokenOf(answer)}`;
    expect((await ask("GET", "/user", { headers: { cookie } })).status).toBe(200);
    expect((await ask("POST", "/auth/logout", { headers: { cookie } })).status).toBe(204);
    expect((await ask("GET", "/user", { headers: { cookie } })).status).toBe(401);
    expect(ranAtFirst).toBe(2);
  });

  test("refusals and their headers come as the other node makes them", async () => {
    const malformed = await ask("POST", "/event/hit", { body: "{" });
    expect([malformed.status, await malformed.json()]).toEqual([
      400,
      { error: { code: 400, message: "body: expected JSON, got something else" } },
    ]);
    const foreign = await ask("POST", "/websites", {
      body: "{}",
      headers: { ...asOwner(), origin: "https://evil.example" },
    });
    expect(foreign.status).toBe(403);
    const nowhere = await ask("POST", "/nowhere");
    expect(nowhere.status).toBe(404);
    expect(ranAtFirst).toBe(2);
  });

  test("questions, pages and the tracker are answered here, and what has a count in memory there", async () => {
    for (const path of ["/", "/script.js?h=example.com", "/event/ping", "/healthz", "/openapi.json"])
      expect([path, (await ask("GET", path)).status]).toEqual([path, 200]);
    for (const path of ["/user", "/websites", "/website/example.com/pages", "/website/example.com/summary"])
      expect([path, (await ask("GET", path, { headers: asOwner() })).status]).toEqual([path, 200]);
    expect((await ask("HEAD", "/event/ping")).status).toBe(200);
    expect((await ask("OPTIONS", "/websites")).status).toBe(204);
    expect(ranAtFirst).toBe(0);
    expect((await ask("GET", "/website/example.com/rejections", { headers: asOwner() })).status).toBe(200);
    const pixel = await ask("GET", "/event/pixel.gif?u=https://example.com/p");
    expect([pixel.status, (await pixel.bytes()).length]).toEqual([200, 42]);
    expect(ranAtFirst).toBe(2);
  });

  test("a live stream is answered here", async () => {
    const stop = new AbortController();
    const answer = await fetch(new URL("/website/example.com/live", listening.url), {
      headers: asOwner(),
      signal: stop.signal,
    });
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toContain("visitors");
    stop.abort();
    expect(ranAtFirst).toBe(0);
  });

  test("a long body goes in pieces", async () => {
    const token = await ask("POST", "/user/tokens", {
      body: JSON.stringify({ name: "t", scope: "send" }),
      headers: asOwner(),
    });
    const { token: secret } = (await token.json()) as { token: string };
    const hits = Array.from({ length: batchHitsMax }, (_, at) => ({
      b: `long ${at}`,
      u: `https://example.com/${"long".repeat(200)}`,
    }));
    const body = JSON.stringify({ hits });
    const answer = await ask("POST", "/event/batch", {
      body,
      headers: { authorization: `Bearer ${secret}` },
    });
    const text = await answer.text();
    expect([answer.status, text.slice(0, 200)]).toEqual([200, expect.stringContaining('"accepted":true')]);
  });

  test("a long answer comes in pieces", async () => {
    const long = await SharedNode.open("long", servers.urls, roles);
    const bytes = new Uint8Array(1_000_000).map((_, at) => at % 251);
    const other = peersOf(
      long,
      async (request) => new Response(await request.arrayBuffer(), { status: 201 }),
    );
    roles.sequencer = "long";
    const sender = { address: "192.0.2.1", network: "192.0.2", isUnnamedProxy: false, isPeerTrusted: true };
    const request = new Request("http://localhost/", { method: "POST", body: new Blob([bytes]) });
    const answer = await peers[1]?.forward(request, { target: "control", sender, onProgress: () => {} });
    expect(answer?.status).toBe(201);
    expect(new Uint8Array((await answer?.arrayBuffer()) ?? new ArrayBuffer())).toEqual(bytes);
    await other.stop();
    await long.stop();
  });

  test("a file of some megabytes is imported as it comes", async () => {
    const line = (at: number) =>
      `192.0.2.${at % 200} - - [10/Oct/2023:13:55:${String(at % 60).padStart(2, "0")} +0000] "GET /${at} HTTP/1.1" 200 9 "-" "${browser}"\n`;
    const file = Array.from({ length: 20_000 }, (_, at) => line(at)).join("");
    const answer = await ask("POST", "/website/example.com/import", {
      body: new Blob([file]).stream(),
      headers: asOwner(),
    });
    expect([answer.status, await answer.json()]).toMatchObject([200, { lines: 20_000, dry_run: true }]);
  });

  test("a body that breaks off is no request", async () => {
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port: listening.port,
      socket: { data: () => {} },
    });
    socket.write(
      `POST /website/example.com/import HTTP/1.1\r\nHost: localhost\r\nCookie: _me_sess=${session}\r\nContent-Length: 9999999\r\n\r\n${"x".repeat(9_999)}`,
    );
    await until(() => ranAtFirst === 1, "the upload has begun");
    socket.terminate();
    await until(() => peers[1]?.waitingCount === 0, "nobody waits");
  });

  test("a connection is cut as on a single machine while a small body does not come", async () => {
    const allowed = new Map<Request, number[]>();
    const timeout = (request: Request, seconds: number) =>
      void allowed.set(request, [...(allowed.get(request) ?? []), seconds]);
    const source = { requestIP: () => null, timeout };
    const text = '{"b":"slow","u":"https://example.com/","p":true}';
    let sent: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({ start: (controller) => void (sent = controller) });
    const headers = { "content-length": String(text.length), "user-agent": browser };
    const post = (given: string | ReadableStream) =>
      new Request("http://localhost/event/hit", { method: "POST", body: given, headers });
    const [slow, other] = [post(body), post(text.replace("slow", "else"))];
    const answer = app.fetch(slow, source);
    expect((await app.fetch(other, source)).status).toBe(200);
    expect(allowed.has(slow)).toBe(false);
    sent!.enqueue(Buffer.from(text));
    sent!.close();
    expect((await answer).status).toBe(200);
    // While the other node judges it the connection may be silent for long.
    expect([allowed.get(slow), allowed.get(other)]).toEqual([
      [255, 10],
      [255, 10],
    ]);
  });

  test("bodies that do not come keep no hit away: the one that took longest is given up", async () => {
    const answers: string[] = [];
    const head = "POST /event/hit HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n";
    const sockets = await Promise.all(
      Array.from({ length: 300 }, () =>
        Bun.connect({
          hostname: "127.0.0.1",
          port: listening.port,
          socket: {
            open: (socket) => void socket.write(`${head}${"x".repeat(5_000)}`),
            data: (_, data) => void answers.push(data.toString()),
          },
        }),
      ),
    );
    await until(() => answers.length === 44, "those that are more than 256 are given up");
    expect(answers.every((answer) => answer.startsWith("HTTP/1.1 500") && answer.includes("took long"))).toBe(
      true,
    );
    expect(peers[1]?.waitingCount).toBe(256);
    expect((await load("beside unfinished ones")).status).toBe(200);
    for (const socket of sockets) socket.terminate();
    await until(() => peers[1]?.waitingCount === 0, "nobody waits");
  });

  test("while nobody sequences a request waits, and is answered when somebody does", async () => {
    roles.sequencer = undefined;
    const answer = load("later");
    await until(() => peers[1]?.waitingCount === 1, "the request waits");
    roles.sequencer = "first";
    expect((await answer).status).toBe(200);
  });

  test("a node that does not sequence any more did nothing: the next one is asked", async () => {
    // It is named by the lease, and knows that it has lost it.
    Object.defineProperty(first, "isSequencer", { get: () => false, configurable: true });
    const answer = load("moved");
    await until(() => peers[1]?.waitingCount === 1, "the request waits");
    Reflect.deleteProperty(first, "isSequencer");
    expect(await (await answer).json()).toEqual({ accepted: true });
    expect(ranAtFirst).toBe(1);
  });

  test("500 with Retry-After and a sentence where nobody sequences, and where this node cannot follow", async () => {
    roles.sequencer = "nobody";
    const waiting = load("refused");
    await until(() => peers[1]?.waitingCount === 1, "the request waits");
    aheadMs += 5_000;
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
    roles.sequencer = "first";
    second.isBehind = true;
    const behind = await load("behind");
    expect([behind.status, behind.headers.get("retry-after")]).toEqual([500, "1"]);
    expect((await ask("GET", "/readyz")).status).toBe(500);
    second.isBehind = false;
    expect((await ask("GET", "/readyz")).status).toBe(200);
  });

  test("a sequencer that goes away without an answer is waited for no longer than it has the lease", async () => {
    const silent = await SharedNode.open("silent", servers.urls, roles);
    let taken = 0;
    const gone = peersOf(silent, () => {
      taken += 1;
      return new Promise(() => {});
    });
    roles.sequencer = "silent";
    const answer = load("unknown");
    await until(() => taken === 1, "the other has the request");
    roles.sequencer = "first";
    const refused = await answer;
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([500, "5"]);
    expect(((await refused.json()) as { error: { message: string } }).error.message).toContain("went away");
    await gone.stop();
    await silent.stop();
  });

  test("before a 401 and a 404 this node catches up, and then asks itself again", async () => {
    const before = second.caughtUp;
    expect((await ask("GET", "/user")).status).toBe(401);
    expect((await ask("GET", "/website/none.example/pages", { headers: asOwner() })).status).toBe(404);
    expect(second.caughtUp).toBe(before + 2);
    second.onCatchUp = async () => {
      second.appliedSeq += 1;
      await server.ask("POST", "/websites", { body: { hostname: "news.example" }, cookie: session });
    };
    const found = await ask("GET", "/website/news.example/pages", { headers: asOwner() });
    second.onCatchUp = () => {};
    expect([found.status, await found.json()]).toEqual([200, []]);
  });

  test("a hundred strangers who ask at once for what is not there cost the stream two questions", async () => {
    const before = second.caughtUp;
    const asked = Promise.withResolvers<void>();
    second.onCatchUp = () => asked.promise;
    const peer = peers[1] as Peers;
    const all = Array.from({ length: 100 }, () => peer.catchUp());
    asked.resolve();
    await Promise.all(all);
    second.onCatchUp = () => {};
    expect(second.caughtUp).toBe(before + 2);
  });
});
