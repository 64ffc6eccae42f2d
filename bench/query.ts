/**
 * Asks every question about Footfall's columns and about DuckDB's file, in turn in one run over the same rows; the
 * answers must agree before a time counts. Footfall is asked twice each time: as if it were the first question of its
 * kind, with nothing but the facts of sealed chunks, and again, with a cache that the first answer has filled.
 */
import type { SiteWithFacts } from "../src/facts/facts.ts";
import { QueryCache } from "../src/query/cache/cache.ts";
import { QueryContext } from "../src/query/cache/context.ts";
import { Site } from "../src/store/state/site.ts";
import { withFolder } from "../test/support/folder.ts";
import { mergeAll, withFacts } from "../test/support/some-facts.ts";
import { cacheBytesMax, endMs, fillSite, pageViews } from "./data.ts";
import { openPeer } from "./duckdb.ts";
import { addMedama } from "./medama.ts";
import { inTurn, table } from "./measure.ts";
import { questions, type Figures, type Question, type Row } from "./questions.ts";

export interface QueryResult {
  readonly name: string;
  /** Nothing of earlier answers. */
  readonly firstMs: number;
  readonly againMs: number;
  readonly duckDbMs: number;
  /** Undefined where Medama has no such question. */
  readonly medamaMs: number | undefined;
  /** Rows that were looked at when it was asked again. */
  readonly rowsReadAgain: number;
  readonly reach: number;
}

export interface QueryResults {
  readonly results: readonly QueryResult[];
  /** The hash of Footfall's answers. */
  readonly hash: string;
}

export function benchQueries(rows: number, runs: number): Promise<QueryResults> {
  return withFolder(async (folder) => {
    const site = asInServer(rows);
    const peer = await openPeer(folder, pageViews(rows));
    await addMedama(peer);
    const digest = new Bun.CryptoHasher("sha256");
    const results: QueryResult[] = [];
    for (const question of questions(site, peer)) {
      digest.update(JSON.stringify(await agreed(site, question)));
      results.push(await measured(site, question, runs));
    }
    peer.close();
    return { results, hash: digest.digest("hex").slice(0, 16) };
  });
}

/** Months that are over by the time of the newest page view are sealed and merged, and have their facts. */
function asInServer(rows: number): SiteWithFacts {
  const site = new Site(1);
  fillSite(site, pageViews(rows));
  site.seal(endMs);
  mergeAll(site, endMs);
  return withFacts(
    site,
    [...site.chunks.values()].filter(({ sealed }) => sealed).map(({ number }) => number),
  );
}

async function measured(site: SiteWithFacts, question: Question, runs: number): Promise<QueryResult> {
  const { name, reach, medama } = question;
  const [firstMs, againMs, duckDbMs, medamaMs] = (await inTurn(runs, [
    () => question.ours(nothingLeft(site)),
    () => question.ours(new QueryContext(site)),
    () => question.theirs(),
    ...(medama === undefined ? [] : [() => medama.ask()]),
  ])) as [number, number, number, number | undefined];
  const context = new QueryContext(site);
  question.ours(context);
  return { name, firstMs, againMs, duckDbMs, medamaMs, rowsReadAgain: context.rowsRead, reach };
}

function nothingLeft(site: SiteWithFacts): QueryContext {
  return new QueryContext(site, new QueryCache(cacheBytesMax));
}

export function queryTable(results: readonly QueryResult[]): string {
  return table(
    [
      "question",
      "first ms",
      "again ms",
      "DuckDB ms",
      "DuckDB / first",
      "DuckDB / again",
      "Medama's SQL ms",
      "Medama's SQL / again",
      "rows read again",
    ],
    results.map(({ name, firstMs, againMs, duckDbMs, medamaMs, rowsReadAgain }) => [
      name,
      firstMs,
      againMs,
      duckDbMs,
      duckDbMs / firstMs,
      duckDbMs / againMs,
      medamaMs ?? "",
      medamaMs === undefined ? "" : medamaMs / againMs,
      `${rowsReadAgain}`,
    ]),
  );
}

/** The questions that are less ahead of DuckDB than they have to be, and how far they are. */
export function missed(results: readonly QueryResult[]): string {
  return results
    .filter(({ againMs, duckDbMs, reach }) => duckDbMs / againMs < reach)
    .map(({ name, againMs, duckDbMs, reach }) => `${name}: ${(duckDbMs / againMs).toFixed(1)} of ${reach}`)
    .join("; ");
}

/** Our answer, after it was held against the others: whatever it finds, and in whichever way it is asked. */
async function agreed(site: SiteWithFacts, question: Question): Promise<Row[]> {
  const mine = question.ours(nothingLeft(site));
  const again = question.ours(new QueryContext(site));
  if (!Bun.deepEquals(mine, again)) throw new Error(`${question.name}: another answer when asked again`);
  const theirs = await question.theirs();
  const differs = mine.findIndex((row, at) => !row.every((cell, column) => near(cell, theirs[at]?.[column])));
  if (differs >= 0 || mine.length !== theirs.length)
    throw new Error(
      `${question.name}: ${mine.length} and ${theirs.length} rows; row ${differs}: ${JSON.stringify(mine[differs])} against ${JSON.stringify(theirs[differs])}`,
    );
  if (question.medama !== undefined) await agreeWithMedama(question.name, question.medama, mine);
  return mine;
}

/**
 * Compares what both say, which must be the same. Medama's best pages by time are those with most visitors: some of ours
 * are others.
 */
async function agreeWithMedama(
  name: string,
  { ask, figures, ourFigures }: NonNullable<Question["medama"]>,
  mine: readonly Row[],
): Promise<void> {
  const theirs = new Map((await ask()).map((row, at) => byName(figures(row, at))));
  let shared = 0;
  for (const [key, values] of mine.map((row, at) => byName(ourFigures(row, at)))) {
    const others = theirs.get(key);
    if (others === undefined) continue;
    shared++;
    // Their cast to an integer rounds halves to even.
    if (!values.every((value, at) => Math.abs(value - (others[at] as number)) <= 1))
      throw new Error(`${name}: ${key} is ${values.join()}, in Medama's SQL ${others.join()}`);
  }
  if (shared < mine.length / 10) throw new Error(`${name}: Medama's SQL answers ${shared} of ${mine.length}`);
}

function byName([name, ...figures]: Figures) {
  return [name, figures] as const;
}

/** Equal but for the rounding of the last digit. */
function near(mine: unknown, theirs: unknown): boolean {
  if (typeof mine !== "number" || typeof theirs !== "number") return mine === theirs;
  return Math.abs(mine - theirs) <= (Number.isInteger(mine) ? 0.5 : 0.011);
}
