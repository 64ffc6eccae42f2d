/** Computes medians of runs that take turns, and prints a table of them. */

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

/** The median of each number; what is no number is that of the first. */
export function mediansOf<T extends object>(results: readonly T[]): T {
  const [first] = results;
  if (first === undefined) throw new Error("there is no result to take the median of");
  const values = (name: string) =>
    results.map((result) => (result as Record<string, number>)[name] as number);
  const entries = Object.entries(first).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === "number" ? median(values(name)) : value,
  ]);
  return Object.fromEntries(entries) as T;
}

/** The smallest of the sorted values that at least a share of `p` of them does not exceed. */
export function percentile(sorted: Float64Array, p: number): number {
  return sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)] as number;
}

const warmUps = 2;
/** A contender that has used up so much has had its turns, once they were three. */
const patienceMs = 10_000;
const turnsMin = 3;

/**
 * Runs them in turn, `runs` times after some to warm up; the median milliseconds of each. A slow one has fewer turns, and
 * the first of them count where there are no others.
 */
export async function inTurn(
  runs: number,
  contenders: readonly (() => unknown)[],
  nowMs = () => performance.now(),
): Promise<number[]> {
  const times = contenders.map((): number[] => []);
  const usedMs = contenders.map(() => 0);
  for (let turn = 0; turn < warmUps + runs; turn++) {
    for (const [at, contender] of contenders.entries()) {
      if (turn >= turnsMin && (usedMs[at] as number) > patienceMs) continue;
      const startMs = nowMs();
      await contender();
      const ms = nowMs() - startMs;
      usedMs[at] = (usedMs[at] as number) + ms;
      times[at]?.push(ms);
    }
  }
  return times.map((mine) => median(mine.slice(mine.length > turnsMin ? warmUps : 0)));
}

export type Turn = "first" | "again";
const turns: readonly Turn[] = ["first", "again"];

/** The measurements under one name, of each build. */
export class TimesRow {
  private readonly all = new Map<string, number[]>();

  /** `goals`: milliseconds that each turn may take. */
  constructor(readonly goals: Partial<Record<Turn, number | undefined>>) {}

  note(build: string, turn: Turn, ms: number): void {
    const key = `${build} ${turn}`;
    this.all.set(key, [...(this.all.get(key) ?? []), ms]);
  }

  of(build: string, turn: Turn): readonly number[] {
    return this.all.get(`${build} ${turn}`) ?? [];
  }
}

/** Times of builds that were measured in turn: rows by name, the first time and again. */
export class Times {
  readonly rows = new Map<string, TimesRow>();

  constructor(readonly builds: readonly string[]) {}

  /** The row of that name, added if it is not there. */
  row(name: string, goals: TimesRow["goals"] = {}): TimesRow {
    return this.rows.getOrInsertComputed(name, () => new TimesRow(goals));
  }
}

/** Medians with the number of runs that each is of; of several builds side by side. */
export function timesTable(what: string, { builds, rows }: Times): string {
  const several = builds.length > 1;
  const head = turns.flatMap((turn) => [
    ...builds.map((build) => (several ? `${turn} ms: ${build}` : `${turn} ms`)),
    "goal",
    "runs",
  ]);
  const cells = (row: TimesRow) =>
    turns.flatMap((turn): Cell[] => [
      ...builds.map((build) => {
        const all = row.of(build, turn);
        return all.length === 0 ? "" : median(all);
      }),
      String(row.goals[turn] ?? ""),
      String(row.of(builds[0] ?? "", turn).length),
    ]);
  return table(
    [what, ...head],
    [...rows].map(([name, row]) => [name, ...cells(row)]),
  );
}

export type Cell = string | number;

export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const text = [head, ...rows].map((row) =>
    row.map((cell) => (typeof cell === "number" ? figure(cell) : cell)),
  );
  const widths = head.map((_, column) => Math.max(...text.map((row) => (row[column] as string).length)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] as number)).join(" | ")} |`;
  const [first, ...rest] = text as [string[], ...string[][]];
  return [line(first), `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...rest.map(line)].join(
    "\n",
  );
}

function figure(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
