/**
 * Writes the results of bench/scale.ts as tables, a question a row, with columns by size, and says which goals they
 * miss.
 */
import { table, type Cell } from "./measure.ts";
import { sizeName } from "./scale-folder.ts";
import type { Asked, ScaleResult, SizeResult } from "./scale.ts";

/** Four tables, or six beside another build, with a line before each but the first. */
export function scaleTables({ sizes, others, dropped, cold }: ScaleResult): string {
  return [
    bySize(sizes, ["first ms", "rows read", "again ms", "rows read again"], ({ first, again }) => [
      first.ms,
      count(first.rowsRead),
      again.ms,
      count(again.rowsRead),
    ]),
    "What else an answer is made of when it is asked again: rows that were known to match, and entries of facts that were added in place of rows:",
    bySize(sizes, ["rows known", "entries added"], ({ again }) => [
      count(again.rowsKnown),
      count(again.entriesAdded),
    ]),
    "From the start of the process to its first answer and to its first figures, and its memory then and after every question:",
    startTable(sizes),
    ...besides(sizes, others),
    `The first question of a server with ${sizeName((sizes.at(-1) as SizeResult).rows)} page views that has to read the disk (dropped before: ${dropped}), and how long \`dd\` takes for as many bytes:`,
    coldTable(cold),
  ].join("\n\n");
}

/** Nothing without another build. */
function besides(sizes: readonly SizeResult[], others: readonly SizeResult[]): string[] {
  const [other] = others;
  if (other === undefined) return [];
  const head = ["first ms", `${other.name} first ms`, "again ms", `${other.name} again ms`];
  const otherAsked = (asked: Asked, rows: number) =>
    others.find((size) => size.rows === rows)?.questions.find(({ name }) => name === asked.name) as Asked;
  return [
    `Beside the executable of commit ${other.name}, in turn:`,
    bySize(sizes, head, (asked, rows) => {
      const theirs = otherAsked(asked, rows);
      return [asked.first.ms, theirs.first.ms, asked.again.ms, theirs.again.ms];
    }),
    `Start and memory of ${other.name}:`,
    startTable(others),
  ];
}

function bySize(
  sizes: readonly SizeResult[],
  head: readonly string[],
  cells: (asked: Asked, rows: number) => Cell[],
): string {
  const names = (sizes[0] as SizeResult).questions.map(({ name }) => name);
  return table(
    [
      "12 months of",
      ...sizes.flatMap(({ rows }) =>
        head.map((name, at) => (at === 0 ? `${sizeName(rows)}: ${name}` : name)),
      ),
    ],
    names.map((name, at) => [
      name,
      ...sizes.flatMap(({ questions, rows }) => cells(questions[at] as Asked, rows)),
    ]),
  );
}

function startTable(sizes: readonly SizeResult[]): string {
  return table(
    [
      "page views",
      "first answer ms",
      "first figures ms",
      "private MB",
      "resident MB",
      "private MB after every question",
      "resident MB after every question",
    ],
    sizes.map(({ rows, healthMs, figuresMs, started, asked }) => [
      sizeName(rows),
      healthMs,
      figuresMs,
      started.anonymousMb,
      started.residentMb,
      asked.anonymousMb,
      asked.residentMb,
    ]),
  );
}

function coldTable(cold: ScaleResult["cold"]): string {
  return table(
    ["12 months of", "ms", "MB from the disk", "dd ms", "times dd"],
    cold.map(({ name, ms, bytes, ddMs }) => [name, ms, bytes / 1e6, ddMs, bytes === 0 ? "" : ms / ddMs]),
  );
}

function count(value: number): string {
  return Math.round(value).toLocaleString("en");
}

/** At a hundred million page views, in milliseconds. */
const goals = { start: 1_000, plain: 10, ragged: 120, filtered: 200, filteredAgain: 100 } as const;
const coldTimesDd = 2;

/** Names what takes longer at the last size than it may. */
export function missedGoals({ sizes, cold }: ScaleResult): string {
  const { healthMs, questions } = sizes.at(-1) as SizeResult;
  const over = (what: string, ms: number, goal: number) =>
    ms > goal ? [`${what}: ${ms.toFixed(1)} ms of ${goal.toFixed(0)}`] : [];
  return [
    ...over("start", healthMs, goals.start),
    ...questions.flatMap(({ name, first, again }) => {
      if (!name.endsWith("filters"))
        return over(`${name}, again`, again.ms, name.includes("ragged") ? goals.ragged : goals.plain);
      return [
        ...over(`${name}, first`, first.ms, goals.filtered),
        ...over(`${name}, again`, again.ms, goals.filteredAgain),
      ];
    }),
    ...cold.flatMap(({ name, ms, bytes, ddMs }) =>
      bytes === 0 ? [] : over(`${name}, from the disk`, ms, coldTimesDd * ddMs),
    ),
  ].join("; ");
}
