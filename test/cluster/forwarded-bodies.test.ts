/** Bodies of requests and answers that one node forwards to another: long ones, and those that do not come. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { batchHitsMax } from "../../src/core/hit.ts";
import { SharedNode, peersOf } from "../support/cluster-nodes.ts";
import { ForwardingPair } from "../support/forwarding-pair.ts";
import { describeWith } from "../support/needs.ts";
import { browser } from "../support/server.ts";
import { until } from "../support/until.ts";

describeWith("nats", "forwarded bodies", () => {
  let pair: ForwardingPair;
  beforeAll(async () => void (pair = await ForwardingPair.open()));
  afterAll(() => pair?.stop());
  beforeEach(() => pair.reset());

  test("a long body goes in pieces", async () => {
    const token = await pair.ask("POST", "/user/tokens", {
      body: JSON.stringify({ name: "t", scope: "send" }),
      headers: pair.asOwner(),
    });
    const { token: secret } = (await token.json()) as { token: string };
    const hits = Array.from({ length: batchHitsMax }, (_, at) => ({
      b: `long ${at}`,
      u: `https://example.com/${"long".repeat(200)}`,
    }));
    const body = JSON.stringify({ hits });
    const answer = await pair.ask("POST", "/event/batch", {
      body,
      headers: { authorization: `Bearer ${secret}` },
    });
    const text = await answer.text();
    expect([answer.status, text.slice(0, 200)]).toEqual([200, expect.stringContaining('"accepted":true')]);
  });

  test("a long answer comes in pieces", async () => {
    const long = await SharedNode.open("long", pair.servers.urls, pair.roles);
    const bytes = new Uint8Array(1_000_000).map((_, at) => at % 251);
    const other = peersOf(
      long,
      async (request) => new Response(await request.arrayBuffer(), { status: 201 }),
    );
    pair.roles.sequencer = "long";
    const sender = { address: "192.0.2.1", network: "192.0.2", isUnnamedProxy: false, isPeerTrusted: true };
    const request = new Request("http://localhost/", { method: "POST", body: new Blob([bytes]) });
    const answer = await pair.atSecond.forward(request, { target: "control", sender, onProgress: () => {} });
    expect(answer.status).toBe(201);
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(bytes);
    await other.stop();
    await long.stop();
  });

  test("a file of some megabytes is imported as it comes", async () => {
    const line = (at: number) =>
      `192.0.2.${at % 200} - - [10/Oct/2023:13:55:${String(at % 60).padStart(2, "0")} +0000] "GET /${at} HTTP/1.1" 200 9 "-" "${browser}"\n`;
    const file = Array.from({ length: 20_000 }, (_, at) => line(at)).join("");
    const answer = await pair.ask("POST", "/website/example.com/import", {
      body: new Blob([file]).stream(),
      headers: pair.asOwner(),
    });
    expect([answer.status, await answer.json()]).toMatchObject([200, { lines: 20_000, dry_run: true }]);
  });

  test("a body that breaks off is no request", async () => {
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port: pair.listening.port,
      socket: { data: () => {} },
    });
    socket.write(
      `POST /website/example.com/import HTTP/1.1\r\nHost: localhost\r\nCookie: _me_sess=${pair.session}\r\nContent-Length: 9999999\r\n\r\n${"x".repeat(9_999)}`,
    );
    await until(() => pair.ranAtFirst === 1, "the upload has begun");
    socket.terminate();
    await until(() => pair.atSecond.waitingCount === 0, "nobody waits");
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
    const answer = pair.app.fetch(slow, source);
    expect((await pair.app.fetch(other, source)).status).toBe(200);
    expect(allowed.has(slow)).toBe(false);
    sent!.enqueue(Buffer.from(text));
    sent!.close();
    expect((await answer).status).toBe(200);
    // While the other node judges it the connection may be silent for longer.
    expect([allowed.get(slow), allowed.get(other)]).toEqual([
      [40, 10],
      [40, 10],
    ]);
  });

  test("bodies that do not come keep no hit away: the one that took longest is given up", async () => {
    const answers: string[] = [];
    const head = "POST /event/hit HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n";
    const sockets = await Promise.all(
      Array.from({ length: 300 }, () =>
        Bun.connect({
          hostname: "127.0.0.1",
          port: pair.listening.port,
          socket: {
            open: (socket) => void socket.write(`${head}${"x".repeat(5_000)}`),
            data: (_, data) => void answers.push(data.toString()),
          },
        }),
      ),
    );
    const { atSecond } = pair;
    // Their length is not known at the other node: 16 MiB are the room for some 250 of the longest.
    const isEnough = () => answers.length >= 30 && atSecond.waitingCount + answers.length === 300;
    await until(isEnough, "those for which there is no room are given up");
    expect(answers.every((answer) => answer.startsWith("HTTP/1.1 500") && answer.includes("took long"))).toBe(
      true,
    );
    expect(atSecond.waitingCount).toBeGreaterThan(240);
    expect((await pair.load("beside unfinished ones")).status).toBe(200);
    for (const socket of sockets) socket.terminate();
    await until(() => atSecond.waitingCount === 0, "nobody waits");
  });
});
