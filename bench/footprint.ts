/**
 * Measures the memory needed to answer: of Footfall's executable on a folder as a server leaves it, after its start, right
 * after every question was asked, and once it is at rest again; and of a process that has asked DuckDB the same questions
 * about its file.
 */
import { join } from "node:path";
import { Site } from "../src/store/state/site.ts";
import { withFolder } from "../test/support/folder.ts";
import { ServerProcess } from "../test/support/server.ts";
import { pageViews } from "./data.ts";
import { openPeer, reopenPeer } from "./duckdb.ts";
import { answered, fillFolder, hostname, lists } from "./folder.ts";
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
  const ours = await withFolder(async (folder) => {
    await fillFolder(join(folder, "snapshots"), 1, rows);
    return footfall(folder, [executable ?? build(join(folder, "footfall"))]);
  });
  return [...ours, await withFolder((folder) => duckDb(folder, rows))];
}

async function footfall(folder: string, command: readonly string[]): Promise<FootprintResult[]> {
  // A server makes facts beside its other work. These rows came at once, so one has to make them all first.
  const maker = await ServerProcess.start(command, folder);
  await untilAtRest(maker.pid, patienceMs);
  await maker.end("SIGTERM");
  const server = await ServerProcess.start(command, folder);
  try {
    await server.logIn();
    await untilAtRest(server.pid, patienceMs);
    const started = memoryOf(server.pid);
    await askEverything(server);
    const asked = memoryOf(server.pid);
    await untilAtRest(server.pid, patienceMs);
    return [
      { what: "Footfall, started", memory: started },
      { what: "Footfall, right after every question", memory: asked },
      { what: "Footfall, at rest after every question", memory: memoryOf(server.pid) },
    ];
  } finally {
    await server.end("SIGTERM");
  }
}

async function askEverything(server: ServerProcess): Promise<void> {
  for (const filters of ["", "&browser[eq]=Chrome&country[eq]=Germany"]) {
    for (const question of [...lists.map((list) => `${list}?`), "summary?interval=day&"])
      await answered(server, `/website/${hostname}/${question}${filters}&limit=${limit}`);
  }
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
