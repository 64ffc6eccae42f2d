/** Figures as a table of a terminal, with a bar for the share of each row. */
import type { GoalFigures, Journeys } from "../../core/questions/answer.ts";
import { averageAmount, metrics, percent, type Format } from "../../core/questions/metric.ts";
import { figureWriters } from "../../core/words/figure-texts.ts";
import { filler } from "../../core/words/filler.ts";
import { once } from "../../lib/lazy.ts";

export type Row = Readonly<Record<string, unknown>>;

const valueCharactersMax = 48;
const barCharacters = 20;
/** The share of a funnel's step that its bar shows, as in the dashboard; the share of the step before stands beside it. */
const allVisits = "total_percentage";
const writers = once(() => {
  const fill = filler("en");
  return figureWriters("en", (text, places = {}) => fill(text, places).join(""));
});
const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

interface Column {
  readonly label: string;
  readonly format: Format;
}

/** Metrics by the field of a row, and by their own name, as they are called where they were asked for by name. */
const columns: ReadonlyMap<string, Column> = new Map<string, Column>([
  ...Object.entries(metrics),
  ["duration", { label: "Time", format: "duration" }],
  // Goals, funnels and journeys have figures that are no metrics.
  ["times", { label: "Times", format: "count" }],
  ["step_percentage", { label: "Of the step before", format: "percentage" }],
  ["average", { label: "Average", format: "amount" }],
  ["stays", { label: "Times", format: "count" }],
  ["stays_percentage", { label: "Share", format: "percentage" }],
  [allVisits, { label: "Of all visits", format: "percentage" }],
]);

/** Returns the fields of a row of `goals` or `funnel` in the order in which its table shows them; any other row as it is. */
export function shownRow(list: string, row: Row): Row {
  const { name, since, visits, conversion_percentage, events, amount, step } = row;
  const { step_percentage, total_percentage } = row;
  if (list === "goals") {
    const average = averageAmount(row as unknown as GoalFigures);
    return { goal: name, since: dayOf(since), visits, conversion_percentage, times: events, amount, average };
  }
  if (list === "funnel") return { step, visits, step_percentage, total_percentage };
  return row;
}

/** Returns the rows of journeys, the last one of the visits that went to, or came from, no other page. */
export function journeyRows({ stays, exits, entries, pages }: Journeys): Row[] {
  const ends = exits ?? entries ?? 0;
  const path = exits === undefined ? "(the visit began here)" : "(the visit ended here)";
  return [...pages, { path, stays: ends, ...(stays > 0 && { stays_percentage: percent(ends, stays) }) }];
}

function dayOf(dateTime: unknown): string | undefined {
  return typeof dateTime === "string" ? dateTime.slice(0, 10) : undefined;
}

/** Returns the lines of the table: a head, and one for each row. There is at least one row. */
export function tableOf(rows: readonly Row[]): string[] {
  const fields = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter(
    (field) => field !== "previous" && field !== "other" && rows.some((row) => row[field] !== undefined),
  );
  const words = fields.filter((field) => !columns.has(field));
  const figures = fields.filter((field) => columns.has(field));
  const share = figures.includes(allVisits)
    ? allVisits
    : figures.find((field) => columns.get(field)?.format === "percentage");
  const table = [
    [...words.map(titleOf), ...figures.map((field) => columns.get(field)?.label ?? field)],
    ...rows.map((row) => [
      ...words.map((field) => valueText(row[field])),
      ...figures.map((field) => figureText(field, row[field])),
    ]),
  ];
  const widths = fields.map((_, at) => Math.max(...table.map((cells) => Bun.stringWidth(cells[at] ?? ""))));
  return table.map((cells, line) => {
    const padded = cells.map((cell, at) => {
      const space = " ".repeat((widths[at] ?? 0) - Bun.stringWidth(cell));
      return at < words.length ? cell + space : space + cell;
    });
    const bar = line === 0 || share === undefined ? "" : barOf(Number(rows[line - 1]?.[share] ?? 0));
    return [...padded, bar].join("  ").trimEnd();
  });
}

/** Returns whether anything was counted in a period. */
export function hasAny(totals: Row | undefined): boolean {
  return Object.values(totals ?? {}).some((figure) => typeof figure === "number" && figure > 0);
}

/**
 * Returns the lines of totals, each with the figure of the period before. One of which nothing is known, such as one from
 * before the first page view, is no base.
 */
export function totalsOf(current: Row, previous: Row | undefined): string[] {
  const rows = Object.entries(current).filter(([field]) => columns.has(field));
  const base = hasAny(previous) ? previous : undefined;
  const cells = rows.map(([field, value]) => {
    const before = base?.[field];
    const change = typeof before === "number" ? `(${figureText(field, before)} before)` : "";
    return [columns.get(field)?.label ?? field, figureText(field, value), change] as const;
  });
  const widest = (at: 0 | 1) => Math.max(...cells.map((row) => Bun.stringWidth(row[at])));
  return cells.map(([label, figure, change]) =>
    `${label.padEnd(widest(0))}  ${figure.padStart(widest(1))}  ${change}`.trimEnd(),
  );
}

function titleOf(field: string): string {
  return (field[0]?.toUpperCase() ?? "") + field.slice(1).replaceAll("_", " ");
}

/** Returns the text of a value. Strangers choose paths: what would steer the terminal is written as its code. */
function valueText(value: unknown): string {
  const text = value === "" ? "(none)" : String(value ?? "");
  const seen = text.replace(/\p{C}/gu, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`);
  const signs = Array.from(seen);
  return signs.length > valueCharactersMax ? `${signs.slice(0, valueCharactersMax - 1).join("")}…` : seen;
}

function figureText(field: string, value: unknown): string {
  return typeof value === "number" ? writers()[columns.get(field)?.format ?? "count"](value) : "–";
}

/** `percentage`: from 0 to 100. */
function barOf(percentage: number): string {
  const parts = Math.round((percentage / 100) * barCharacters * 8);
  return "█".repeat(Math.floor(parts / 8)) + (eighths[parts % 8] ?? "");
}
