/** Tests of what only a socket can show. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { listen, type Listening } from "../../src/http/serve.ts";
import { commit, TestServer } from "../support/http.ts";
import { startListening } from "../support/listening.ts";
import { until } from "../support/until.ts";

let server: TestServer;
let cookie: string;
let listening: Listening;
beforeAll(async () => {
  ({ server, cookie, listening } = await startListening());
});
afterAll(() => listening.stop(1_000));

/** Sends bytes as they are and reads until `complete` holds, or the other side closes. */
async function raw(text: string, complete: (answer: string) => boolean): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let answer = "";
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: listening.port,
    socket: {
      data(_, bytes) {
        answer += bytes.toString();
        if (complete(answer)) resolve();
      },
      close: () => resolve(),
    },
  });
  socket.write(text);
  await promise;
  socket.end();
  return answer;
}

const head = (method: string, path: string, ...lines: string[]) =>
  [`${method} ${path} HTTP/1.1`, "Host: localhost", ...lines, "", ""].join("\r\n");
const answersIn = (text: string) => text.split("HTTP/1.1 ").length - 1;

describe("the app on a socket", () => {
  test("answers with the header of the build, whatever the host is called", async () => {
    const hosts = ["a", "x.example:8080", "[::1]", "a b", "", "%", "a:99999", "[::1", "a@b", "xn--zz:8"];
    for (const host of hosts)
      for (const line of ["GET /healthz", "HEAD /healthz", "GET /script.js?h=x.example", "HEAD /script.js"]) {
        const request = `${line} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
        const answer = await raw(request, () => false);
        expect(answer).toStartWith("HTTP/1.1 200 ");
        expect(answer.toLowerCase()).toContain(`x-api-commit: ${commit}`);
      }
  });

  test("takes the whole path, whatever the host is called, and without any", async () => {
    const statusOf = async (request: string) => {
      const answer = await raw(`${request}\r\n\r\n`, () => false);
      return Number(/^HTTP\/1.1 (\d+)/.exec(answer)?.[1]);
    };
    const hosts = ["a", "", "x/y?", "x/healthz?", "/healthz", "x#", "a@b", "a\\b", "a b"];
    const ways = ["HTTP/1.0", ...hosts.map((host) => `HTTP/1.1\r\nConnection: close\r\nHost: ${host}`)];
    for (const way of ways)
      for (const method of ["GET", "HEAD"]) {
        const asked = [
          "/healthz",
          "/aaaaaaaa/healthz",
          "//aaaaaa/healthz",
          "/user",
          "/healthz?a=http://b/user",
        ];
        const statuses = await Promise.all(asked.map((path) => statusOf(`${method} ${path} ${way}`)));
        expect([method, way, ...statuses]).toEqual([method, way, 200, 404, 404, 401, 200]);
      }
  });

  test("keeps the connection, after HEAD with its length and no body too", async () => {
    const twice = head("HEAD", "/healthz") + head("GET", "/healthz");
    const answer = await raw(twice, (text) => text.endsWith("}"));
    expect(answersIn(answer)).toBe(2);
    expect(answer.match(/content-length: 15\r\n/gi)).toHaveLength(2);
    expect(answer.match(/\{"status":"ok"\}/g)).toHaveLength(1);
  });

  test("keeps the connection after HEAD of a stream, and says no length", async () => {
    for (const path of ["/website/example.com/export", "/website/example.com/live"]) {
      const twice = head("HEAD", path, `Cookie: _me_sess=${cookie}`) + head("GET", "/healthz");
      const answer = await raw(twice, (text) => text.endsWith("}"));
      const [, first = "", second = ""] = answer.split("HTTP/1.1 ");
      expect(first).toMatch(/^200 OK\r\n[^]*transfer-encoding: chunked[^]*\r\n\r\n$/i);
      expect(first).not.toMatch(/content-length/i);
      expect(second).toEndWith('{"status":"ok"}');
    }
  });

  test("refuses a long body by its length, before any of it has come", async () => {
    for (const length of ["65537", "99999999999"]) {
      const answer = await raw(head("POST", "/event/hit", `Content-Length: ${length}`), (text) =>
        text.endsWith("}"),
      );
      expect(answer).toStartWith("HTTP/1.1 400 ");
      expect(answer).toContain(`x-api-commit: ${commit}`);
      expect(answer).toContain("body: expected at most 65536 bytes");
    }
  });

  test("refuses a long body that comes in chunks", async () => {
    const chunk = `8000\r\n${"a".repeat(0x8000)}\r\n`;
    const chunked = head("POST", "/event/hit", "Transfer-Encoding: chunked") + chunk.repeat(3) + "0\r\n\r\n";
    expect(await raw(chunked, (text) => text.endsWith("}"))).toStartWith("HTTP/1.1 400 ");
  });

  test("takes a body in chunks", async () => {
    const body = '{"b":"chunked"}';
    const chunked = `${head("POST", "/event/hit", "Transfer-Encoding: chunked")}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    expect(await raw(chunked, (text) => text.endsWith("}"))).toContain('{"accepted":true}');
  });

  test("throttles by the address of the socket's other end", async () => {
    const body = JSON.stringify({ username: "Bob", password: "x" });
    const logIn = (forwardedFor: string) =>
      fetch(`${listening.url}auth/login`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-forwarded-for": forwardedFor },
        body,
      });
    for (let attempt = 0; attempt < 10; attempt++) await logIn("203.0.113.9");
    expect((await logIn("203.0.113.9")).headers.has("retry-after")).toBe(true);
    expect((await logIn("203.0.113.10")).headers.has("retry-after")).toBe(false);
  });
});

describe("a live stream", () => {
  test("ends on the server when its client goes", async () => {
    const watched: number[] = [];
    const { engine } = server;
    const watch = engine.watch.bind(engine);
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    engine.watch = (websiteId, onChange) => {
      watched.push(websiteId);
      const unwatch = watch(websiteId, onChange);
      return () => {
        unwatch();
        resolve();
      };
    };
    const request = head("GET", "/website/example.com/live", `Cookie: _me_sess=${cookie}`);
    const answer = await raw(request, (text) => text.includes("data:"));
    expect(answer).toContain('data: {"visitors":');
    await gone;
    engine.watch = watch;
    expect(watched).toHaveLength(1);
  });

  test("does not keep the server from stopping, nor does an idle connection", async () => {
    const other = listen(server.app, "127.0.0.1", 0);
    const stream = await fetch(`${other.url}website/example.com/live`, {
      headers: { cookie: `_me_sess=${cookie}` },
    });
    await (await fetch(`${other.url}healthz`)).text();
    const startMs = performance.now();
    await other.stop(30_000);
    expect(performance.now() - startMs).toBeLessThan(15_000);
    expect(await stream.text()).toContain('data: {"visitors":');
  });
});

test("a request that never ends is cut at the deadline", async () => {
  const other = listen(server.app, "127.0.0.1", 0);
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  let received = "";
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: other.port,
    socket: { data: (_, bytes) => void (received += bytes.toString()), close: () => resolve() },
  });
  // Once the first request is answered, the head of the second one has come.
  socket.write(head("GET", "/healthz") + head("POST", "/event/hit", "Content-Length: 100"));
  await until(() => received.includes(" 200 "), "the first request is answered");
  const startMs = performance.now();
  await other.stop(300);
  await closed;
  expect(performance.now() - startMs).toBeWithin(250, 8_000);
});

test("an address in use is an error and not a shared port", () => {
  expect(() => listen(server.app, "127.0.0.1", listening.port)).toThrow();
});
