/** The answer about what just happened, over HTTP: who gets it, how often it is made, and when the stream asks for it. */
import { expect, test } from "bun:test";
import type { Recent } from "../../src/core/questions/recent.ts";
import { TestServer } from "../support/http.ts";
import { makeLink } from "../support/links.ts";

const path = "/website/example.com/recent";

async function visit(server: TestServer, page: string): Promise<void> {
  const body = {
    b: page,
    u: `https://example.com/${page}`,
    r: "https://www.google.com/",
    t: "Europe/Berlin",
    p: true,
  };
  await server.hit(body);
}

async function pathsIn(answer: Promise<Response>): Promise<string[]> {
  return ((await (await answer).json()) as Recent).views.map(({ path }) => path);
}

test("a view is there with its page, source, country and device, and its goals by name", async () => {
  const server = await TestServer.open();
  const cookie = await server.prepare();
  const goal = { name: "Reading", page: { starts_with: "/blog" } };
  await server.ask("POST", "/website/example.com/goals", { cookie, body: goal });
  await visit(server, "blog");
  const answer = await server.get<Recent>(path, cookie);
  expect(answer.views).toEqual([
    {
      minute: new Date(Math.floor(server.clock.nowMs() / 60_000) * 60_000).toISOString(),
      path: "/blog",
      source: "Google",
      country: "Germany",
      device: "Desktop",
      goals: ["Reading"],
    },
  ]);
  expect(answer.pageviews.reduce((sum, count) => sum + count)).toBe(1);
});

test("an answer that differs is made once a second, and all who ask before wait for the same one", async () => {
  const server = await TestServer.open();
  const cookie = await server.prepare();
  const ask = () => pathsIn(server.ask("GET", path, { cookie }));
  expect(await ask()).toEqual([]);
  await visit(server, "first");
  const early = [ask(), ask()];
  // The answers wait by the server's clock, which stands still; another hit comes meanwhile.
  await visit(server, "second");
  expect(await Promise.all(early)).toEqual([
    ["/second", "/first"],
    ["/second", "/first"],
  ]);
  await visit(server, "third");
  server.clock.advance(1_000);
  expect(await ask()).toEqual(["/third", "/second", "/first"]);
});

test("the stream tells an account that something was recorded, and a link only the number", async () => {
  const server = await TestServer.open();
  const cookie = await server.prepare();
  const link = await makeLink(server, cookie);
  const streams = await Promise.all(
    [{ cookie }, { headers: link.headers }].map(async (asked) => {
      const { body } = await server.ask("GET", "/website/example.com/live", asked);
      return (body as ReadableStream<Uint8Array>).getReader();
    }),
  );
  const next = async (at: number) => new TextDecoder().decode((await streams[at]?.read())?.value);
  for (const at of [0, 1]) expect(await next(at)).toContain('"visitors":0');
  await visit(server, "a");
  for (const at of [0, 1]) expect(await next(at)).toContain('"visitors":1');
  await server.hit({ b: "a", e: "custom", g: "example.com", d: { plan: "team" } });
  expect(await next(0)).toBe("event: change\ndata: {}\n\n");
  // This one names its website by its page view alone.
  await server.hit({ b: "a", d: { plan: "team" } });
  expect(await next(0)).toBe("event: change\ndata: {}\n\n");
  server.clock.advance(301_000);
  for (const at of [0, 1]) expect(await next(at)).toContain('"visitors":0');
  for (const stream of streams) await stream.cancel();
  expect((await server.ask("GET", path, { headers: link.headers })).status).toBe(403);
});
