/** Deletes a website under load: within a minute no file holds its paths, also after a kill and another start. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { withFolder } from "../support/folder.ts";
import { until } from "../support/until.ts";
import { hostname, Sender, startFresh, startServer } from "./sender.ts";
import type { Torture } from "./torture.ts";

const goneMs = 60_000;
const needle = "needle";
const hitsMin = 200;

/** The files that hold the bytes of the needle. */
function filesWith(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const holds = (path: string) => {
    try {
      return readFileSync(path).includes(needle);
    } catch {
      // It was removed meanwhile.
      return false;
    }
  };
  return files.map(({ parentPath, name }) => join(parentPath, name)).filter(holds);
}

export const deletion: Torture = {
  about: "a website deleted under load",
  rounds: { full: 20, short: 1 },
  run: ({ rounds, command }) =>
    withFolder(async (folder) => {
      let server = await startFresh(command, folder);
      const data = join(folder, "data");
      let longestMs = 0;
      for (let round = 0; round < rounds; round++) {
        const host = `${round}.example`;
        await server.post("/websites", { hostname: host });
        const kept = new Sender(server, `/kept/${round}/`, 4);
        const goes = new Sender(server, `/${needle}/${round}/`, 4, Infinity, host);
        await until(() => goes.sent.acknowledged.size > hitsMin, "hits of the website are taken");
        if (filesWith(data).length === 0) throw new Error("no file has a path of the website");
        const startMs = performance.now();
        await server.delete(`/websites/${host}`);
        await until(
          () => filesWith(data).length === 0,
          () => `${filesWith(data).join()} hold a path`,
        );
        longestMs = Math.max(longestMs, performance.now() - startMs);
        await Promise.all([kept.stop(), goes.stop()]);
        const { cookie } = server;
        await server.end("SIGKILL");
        server = await startServer(command, folder, cookie);
        const [still] = filesWith(data);
        if (still !== undefined) throw new Error(`${still} holds a path after another start`);
        const rows = await server.rows(hostname, `pages?path[starts_with]=/kept/${round}/&limit=5000`);
        if (rows.length < Math.min(5_000, kept.sent.acknowledged.size))
          throw new Error("hits of another website are lost");
      }
      if (longestMs > goneMs) throw new Error(`its paths were in files for ${Math.round(longestMs)} ms`);
      await server.end("SIGTERM");
      return `${rounds} websites: their paths had left every file after ${Math.round(longestMs)} ms at most`;
    }),
};
