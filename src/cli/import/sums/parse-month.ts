/** One month of sums as it comes through the control socket: it is checked before it is written. */
import { sourceNames } from "../../../record/month-kinds.ts";
import { badInput } from "../../../core/refusal.ts";
import { fieldsOf } from "../../../engine/admin/fields.ts";
import {
  eventsMax,
  noSums,
  sumFields,
  summedNames,
  sumsMax,
  type DaySums,
  type MonthSums,
  type Sums,
} from "../../../facts/months/month-sums.ts";
import { dayMs } from "../../../core/hit.ts";
import { monthEndMs, monthNumber } from "../../../store/chunks/month.ts";

/** Throws Refusal 400 naming the field. */
export function parseMonth(input: unknown): MonthSums {
  const { monthMs, days } = fieldsOf(input);
  const start = natural("monthMs", monthMs);
  const [first, end] = [start / dayMs, monthEndMs(start) / dayMs];
  const parsed = list("days", days).map(parseDay);
  parsed.reduce((before, { day }) => {
    if (day > before && day < end) return day;
    throw badInput("day", day, "days of the month, which rise");
  }, first - 1);
  if (parsed.every(({ all }) => all.pageviews === 0)) throw badInput("days", days, "a day with page views");
  expectSums({ monthMs: start, days: parsed });
  return { monthMs: start, days: parsed };
}

/** The values of each list are added up, whichever of them are joined later. */
function expectSums({ monthMs, days }: MonthSums): void {
  const expectMost = (field: string, figures: readonly number[], most: number) => {
    const sum = figures.reduce((before, figure) => before + figure, 0);
    if (sum > most) throw badInput(field, sum, `at most ${most} in ${monthNumber(monthMs)}`);
  };
  const lists: [name: string, sums: readonly Sums[]][] = [
    ["all", days.map(({ all }) => all)],
    ...summedNames.map((name): [string, readonly Sums[]] => [
      name,
      days.flatMap(({ values }) => values[name].map(([, sums]) => sums)),
    ]),
    ["sources", days.flatMap(({ sources }) => sources.map(([, sums]) => sums))],
  ];
  for (const [name, sums] of lists)
    for (const field of sumFields)
      expectMost(
        `${name}.${field}`,
        sums.map((own) => own[field]),
        sumsMax[field],
      );
  expectMost(
    "events",
    days.flatMap(({ events }) => events.map(([, count]) => count)),
    eventsMax,
  );
}

function parseDay(input: unknown): DaySums {
  const { day, all, values, sources, events } = fieldsOf(input);
  const byName = fieldsOf(values);
  return {
    day: natural("day", day),
    all: parseSums(all),
    values: Object.fromEntries(
      summedNames.map((name) => [name, pairs(name, byName[name], text, parseSums)]),
    ) as unknown as DaySums["values"],
    sources: pairs("sources", sources, parseSource, parseSums),
    events: pairs("events", events, text, (count) => natural("events", count)),
  };
}

function parseSums(input: unknown): Sums {
  const fields = { ...noSums, ...fieldsOf(input) };
  return Object.fromEntries(sumFields.map((name) => [name, natural(name, fields[name])])) as unknown as Sums;
}

function parseSource(value: unknown): readonly string[] {
  const values = list("sources", value).map(text);
  if (values.length === sourceNames.length) return values;
  throw badInput("sources", values, `${sourceNames.length} values`);
}

function pairs<A, B>(field: string, value: unknown, first: (of: unknown) => A, second: (of: unknown) => B) {
  return list(field, value).map((pair): [A, B] => {
    const [a, b] = list(field, pair);
    return [first(a), second(b)];
  });
}

function list(field: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw badInput(field, value, "a list");
}

function text(value: unknown): string {
  if (typeof value === "string" && value.isWellFormed()) return value;
  throw badInput("value", value, "a text");
}

function natural(field: string, value: unknown): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw badInput(field, value, "a whole number");
}
