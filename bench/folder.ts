/**
 * Makes data folders as a server leaves them: websites filled in process by the engine, then checkpointed and closed,
 * so that a start finds them as those of a server that was stopped. Starts a real server on such a folder.
 */
import { join } from "node:path";
import { dimensions } from "../src/core/questions/dimension.ts";
import { addUser } from "../src/engine/admin/account/users.ts";
import { addWebsite } from "../src/engine/admin/websites.ts";
import type { Engine } from "../src/engine/engine.ts";
import { openEngine } from "../src/engine/opening/open.ts";
import { systemClock } from "../src/lib/clock.ts";
import { silentLogger } from "../src/lib/log.ts";
import { systemRandom } from "../src/lib/random.ts";
import { monthEndMs } from "../src/store/chunks/month.ts";
import type { Site } from "../src/store/state/site.ts";
import { withFolder } from "../test/support/folder.ts";
import { account, fromSource, ServerProcess } from "../test/support/server.ts";
import { addPageView, pageViews, type PageViewRow } from "./data.ts";

/** Whatever the API lists of a website, and the other questions of its page. */
export const lists = [...dimensions.map(({ list }) => list), "time", "properties", "summary"];

/** The first website's; the others are `2.bench.example` and so on. */
export const hostname = "bench.example";

/** Makes `folder`: `websites` of `rows` page views each, that belong to `account`. */
export async function fillFolder(folder: string, websites: number, rows: number): Promise<void> {
  const options = { folder, clock: systemClock, random: systemRandom, logger: silentLogger, demo: false };
  const engine = await openEngine(options);
  const { userId } = await addUser(engine, account);
  for (let at = 1; at <= websites; at++) {
    const name = at === 1 ? hostname : `${at}.${hostname}`;
    const { websiteId } = await addWebsite(engine, { userId, sessionId: "" }, { hostname: name });
    const site = engine.site(websiteId);
    if (site === undefined) throw new Error(`${name} was not added`);
    await fill(engine, site, pageViews(rows, at));
  }
  // These rows came by no record: a stop alone does not know that there is something to save.
  await engine.purge();
  await engine.stop();
}

/** With more rows than this in memory, a month that is over goes into its files before the next one begins. */
const residentRows = 4_000_000;

async function fill(engine: Engine, site: Site, views: Iterable<PageViewRow>): Promise<void> {
  let [resident, nextMonthMs] = [0, 0];
  for (const view of views) {
    if (view.timeMs >= nextMonthMs) {
      nextMonthMs = monthEndMs(view.timeMs);
      if (resident > residentRows) {
        // By the engine's clock all that was added is long over, so a checkpoint seals it and frees its memory.
        await engine.purge();
        resident = 0;
      }
    }
    addPageView(site, view);
    resident++;
  }
}

/** With a server, by default from source, logged in, that has `hostname` with so many page views. */
export function withServerOf<T>(
  rows: number,
  use: (server: ServerProcess) => Promise<T>,
  command: readonly string[] = fromSource,
): Promise<T> {
  return withFolder(async (folder) => {
    await fillFolder(join(folder, "snapshots"), 1, rows);
    const server = await ServerProcess.start(command, folder);
    try {
      await server.logIn();
      return await use(server);
    } finally {
      await server.end("SIGTERM");
    }
  });
}

/** With a server on a new folder, logged in, that has `hostname`: one with these options, and hits that all come from this machine. */
export function withNewServer<T>(
  use: (server: ServerProcess, folder: string) => Promise<T>,
  command: readonly string[] = fromSource,
  website: object = {},
): Promise<T> {
  return withFolder(async (folder) => {
    const server = await ServerProcess.start(command, folder, ["--loads-per-network", "1000000"]);
    try {
      await server.logIn();
      const added = await server.post("/websites", { hostname, ...website });
      if (added.status !== 201)
        throw new Error(`the website was not added: ${added.status} ${await added.text()}`);
      return await use(server, folder);
    } finally {
      await server.end("SIGTERM");
    }
  });
}

/** Asks for `path` and reads the answer to its end. Throws for any but 200. */
export async function answered(server: ServerProcess, path: string): Promise<Headers> {
  const answer = await server.get(path);
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
  return answer.headers;
}
