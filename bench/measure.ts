/** Medians of runs in turn, and a table of them. */

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

/** Runs both in turn, `runs` times after one warm-up each; the median milliseconds of each. */
export async function alternate(runs: number, ours: () => unknown, theirs: () => Promise<unknown>) {
  const times = { ours: [] as number[], theirs: [] as number[] };
  for (let run = -2; run < runs; run++) {
    const startMs = performance.now();
    ours();
    const middleMs = performance.now();
    await theirs();
    if (run < 0) continue;
    times.ours.push(middleMs - startMs);
    times.theirs.push(performance.now() - middleMs);
  }
  return { oursMs: median(times.ours), theirsMs: median(times.theirs) };
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
