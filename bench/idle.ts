/**
 * Measures the executable before anybody asks it anything: milliseconds from its start to the first answer of /healthz,
 * and the memory it keeps when it is left alone.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { withFolder } from "../test/support/folder.ts";
import { ServerProcess } from "../test/support/server.ts";
import { answered, fillFolder } from "./folder.ts";
import { median, table } from "./measure.ts";
import { memoryOf, type Memory } from "./memory.ts";
import { thisCheckout } from "./scale-folder.ts";

export interface IdleOptions {
  /** Starts of each kind. */
  readonly runs: number;
  /** The wait between the first answer and the look at the memory, in milliseconds. */
  readonly waitMs: number;
  /** The number of websites, of `rows` page views each, in the greatest folder. */
  readonly websites: number;
  readonly rows: number;
  /** The path of the executable; by default that of this checkout, built for this time. */
  readonly executable?: string;
}

export interface IdleResult extends Memory {
  readonly what: string;
  readonly firstAnswerMs: number;
}

export function benchIdle(options: IdleOptions): Promise<IdleResult[]> {
  const { runs, waitMs, websites, rows } = options;
  return withFolder(async (top) => {
    const executable = options.executable ?? build(join(top, "footfall"));
    const results: IdleResult[] = [];
    for (const [what, count] of [
      ["a new folder", 0],
      [`a website of ${rows} page views`, 1],
      [`${websites} websites of ${rows} page views`, websites],
    ] as const) {
      const folder = join(top, `folder-${count}`);
      mkdirSync(folder);
      if (count > 0) await fillFolder(join(folder, "snapshots"), count, rows);
      const starts = [];
      for (let run = 0; run < runs; run++) {
        if (count === 0) rmSync(join(folder, "snapshots"), { recursive: true, force: true });
        // The last one is left alone for a while.
        starts.push(await start(executable, folder, run === runs - 1 ? waitMs : 0));
      }
      const { residentMb, anonymousMb } = starts.at(-1) as Memory;
      results.push({ what, firstAnswerMs: median(starts.map((each) => each.ms)), residentMb, anonymousMb });
    }
    return results;
  });
}

/** Builds the executable of `checkout`, the top folder of the project, and returns its path. */
export function build(executable: string, checkout = thisCheckout): string {
  const built = Bun.spawnSync([process.execPath, "build.ts", executable], {
    cwd: checkout,
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (!built.success) throw new Error(built.stderr.toString());
  return executable;
}

async function start(executable: string, folder: string, waitMs: number): Promise<Memory & { ms: number }> {
  const startMs = performance.now();
  // No account: hashing its password is no part of a start.
  const server = await ServerProcess.start([executable], folder, [], {});
  try {
    await answered(server, "/healthz");
    const ms = performance.now() - startMs;
    await Bun.sleep(waitMs);
    return { ms, ...memoryOf(server.pid) };
  } finally {
    await server.end("SIGTERM");
  }
}

export function idleTable(results: readonly IdleResult[]): string {
  return table(
    ["the executable with", "first answer ms", "resident MB", "private MB"],
    results.map(({ what, firstAnswerMs, residentMb, anonymousMb }) => [
      what,
      firstAnswerMs,
      residentMb,
      anonymousMb,
    ]),
  );
}
