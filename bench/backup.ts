/**
 * Measures how long hits wait while a backup is made. A real server has a website of many page views, and hits at a
 * fixed rate from a process of its own: first alone, then while `footfall backup` copies everything to new folders, one
 * backup after the other.
 */
import { join } from "node:path";
import { withFolder } from "../test/support/folder.ts";
import { fromSource, runToEnd, ServerProcess } from "../test/support/server.ts";
import { fillFolder } from "./folder.ts";
import { table } from "./measure.ts";
import type { LoadAtRate } from "./open-loop.ts";
import { load } from "./under-load.ts";

export interface BackupOptions {
  readonly rows: number;
  /** Hits a second. */
  readonly rate: number;
  /** The length of each load. */
  readonly seconds: number;
  /** The program; undefined: from source. */
  readonly command?: readonly string[];
}

export interface BackupResult extends LoadAtRate {
  readonly what: string;
  /** The number of backups that were made meanwhile. */
  readonly backups: number;
}

const data = "data";

export function benchBackup({
  rows,
  rate,
  seconds,
  command = fromSource,
}: BackupOptions): Promise<BackupResult[]> {
  return withFolder(async (folder) => {
    await fillFolder(join(folder, data), 1, rows);
    const args = ["--data", data, "--loads-per-network", "1000000"];
    const server = await ServerProcess.start(command, folder, args);
    try {
      const alone = await load(server.port, rate, seconds, 1);
      let isOver = false;
      const loaded = load(server.port, rate, seconds, 2).finally(() => (isOver = true));
      let backups = 0;
      while (!isOver) {
        const { exitCode, errors } = await runToEnd(command, folder, [
          "backup",
          `backup-${++backups}/`,
          "--data",
          data,
        ]);
        if (exitCode !== 0) throw new Error(`the backup failed: ${errors}`);
      }
      return [
        { what: "nothing", backups: 0, ...alone },
        { what: "backups", backups, ...(await loaded) },
      ];
    } finally {
      await server.end("SIGTERM");
    }
  });
}

export function backupTable(results: readonly BackupResult[]): string {
  return table(
    ["meanwhile", "backups", "hits", "p50 ms", "p99 ms", "max ms"],
    results.map(({ what, backups, hits, p50Ms, p99Ms, maxMs }) => [
      what,
      `${backups}`,
      `${hits}`,
      p50Ms,
      p99Ms,
      maxMs,
    ]),
  );
}
