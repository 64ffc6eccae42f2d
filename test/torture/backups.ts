/**
 * Makes backups of a server under load, to a folder, an archive and a bucket in turn, and restores them elsewhere: every
 * hit that was acknowledged before a backup began is in it.
 */
import { join } from "node:path";
import { withFolder } from "../support/folder.ts";
import { startS3 } from "../support/s3-server.ts";
import { dumpOf } from "../support/sound-folder.ts";
import { expectAll, Sender, startFresh, viewsIn } from "./sender.ts";
import type { Torture } from "./torture.ts";

/** The load in `npm test` is a small one. */
const rates = { full: 5_000, short: 300 } as const;
const aloneMs = { full: 4_000, short: 150 } as const;
const kinds = ["folder/", "archive.tar", "s3://bucket/footfall"] as const;

function p99(latenciesMs: readonly number[], from = 0): string {
  const sorted = latenciesMs.slice(from).sort((a, b) => a - b);
  return `${(sorted[Math.floor(sorted.length * 0.99)] ?? NaN).toFixed(1)} ms`;
}

export const backups: Torture = {
  about: "backups under load, restored elsewhere",
  rounds: { full: 9, short: 1 },
  run: ({ rounds, seed, command, isFull = false }) =>
    withFolder(async (top) => {
      const size = isFull ? "full" : "short";
      const s3 = startS3("bucket");
      const env = Object.fromEntries(s3.environment.map((line) => line.split("=") as [string, string]));
      const run = async (...words: string[]) => {
        const child = Bun.spawn([...command, ...words], { cwd: top, env, stdout: "ignore", stderr: "pipe" });
        if ((await child.exited) !== 0) throw new Error(`${words.join(" ")}: ${await child.stderr.text()}`);
      };
      const server = await startFresh(command, top);
      try {
        const sender = new Sender(server, "/b/", isFull ? 64 : 8, rates[size]);
        const { acknowledged, latenciesMs } = sender.sent;
        await sender.first;
        await Bun.sleep(aloneMs[size]);
        const [alone, before, startMs] = [p99(latenciesMs), latenciesMs.length, performance.now()];
        const expected: { into: string; source: string; paths: string[] }[] = [];
        for (let round = 0; round < rounds; round++) {
          const paths = [...acknowledged.keys()];
          const kind = kinds[(seed + round) % kinds.length] as string;
          const place = kind.startsWith("s3:") ? `${kind}/${round}` : `${round}-${kind}`;
          await run("backup", place, "--data", "data");
          expected.push({ into: `restored-${round}`, source: place.replace(/\/$/, ""), paths });
        }
        const [meanwhile, seconds] = [latenciesMs.length - before, (performance.now() - startMs) / 1_000];
        const beside = p99(latenciesMs, before);
        await sender.stop();
        for (const { into, source, paths } of expected) {
          await run("restore", source, "--data", into);
          expectAll(paths, viewsIn(dumpOf(join(top, into)), "/b/"), `in the backup ${source}`);
        }
        const rate = Math.round(meanwhile / seconds);
        return `${rounds} backups beside ${rate} hits a second, none lost; p99 of hits ${alone} alone, ${beside} beside backups`;
      } finally {
        await server.end("SIGKILL");
        await s3.stop();
      }
    }),
};
