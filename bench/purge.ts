/**
 * Measures how long a purge takes, and how long hits wait meanwhile. A real server has a website of many page views,
 * and hits at a fixed rate from a process of its own: first alone, then while the page views of a browser are removed.
 */
import { hostname, withServerOf } from "./folder.ts";
import { table } from "./measure.ts";
import type { LoadAtRate } from "./open-loop.ts";
import { load } from "./under-load.ts";

export interface PurgeOptions {
  readonly rows: number;
  /** Hits a second. */
  readonly rate: number;
  /** The length of each load. It should be longer than the purge takes. */
  readonly seconds: number;
  /** Starts the server; undefined: from source. */
  readonly command?: readonly string[];
}

export interface PurgeResult extends LoadAtRate {
  readonly what: string;
  /** Until the answer was there; not a number without a purge. */
  readonly purgeMs: number;
  readonly removed: number;
}

/** Each is an eighth of the page views or so. */
const query = (isDryRun: boolean) => `browser[eq]=Firefox&dry_run=${isDryRun}`;

export function benchPurge({ rows, rate, seconds, command }: PurgeOptions): Promise<PurgeResult[]> {
  return withServerOf(
    rows,
    async (server) => {
      const results: PurgeResult[] = [];
      const kinds = [
        ["nothing", undefined],
        ["a dry run", query(true)],
        ["a purge", query(false)],
      ] as const;
      for (const [run, [what, asked]] of kinds.entries()) {
        const loaded = load(server.port, rate, seconds, run);
        let [purgeMs, removed] = [NaN, 0];
        if (asked !== undefined) {
          const startMs = performance.now();
          const answer = await server.post(`/website/${hostname}/purge?${asked}`, {});
          if (answer.status !== 200) throw new Error(`the purge answered ${answer.status}`);
          removed = ((await answer.json()) as { readonly pageviews: number }).pageviews;
          purgeMs = performance.now() - startMs;
        }
        results.push({ what, purgeMs, removed, ...(await loaded) });
      }
      return results;
    },
    command,
  );
}

export function purgeTable(results: readonly PurgeResult[]): string {
  return table(
    ["meanwhile", "page views", "seconds", "hits", "p50 ms", "p99 ms", "max ms"],
    results.map(({ what, purgeMs, removed, hits, p50Ms, p99Ms, maxMs }) => [
      what,
      removed === 0 ? "" : `${removed}`,
      removed === 0 ? "" : purgeMs / 1_000,
      `${hits}`,
      p50Ms,
      p99Ms,
      maxMs,
    ]),
  );
}
