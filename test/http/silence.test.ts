/** A connection may be silent for a short time while a request comes, and for longer while its answer is made. */
import { expect, test } from "bun:test";
import type { PeerSource } from "../../src/http/app.ts";
import { questionTimes } from "../../src/query-worker/questions.ts";
import { answerTimeoutS, changeTimeoutS, idleTimeoutS } from "../../src/http/transport/silence.ts";
import { credentials, TestServer } from "../support/http.ts";
import { valuesOf } from "../support/records.ts";

/** Bun may be so late, because it looks at timeouts every four seconds. */
const lateS = 4;

test("a question has an answer before its connection is cut, and what does not come is cut within 15 seconds", () => {
  expect(questionTimes.answerMs / 1_000 + lateS).toBeLessThan(answerTimeoutS);
  expect(idleTimeoutS + lateS).toBeLessThan(15);
});

/** Receives what silence is allowed, in seconds, to the request that came: of another one Bun knows no connection. */
function peerOf(seconds: number[], came: Request): PeerSource {
  return {
    requestIP: () => ({ address: "127.0.0.1" }),
    timeout: (request, s) => void seconds.push(request === came ? s : NaN),
  };
}

test("silence is allowed while an answer is made, once the request is there, and no longer", async () => {
  const server = await TestServer.open();
  const cookie = await server.prepare();
  const ask = async (method: string, path: string, body: string | null = null) => {
    const seconds: number[] = [];
    const headers = { cookie: `_me_sess=${cookie}`, "content-type": "application/json" };
    const request = new Request(`http://localhost${path}`, { method, headers, body });
    const { status } = await server.app.fetch(request, peerOf(seconds, request));
    return [status, ...seconds];
  };
  expect(await ask("GET", "/website/example.com/pages")).toEqual([200, answerTimeoutS, idleTimeoutS]);
  expect(await ask("GET", "/website/none.example/pages")).toEqual([404, answerTimeoutS, idleTimeoutS]);
  expect(await ask("POST", "/auth/login", "{")).toEqual([400, idleTimeoutS]);
  expect(await ask("POST", "/event/hit", "{}")).toEqual([400]);
  expect(await ask("GET", "/website/example.com/live")).toEqual([200, answerTimeoutS]);
  server.app.closeStreams();
  // It ends the session that it comes with.
  expect(await ask("POST", "/auth/login", JSON.stringify(credentials))).toEqual([
    200,
    changeTimeoutS,
    idleTimeoutS,
  ]);
});

test("a HEAD has the time of a GET while its answer is made, and keeps none of it", async () => {
  const server = await TestServer.open();
  const cookie = await server.prepare();
  const ask = async (path: string) => {
    const seconds: number[] = [];
    const headers = { cookie: `_me_sess=${cookie}` };
    const request = new Request(`http://localhost${path}`, { method: "HEAD", headers });
    const { status } = await server.app.fetch(request, peerOf(seconds, request));
    expect([status, seconds.at(-1)]).toEqual([200, idleTimeoutS]);
    expect(seconds.filter((s) => s !== answerTimeoutS && s !== idleTimeoutS)).toEqual([]);
    return seconds.filter((s) => s === answerTimeoutS).length;
  };
  expect(await ask("/event/ping")).toBe(0);
  for (const path of ["/script.js", "/website/example.com/pages", "/website/example.com/live"])
    expect(await ask(path)).toBe(1);
  // Once for the whole, and for each of the files that are made before the archive begins.
  expect(await ask("/website/example.com/export.zip")).toBeGreaterThan(3);
});

test("a change is waited for by whoever asked for it, also where a removal goes before it, whatever body comes along", async () => {
  const server = await TestServer.open();
  const cookie = await server.prepare();
  const ask = async (method: string, path: string, body: string | null = null) => {
    const seconds: number[] = [];
    const headers = { cookie: `_me_sess=${cookie}`, "content-type": "application/x-www-form-urlencoded" };
    const request = new Request(`http://localhost${path}`, { method, headers, body });
    const { status } = await server.app.fetch(request, peerOf(seconds, request));
    return [status, ...seconds];
  };
  const done = [changeTimeoutS, idleTimeoutS];
  expect(await ask("POST", "/website/example.com/purge?path[eq]=/&dry_run=false")).toEqual([200, ...done]);
  expect(await ask("POST", "/mail/unsubscribe/1.none", "List-Unsubscribe=One-Click")).toEqual([200, ...done]);
  expect(await ask("DELETE", "/website/example.com/reports/1", "{}")).toEqual([404, ...done]);
  expect(await ask("DELETE", "/websites/example.com")).toEqual([204, ...done]);
  expect(await ask("DELETE", "/user")).toEqual([204, ...done]);
});

test("a download allows silence before each piece, also before the first and for those without a line", async () => {
  const server = await TestServer.open();
  const cookie = await server.prepare();
  const timeMs = server.clock.nowMs();
  const load = { timeMs, unique: true, seen: false, values: valuesOf("/") };
  const position = { file: "f", fromPosition: 0, position: 1, digest: "" };
  const loads = Array.from({ length: 20_000 }, () => load);
  await server.engine.commit({ kind: "import", timeMs, websiteId: 1, ...position, loads });
  const headers = { cookie: `_me_sess=${cookie}` };
  for (const ending of ["jsonl", "jsonl.zst"]) {
    const seconds: number[] = [];
    const url = `http://localhost/website/example.com/export?of=events&format=${ending}`;
    const request = new Request(url, { headers });
    const answer = await server.app.fetch(request, peerOf(seconds, request));
    expect([answer.status, ...seconds]).toEqual([200, answerTimeoutS, idleTimeoutS]);
    await answer.bytes();
    // A piece has the events of at most 8,192 rows.
    expect(seconds.slice(2)).toEqual([answerTimeoutS, answerTimeoutS, answerTimeoutS]);
  }
});
