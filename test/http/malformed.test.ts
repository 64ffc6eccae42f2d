/**
 * Malformed and smuggling requests over a socket: none is taken for a hit that it is not, and each comes to its end. Those
 * where more of the request is missing take as long as Bun gives them: only `npm run siege` sends them.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { addWebsite } from "../../src/engine/admin/websites.ts";
import type { Listening } from "../../src/http/serve.ts";
import { siegeHostname } from "../siege/attack.ts";
import { malformedRequests } from "../siege/malformed.ts";
import { sendMalformed, wrongOf } from "../siege/malformed-attack.ts";
import type { TestServer } from "../support/http.ts";
import { startListening } from "../support/listening.ts";
import { browser } from "../support/server.ts";

let server: TestServer;
let cookie: string;
let listening: Listening;
beforeAll(async () => {
  ({ server, cookie, listening } = await startListening());
  const [userId] = server.engine.registry.users.keys();
  await addWebsite(server.engine, { userId: userId as number, sessionId: "" }, { hostname: siegeHostname });
});
afterAll(() => listening.stop(1_000));

async function counted(): Promise<string[]> {
  const rows = await server.get<{ path: string }[]>(`/website/${siegeHostname}/pages`, cookie);
  return rows.map(({ path }) => path);
}

describe("malformed and smuggling requests", () => {
  const all = malformedRequests();

  test("are of more than 150 kinds", () => {
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    expect(all.length).toBeGreaterThanOrEqual(150);
  });

  test("are answered or cut in time, and count nothing that they must not", async () => {
    const answers = await sendMalformed(listening.port, false);
    const good = { b: "good", u: `https://${siegeHostname}/good`, p: true };
    const headers = { "user-agent": browser };
    const hit = await fetch(`${listening.url}event/hit`, {
      method: "POST",
      headers,
      body: JSON.stringify(good),
    });
    expect(await hit.json()).toEqual({ accepted: true });
    const paths = await counted();
    expect(paths).toContain("/good");
    expect(
      wrongOf(
        answers,
        paths.filter((path) => path !== "/good"),
      ),
    ).toEqual({ hanging: [], failed: [], counted: [] });
  });
});
