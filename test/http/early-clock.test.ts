/** A server whose clock is before the program was written, as at a boot before NTP: it takes no hits, and says so. */
import { expect, test } from "bun:test";
import type { Engine } from "../../src/engine/engine.ts";
import { TestServer } from "../support/http.ts";
import { entriesOf } from "../support/log-lines.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { TestClock } from "../support/clock.ts";
import { noonMs } from "../support/records.ts";
import { makeToken } from "../support/tokens.ts";

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const message = "the clock of the server is wrong: try again";

test("hits of 1970 are refused and not counted as refused, until the clock is set", async () => {
  const clock = new TestClock();
  const { entries, logger } = entriesOf();
  const server = await TestServer.open({ clock, logger, disk: new MemoryDisk() });
  const cookie = await server.prepare();
  const { headers } = await makeToken(server, cookie, "send");
  const hit = async (body: object, userAgent = firefox) => {
    const response = await server.hit(body, { "user-agent": userAgent });
    return [response.status, ((await response.json()) as { error?: { message: string } }).error?.message];
  };
  const load = (b: string) => ({ b, u: "https://example.com/", p: true });
  const send = async () => {
    const body = { hits: [{ ...load("sent"), time: new Date(noonMs).toISOString(), user_agent: firefox }] };
    return (await server.ask("POST", "/event/batch", { body, headers })).status;
  };
  const ready = async () => (await server.ask("GET", "/readyz")).status;
  const taking = ({ engine }: { engine: Engine }) => engine.health().takesHits;

  clock.set(90_000);
  expect([await ready(), taking(server)]).toEqual([500, false]);
  expect(await hit(load("a"))).toEqual([500, message]);
  expect(await hit(load("a"), "Googlebot/2.1")).toEqual([500, message]);
  expect((await hit({ ...load("b"), p: "yes" }))[0]).toBe(400);
  expect(await send()).toBe(500);
  expect(server.engine.hits.rejectionsOf(1)).toEqual([]);

  clock.set(noonMs + 90_000);
  expect([await ready(), taking(server)]).toEqual([200, true]);
  expect((await hit(load("a")))[0]).toBe(200);
  expect(await send()).toBe(200);
  expect(server.engine.site(1)?.rows).toBe(2);
  const summary = await server.ask("GET", "/website/example.com/summary?interval=day", { cookie });
  expect(summary.status).toBe(200);
  expect(entries.filter(({ message }) => message.includes("clock"))).toMatchObject([
    { level: "error", message: "hits are refused while the clock is before 2025" },
    { level: "info", message: "the clock was set: hits are taken" },
  ]);
});
