/** The download of what a website has: what is refused before it begins, and what ends it. */
import { expect, test } from "bun:test";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { addUser } from "../../src/engine/admin/account/users.ts";
import { addWebsite } from "../../src/engine/admin/websites.ts";
import { idleTimeoutS } from "../../src/http/transport/silence.ts";
import { commit, TestServer } from "../support/http.ts";
import { makeLink } from "../support/links.ts";
import { valuesOf } from "../support/records.ts";
import { makeToken } from "../support/tokens.ts";

const path = "/website/example.com/export";

async function opened(rows: number): Promise<{ server: TestServer; cookie: string }> {
  const server = await TestServer.open();
  const cookie = await server.prepare();
  const timeMs = server.clock.nowMs();
  const loads = Array.from({ length: rows }, (_, at) => ({
    timeMs: timeMs - rows + at,
    unique: true,
    seen: false,
    values: valuesOf(`/${at}`),
    properties: [{ timeMs: timeMs - rows + at, isEvent: true, properties: [["at", String(at)] as const] }],
  }));
  const position = { file: "f", fromPosition: 0, position: 1, digest: "" };
  await server.engine.commit({ kind: "import", timeMs, websiteId: 1, ...position, loads });
  return { server, cookie };
}

test("what is wrong is said before the file begins", async () => {
  const { server, cookie } = await opened(1);
  for (const [query, message] of [
    ["of=hits", 'of: expected page-views, visits, events, got "hits"'],
    ["of=visits&of=events", 'of: expected page-views, visits, events, got "visits, events"'],
    ["format=xml", "format: expected jsonl, jsonl.gz, jsonl.zst, csv, csv.gz, csv.zst"],
    ["start=x", "start: expected"],
    ["path[eq]=/", "path: a download takes no filters"],
  ] as const) {
    const response = await server.ask("GET", `${path}?${query}`, { cookie });
    expect([query, response.status]).toEqual([query, 400]);
    expect(await response.text()).toContain(JSON.stringify(message).slice(1, -1));
  }
  const { headers } = await makeLink(server, cookie);
  expect((await server.ask("GET", path, { headers })).status).toBe(403);
  expect((await server.ask("GET", path)).status).toBe(401);
});

test("rows that were removed leave the properties of those behind them", async () => {
  // One piece of a download begins at the first row and ends at the last, with more rows removed than it may have.
  const rows = 9_002;
  const { server, cookie } = await opened(rows);
  const others = `path[neq]=/0&path[neq]=/${rows - 1}&dry_run=false`;
  const removed = await server.ask("POST", `/website/example.com/purge?${others}`, { cookie });
  expect(await removed.json()).toMatchObject({ pageviews: rows - 2, removed: true });
  for (const of of ["page-views", "events"]) {
    const lines = (await (await server.ask("GET", `${path}?of=${of}`, { cookie })).text())
      .trimEnd()
      .split("\n");
    expect([of, lines.length]).toEqual([of, 2]);
    expect(lines[1]).toContain(`"value":"${rows - 1}"`);
  }
});

test("a period is inclusive, a file is packed, and HEAD makes none", async () => {
  const { server, cookie } = await opened(10);
  const firstMs = server.clock.nowMs() - 10;
  const [start, end] = [firstMs + 2, firstMs + 4].map((ms) => new Date(ms).toISOString());
  const response = await server.ask("GET", `${path}?format=csv.gz&start=${start}&end=${end}`, { cookie });
  const [, ...lines] = gunzipSync(await response.bytes())
    .toString()
    .trimEnd()
    .split("\r\n");
  expect(lines.map((line) => line.split(",")[2])).toEqual(["/2", "/3", "/4"]);
  const head = await server.ask("HEAD", path, { cookie });
  expect([head.status, head.headers.get("content-disposition"), head.headers.get("content-length")]).toEqual([
    200,
    'attachment; filename="example.com-page-views.jsonl"',
    null,
  ]);
});

test("a file whose reader logs out meanwhile, or whose website goes, is cut off", async () => {
  const { server, cookie } = await opened(20_000);
  const readers = [await server.ask("GET", path, { cookie }), await server.ask("GET", path, { cookie })];
  const [left, gone] = readers.map(({ body }) => (body as ReadableStream<Uint8Array>).getReader());
  const restOf = async (reader: typeof left) => {
    try {
      while ((await reader?.read())?.done === false);
      return "whole";
    } catch {
      return "cut";
    }
  };
  expect((await left?.read())?.value?.length).toBeGreaterThan(100_000);
  expect((await gone?.read())?.value?.length).toBeGreaterThan(100_000);
  await server.ask("DELETE", "/websites/example.com", { cookie });
  expect(await restOf(gone)).toBe("cut");
  await server.ask("POST", "/auth/logout", { cookie });
  expect(await restOf(left)).toBe("cut");
});

test("an account has four files at a time, and room again however one of them ends", async () => {
  const { server, cookie } = await opened(20_000);
  const get = (own = cookie, format = "jsonl.zst", method = "GET") =>
    server.ask(method, `${path}?format=${format}`, { cookie: own });
  const archive = (method = "GET") => server.ask(method, "/website/example.com/export.zip", { cookie });
  const readers: Response[] = [await archive()];
  while (readers.length < 4) readers.push(await get());
  for (const refused of [await get(), await archive()]) {
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([500, "10"]);
    expect(await refused.text()).toContain(
      "at most 4 files are made at a time for an account, and 16 for all",
    );
  }
  // One is taken to its end, another is given up, and nobody reads what HEAD asks for.
  await readers.pop()?.bytes();
  readers.push(await get());
  await readers.pop()?.body?.cancel();
  for (let time = 0; time < 3; time++) {
    const heads = [await get(cookie, "jsonl.zst", "HEAD"), await archive("HEAD")];
    for (const { status, headers } of heads)
      expect([status, headers.get("content-length")]).toEqual([200, null]);
    expect((await get(cookie, "xml")).status).toBe(400);
  }
  const [headers, gone] = [{ cookie: `_me_sess=${cookie}` }, new AbortController()];
  const { signal } = gone;
  readers.push(await server.fetch(new Request(`http://localhost${path}`, { headers, signal })));
  expect((await get()).status).toBe(500);
  gone.abort();
  readers.push(await get());
  expect([readers.at(-1)?.status, (await get()).status]).toEqual([200, 500]);
});

test("a file that fails gives its place back, and all accounts have sixteen", async () => {
  const { server, cookie } = await opened(20_000);
  const ask = server.engine.ask.bind(server.engine);
  server.engine.ask = async () => {
    throw new Error("no answer");
  };
  for (let time = 0; time < 5; time++) {
    const broken = await server.ask("GET", path, { cookie });
    expect([broken.status, await broken.text().catch(() => "cut")]).toEqual([200, "cut"]);
  }
  server.engine.ask = ask;
  const codes: number[] = [];
  for (const username of ["bea", "cyd", "dan", "eve"]) {
    const { userId } = await addUser(server.engine, { username, password: "long enough" });
    const hostname = `${username}.example`;
    await addWebsite(server.engine, { userId, sessionId: "" }, { hostname });
    const own = await server.logIn({ username, password: "long enough" });
    for (let time = 0; time < 4; time++)
      codes.push((await server.ask("GET", `/website/${hostname}/export`, { cookie: own })).status);
  }
  expect(codes).toEqual(codes.map(() => 200));
  expect((await server.ask("GET", path, { cookie })).status).toBe(500);
});

test("a file that is packed with Zstandard is the same, and takes little memory to pack", async () => {
  const { server, cookie } = await opened(20_000);
  const whole = await (await server.ask("GET", path, { cookie })).bytes();
  const packed = await (await server.ask("GET", `${path}?format=jsonl.zst`, { cookie })).bytes();
  expect(zstdDecompressSync(packed).equals(whole)).toBe(true);
  // A frame says in its sixth byte how far it looks back.
  expect(10 + (packed[5]! >> 3)).toBeLessThanOrEqual(17);
});

test("an API token gets all of a file, and no more once it is revoked", async () => {
  const { server, cookie } = await opened(20_000);
  const { id, headers } = await makeToken(server, cookie, "admin");
  const whole = await (await server.ask("GET", path, { cookie })).text();
  expect(await (await server.ask("GET", path, { headers })).text()).toBe(whole);
  const reader = (
    (await server.ask("GET", path, { headers })).body as ReadableStream<Uint8Array>
  ).getReader();
  await reader.read();
  await server.ask("DELETE", `/user/tokens/${id}`, { cookie });
  const rest = async () => {
    while ((await reader.read()).done === false);
  };
  expect(rest()).rejects.toThrow();
});

test("rows of one millisecond are there once each, however many pieces they take", async () => {
  const { server, cookie } = await opened(0);
  const timeMs = server.clock.nowMs();
  const position = { file: "g", digest: "" };
  for (let at = 0; at < 3; at++) {
    const loads = Array.from({ length: 10_000 }, (_, row) => ({
      timeMs,
      unique: true,
      seen: false,
      values: valuesOf(`/${at}/${row}`),
    }));
    const own = { ...position, fromPosition: at, position: at + 1, loads };
    await server.engine.commit({ kind: "import", timeMs, websiteId: 1, ...own });
  }
  const text = await (await server.ask("GET", path, { cookie })).text();
  const paths = text
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { path: string }).path);
  expect(new Set(paths).size).toBe(30_000);
  expect(paths.length).toBe(30_000);
});

test("HEAD of an answer that breaks off is a 500 without a length", async () => {
  const { server, cookie } = await opened(3_000);
  const asked = async (method: string) => {
    const gone = new AbortController();
    let begun = false;
    // The client goes before the first piece of the answer, for which its connection gets time again.
    const timeout = (_: Request, seconds: number) => {
      if (begun) gone.abort();
      begun = seconds === idleTimeoutS;
    };
    const request = new Request("http://localhost/website/example.com/pages?limit=3000", {
      method,
      headers: { cookie: `_me_sess=${cookie}` },
      signal: gone.signal,
    });
    return server.app.fetch(request, { requestIP: () => ({ address: "127.0.0.1" }), timeout });
  };
  const get = await asked("GET");
  expect([get.status, await get.text().catch(() => "cut")]).toEqual([200, "cut"]);
  const { status, headers } = await asked("HEAD");
  expect([status, headers.get("content-length")]).toEqual([500, null]);
  expect([headers.get("x-api-commit"), headers.get("content-type")]).toEqual([commit, "application/json"]);
});
