/**
 * Measures the memory needed to answer: of Footfall's executable after its start, and after every question was asked,
 * before and after it made its facts; and of a process that has asked DuckDB the same questions about its file.
 */
import { join } from "node:path";
import { dimensions } from "../src/core/dimension.ts";
import { Site } from "../src/store/state/site.ts";
import { withFolder } from "../test/support/folder.ts";
import type { ServerProcess } from "../test/support/server.ts";
import { pageViews } from "./data.ts";
import { openPeer, reopenPeer } from "./duckdb.ts";
import { hostname, withServerOf } from "./folder.ts";
import { build } from "./idle.ts";
import { memoryOf, untilAtRest, type Memory } from "./memory.ts";
import { table } from "./measure.ts";
import { limit, questions } from "./questions.ts";

const patienceMs = 300_000;

export interface FootprintResult {
  readonly what: string;
  readonly memory: Memory;
}

/** `executable`: undefined for that of this checkout, built for this time. */
export async function benchFootprint(rows: number, executable?: string): Promise<FootprintResult[]> {
  const ours = await withFolder((folder) =>
    withServerOf(rows, footfall, [executable ?? build(join(folder, "footfall"))]),
  );
  return [...ours, await withFolder((folder) => duckDb(folder, rows))];
}

async function footfall(server: ServerProcess): Promise<FootprintResult[]> {
  const started = memoryOf(server.pid);
  await askEverything(server);
  // Answered from rows until the aggregates are there.
  await untilAtRest(server.pid, patienceMs);
  await askEverything(server);
  return [
    { what: "Footfall, started", memory: started },
    { what: "Footfall, after every question", memory: memoryOf(server.pid) },
  ];
}

async function askEverything(server: ServerProcess): Promise<void> {
  for (const filters of ["", "&browser[eq]=Chrome&country[eq]=Germany"]) {
    const plain = [...dimensions.map(({ list }) => list), "time", "properties", "summary"];
    for (const question of [...plain.map((list) => `${list}?`), "summary?interval=day&"])
      await ask(server, `${question}${filters}&`);
  }
}

async function ask(server: ServerProcess, question: string): Promise<Response> {
  const answer = await server.get(`/website/${hostname}/${question}limit=${limit}`);
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${question} answered ${answer.status}`);
  return answer;
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
    ["memory of", "resident MB", "private MB"],
    results.map(({ what, memory }) => [what, memory.residentMb, memory.anonymousMb]),
  );
}

if (import.meta.main) {
  const peer = await reopenPeer(process.argv[2] as string);
  for (const question of questions(new Site(1), peer)) await question.theirs();
  console.log(JSON.stringify(memoryOf(process.pid)));
  peer.close();
}
