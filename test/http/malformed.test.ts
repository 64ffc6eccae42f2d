/** Malformed and smuggling requests over a socket: none is taken for a hit that it is not, and each comes to its end. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { addWebsite } from "../../src/engine/admin/admin.ts";
import { listen, type Listening } from "../../src/http/serve.ts";
import { malformedRequests, siegeHost, type Malformed } from "../siege/malformed.ts";
import { sendRaw, statusesIn } from "../siege/raw.ts";
import { TestServer } from "../support/http.ts";
import { browser } from "../support/server.ts";

/** What waits for more of a request takes as long as Bun gives it: 12 seconds, of all of them together. */
const waits = process.env["FOOTFALL_SIEGE"] !== undefined;
const hangsMs = 15_000;

let server: TestServer;
let cookie: string;
let listening: Listening;
beforeAll(async () => {
  server = await TestServer.open();
  cookie = await server.prepare();
  const [userId] = server.engine.registry.users.keys();
  await addWebsite(server.engine, { userId: userId as number, sessionId: "" }, { hostname: siegeHost });
  listening = listen(server.app, "127.0.0.1", 0);
});
afterAll(() => listening.stop(1_000));

async function counted(): Promise<string[]> {
  const rows = await server.ask("GET", `/website/${siegeHost}/pages`, { cookie });
  return ((await rows.json()) as { path: string }[]).map(({ path }) => path);
}

function send({ bytes, then }: Malformed) {
  const isWhole = (text: string) => !waits && statusesIn(text).length > 0;
  return sendRaw(listening.port, bytes, { isWhole, msMax: hangsMs, then });
}

describe("malformed and smuggling requests", () => {
  const all = malformedRequests();

  test("are of more than 150 kinds", () => {
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    expect(all.length).toBeGreaterThanOrEqual(150);
  });

  test("are answered or cut in time, and count nothing that they must not", async () => {
    const sent = all.filter(({ then }) => waits || then !== "open");
    const answers = await Promise.all(sent.map(async (kind) => ({ kind, answer: await send(kind) })));
    for (const { kind, answer } of answers) {
      expect([kind.name, answer.ms < hangsMs]).toEqual([kind.name, true]);
      expect([
        kind.name,
        statusesIn(answer.text).filter((status) => status >= 500 && status !== 505),
      ]).toEqual([kind.name, []]);
    }
    const good = { b: "good", u: `https://${siegeHost}/good`, p: true };
    const headers = { "user-agent": browser };
    const hit = await fetch(`${listening.url}event/hit`, {
      method: "POST",
      headers,
      body: JSON.stringify(good),
    });
    expect(await hit.json()).toEqual({ accepted: true });
    const allowed = new Set(["/good", ...sent.flatMap(({ mayCount }) => mayCount)]);
    const paths = await counted();
    expect(paths).toContain("/good");
    expect(paths.filter((path) => !allowed.has(path))).toEqual([]);
  });
});
