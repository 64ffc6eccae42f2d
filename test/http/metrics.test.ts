/** The text that a monitoring system reads of the server, and who may read it. */
import { beforeAll, describe, expect, test } from "bun:test";
import { BackupMetrics } from "../../src/cli/backup/backup-metrics.ts";
import { TestServer } from "../support/http.ts";
import { linesOf } from "../support/log-lines.ts";
import { accountOf } from "../support/members.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { tidyPage } from "../support/readme.ts";
import { until } from "../support/until.ts";

const token = "a-secret-of-monitoring";

let server: TestServer;
let cookie: string;
beforeAll(async () => {
  server = await TestServer.open({ metricsToken: token });
  cookie = await server.prepare();
});

const read = (headers: Record<string, string>) => server.ask("GET", "/metrics", { headers });

async function figures(): Promise<ReadonlyMap<string, number>> {
  const answer = await read({ authorization: `Bearer ${token}` });
  expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const lines = (await answer.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      expect(line).toMatch(/^[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? \d+(\.\d+)?(e-\d+)?$/);
      const space = line.lastIndexOf(" ");
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}

describe("GET /metrics", () => {
  test("is for whoever has the token, and for the oldest account", async () => {
    expect((await read({ authorization: `bearer ${token}` })).status).toBe(200);
    expect((await server.ask("GET", "/metrics", { cookie })).status).toBe(200);
    for (const headers of [{}, { authorization: "Bearer other" }, { authorization: `Basic ${token}` }])
      expect((await read(headers as Record<string, string>)).status).toBe(401);
    const grace = await accountOf(server, "grace");
    expect((await server.ask("GET", "/metrics", { cookie: grace })).status).toBe(403);
    // Without one in the settings no token opens it.
    const other = await TestServer.open();
    for (const authorization of ["Bearer undefined", "Bearer "])
      expect((await other.ask("GET", "/metrics", { headers: { authorization } })).status).toBe(401);
  });

  test("counts hits by what became of them, requests by route and status, and times", async () => {
    const before = await figures();
    expect(before.get('footfall_hits_total{outcome="flood"}')).toBe(0);
    const load = { b: "one", u: "https://example.com/", p: true };
    for (const body of [load, load, "{", { u: 5 }, { ...load, u: "https://other.example/" }])
      await server.hit(body);
    await server.hit({ ...load, b: "two" }, { "user-agent": "Googlebot/2.1" });
    const after = await figures();
    const rise = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
    const outcomes = ["accepted", "duplicate", "crawler", "malformed", "unknown_website"] as const;
    expect(outcomes.map((outcome) => rise(`footfall_hits_total{outcome="${outcome}"}`))).toEqual([
      1, 1, 1, 2, 1,
    ]);
    const requests = (status: number) =>
      rise(`footfall_http_requests_total{route="POST /event/hit",status="${status}"}`);
    expect([200, 400, 404].map(requests)).toEqual([3, 2, 1]);
    expect(rise('footfall_http_request_duration_seconds_count{kind="hit"}')).toBe(6);
    expect(rise('footfall_http_request_duration_seconds_bucket{kind="hit",le="+Inf"}')).toBe(6);
    expect(after.get("footfall_websites")).toBe(1);
    // The hit, and its duplicate.
    expect(rise("footfall_log_records")).toBe(2);
    expect([after.get("footfall_takes_hits"), after.get("footfall_unavailable_websites")]).toEqual([1, 0]);
    expect(after.get("footfall_disk_free_bytes")).toBeGreaterThan(0);
    expect(after.get("process_resident_memory_bytes")).toBeGreaterThan(10_000_000);
  });

  test("has the log, checkpoints and memory by its parts", async () => {
    const before = await figures();
    const rise = async (name: string) => ((await figures()).get(name) ?? 0) - (before.get(name) ?? 0);
    await server.hit({ b: "log", u: "https://example.com/a-page-that-nobody-has-seen", p: true });
    expect(await rise('footfall_log_batch_seconds_count{outcome="stored"}')).toBe(1);
    expect(await rise("footfall_log_bytes_total")).toBeGreaterThan(20);
    expect(await rise("footfall_log_records_to_replay")).toBe(1);
    expect(await rise('footfall_memory_part_bytes{part="names"}')).toBeGreaterThan(20);
    expect(await rise('footfall_memory_part_bytes{part="early_hits"}')).toBe(0);
    await server.hit({ b: "not-there-yet", m: 3_000 });
    expect(await rise('footfall_memory_part_bytes{part="early_hits"}')).toBeGreaterThan(20);
    expect((await figures()).get('footfall_memory_bytes{kind="objects"}')).toBeGreaterThan(1_000_000);
    await server.engine.purge();
    expect(await rise('footfall_checkpoint_seconds_count{outcome="saved"}')).toBe(1);
    // The record that tells of it is itself in none.
    expect((await figures()).get("footfall_log_records_to_replay")).toBe(1);
  });

  test("has the figures whose names docs/operating.md promises", async () => {
    const now = [...(await figures()).keys()];
    const names = [
      ...new Set(now.map((name) => name.replace(/\{.*/, "").replace(/_(bucket|sum|count)$/, ""))),
    ];
    // A name is added here, and none goes: rules of monitoring systems have them.
    expect(names.toSorted()).toEqual([
      "footfall_accounts",
      "footfall_build_info",
      "footfall_checkpoint_seconds",
      "footfall_disk_free_bytes",
      "footfall_hits_total",
      "footfall_http_request_duration_seconds",
      "footfall_http_requests_total",
      "footfall_live_streams",
      "footfall_log_batch_seconds",
      "footfall_log_bytes_total",
      "footfall_log_records",
      "footfall_log_records_to_replay",
      "footfall_memory_bytes",
      "footfall_memory_part_bytes",
      "footfall_sessions",
      "footfall_takes_hits",
      "footfall_unavailable_websites",
      "footfall_websites",
      "process_resident_memory_bytes",
    ]);
    const backups = new BackupMetrics().lines().map((line) => line.replace(/ [^ ]+$/, ""));
    const page = await tidyPage("docs/operating.md");
    const told = [...page.matchAll(/\bfootfall_[a-z_]+(\{[^}]*\})?/g)].map(([name]) => name);
    const rules = [...page.matchAll(/expr: .*?(footfall_[a-z_]+(?:\{[^}]*\})?)/g)].map(([, name]) => name!);
    expect(rules).toEqual([
      "footfall_takes_hits",
      'footfall_hits_total{outcome="error"}',
      "footfall_unavailable_websites",
    ]);
    expect(told.filter((name) => ![...now, ...backups].includes(name))).toEqual([]);
  });

  test("says nothing that strangers chose", async () => {
    const stranger = { "user-agent": "StrangeAgent/1.0" };
    await server.hit({ b: "three", u: "https://stranger.example/secret" }, stranger);
    await server.ask("GET", "/made/up/path", {});
    const text = await (await read({ authorization: `Bearer ${token}` })).text();
    expect(text).not.toMatch(/stranger|StrangeAgent|made\/up/);
  });
});

describe("GET /readyz", () => {
  test("is 500 while the log cannot be written, as is the figure, and right again without a hit that shows it", async () => {
    const disk = new MemoryDisk();
    const own = await TestServer.open({ disk, metricsToken: token });
    await own.prepare();
    let beacons = 0;
    const hit = async () =>
      (await own.hit({ b: `b${beacons++}`, u: "https://example.com/", p: true })).status;
    const says = async () => {
      const metrics = await own.ask("GET", "/metrics", { headers: { authorization: `Bearer ${token}` } });
      const [, takes] = /^footfall_takes_hits (\d)$/m.exec(await metrics.text()) ?? [];
      return [(await own.ask("GET", "/readyz")).status, takes];
    };
    expect(await hit()).toBe(200);
    expect(await says()).toEqual([200, "1"]);
    // It has bytes, and no room for a file.
    disk.fillAt(1, Infinity);
    const records = own.engine.health().records;
    expect(await hit()).toBe(500);
    // Each time somebody asks for it, but at most each five seconds, it is tried again.
    for (let round = 0; round < 3; round++) {
      const tries = disk.calls;
      expect(await says()).toEqual([500, "0"]);
      await until(() => disk.calls > tries, "it is tried again");
      own.clock.advance(5_000);
    }
    disk.fillAt(Infinity, 0);
    await own.ask("GET", "/readyz");
    await until(async () => (await says())[0] === 200, "a record of its own is written");
    expect(await says()).toEqual([200, "1"]);
    expect(own.engine.health().records).toBe(records + 1);
    expect(await hit()).toBe(200);
    await own.engine.stop();
  });

  test("is 500 while the data folder is gone, and the other figures are there", async () => {
    const disk = new MemoryDisk();
    const { lines, logger } = linesOf();
    const own = await TestServer.open({ disk, metricsToken: token, logger });
    disk.failAt({ call: 1, code: "ENOENT", forGood: true });
    const ready = await own.ask("GET", "/readyz");
    expect(ready.status).toBe(500);
    expect(await ready.text()).toContain("hits are not taken");
    const metrics = await own.ask("GET", "/metrics", { headers: { authorization: `Bearer ${token}` } });
    expect(metrics.status).toBe(200);
    const text = await metrics.text();
    expect(text).toContain("\nfootfall_takes_hits 0\n");
    expect(text).not.toContain("footfall_disk_free_bytes");
    expect(lines).toEqual([]);
    disk.failAt(undefined);
    expect((await own.ask("GET", "/readyz")).status).toBe(200);
    await own.engine.stop();
  });

  test("is 500 with the reason from the moment on at which the server stops", async () => {
    const own = await TestServer.open();
    expect(await (await own.ask("GET", "/readyz")).json()).toEqual({ status: "ready" });
    const stopped = own.engine.stop();
    const answer = await own.ask("GET", "/readyz");
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([500, "10"]);
    expect(await answer.json()).toMatchObject({
      error: { message: expect.stringContaining("hits are not taken") },
    });
    await stopped;
  });
});
