/**
 * What is held in memory to answer: Footfall's server after its start and after every question, and a process that has
 * asked DuckDB for the same of its file.
 */
import { dimensions } from "../src/core/dimension.ts";
import { Site } from "../src/store/site.ts";
import { withFolder } from "../test/support/folder.ts";
import type { ServerProcess } from "../test/support/server.ts";
import { pageViews } from "./data.ts";
import { openPeer, reopenPeer } from "./duckdb.ts";
import { hostname, withServerOf } from "./folder.ts";
import { memoryOf, type Memory } from "./memory.ts";
import { table } from "./measure.ts";
import { limit, questions } from "./questions.ts";

export interface FootprintResult {
  readonly what: string;
  readonly memory: Memory;
}

export async function benchFootprint(rows: number): Promise<FootprintResult[]> {
  const ours = await withServerOf(rows, footfall);
  return [...ours, await withFolder((folder) => duckDb(folder, rows))];
}

async function footfall(server: ServerProcess): Promise<FootprintResult[]> {
  const started = memoryOf(server.pid);
  for (const filters of ["", "&browser[eq]=Chrome&country[eq]=Germany"]) {
    const plain = [...dimensions.map(({ list }) => list), "time", "properties", "summary"];
    for (const question of [...plain.map((list) => `${list}?`), "summary?interval=day&"]) {
      const answer = await server.get(`/website/${hostname}/${question}limit=${limit}${filters}`);
      await answer.arrayBuffer();
      if (answer.status !== 200) throw new Error(`${question} answered ${answer.status}`);
    }
  }
  return [
    { what: "Footfall, started", memory: started },
    { what: "Footfall, after every question", memory: memoryOf(server.pid) },
  ];
}

async function duckDb(folder: string, rows: number): Promise<FootprintResult> {
  (await openPeer(folder, pageViews(rows))).close();
  const child = Bun.spawn([process.execPath, import.meta.path, folder], {
    stdio: ["ignore", "pipe", "inherit"],
    timeout: 600_000,
  });
  const text = await child.stdout.text();
  if ((await child.exited) !== 0) throw new Error("DuckDB's memory could not be measured");
  return { what: "DuckDB, after every question", memory: JSON.parse(text) };
}

export function footprintTable(results: readonly FootprintResult[]): string {
  return table(
    ["memory of", "resident MB", "of it its own MB"],
    results.map(({ what, memory }) => [what, memory.residentMb, memory.anonymousMb]),
  );
}

if (import.meta.main) {
  const peer = await reopenPeer(process.argv[2] as string);
  for (const question of questions(new Site(1), peer)) await question.theirs();
  console.log(JSON.stringify(memoryOf(process.pid)));
  peer.close();
}
