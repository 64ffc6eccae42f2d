/** Puts a report together: the totals of a period beside the one before, goals, and the first rows of some lists. */
import type { Website } from "../accounts/registry/registry.ts";
import { emptyOf, listedDimensions, unknownLabel } from "../core/questions/dimension.ts";
import { averageAmount, metricOf, type MetricName } from "../core/questions/metric.ts";
import type { NamedFigures } from "../core/questions/named-metric.ts";
import { beginsWithin } from "../core/questions/recorded-from.ts";
import { totalMetrics } from "../core/questions/shown-metric.ts";
import type { ReportKind, Subscription } from "../core/website/subscription.ts";
import type { Engine } from "../engine/engine.ts";
import type { Words } from "../core/words/translated-words.ts";
import { Figures, type GoalRow } from "./noticing/figures.ts";
import { dateIn, periodOf, type ReportPeriod } from "./noticing/schedule.ts";
import { strangerPath, strangerText } from "./stranger-text.ts";

const rowsMax = 5;

export interface ReportLine {
  /** Safe to show, but not escaped for HTML. */
  readonly name: string;
  readonly value: string;
  readonly change: string;
  /** Whether the change is a good one; undefined for neither. */
  readonly isGood: boolean | undefined;
}

export interface ReportList {
  readonly title: string;
  /** The name of the figures. */
  readonly unit: string;
  readonly lines: readonly ReportLine[];
}

export interface Report {
  readonly kind: ReportKind;
  readonly period: ReportPeriod;
  readonly timezone: string;
  /** The day of the website's first hit, if no changes are shown because that was within the period before. */
  readonly firstDay: Temporal.PlainDate | undefined;
  readonly totals: readonly ReportLine[];
  readonly lists: readonly ReportList[];
  /** The same as plain values, for programs. */
  readonly values: Readonly<Record<string, unknown>>;
}

const lists = [
  { list: "pages", field: "path" },
  { list: "channels", field: "channel" },
  { list: "referrers", field: "referrer" },
  { list: "campaigns", field: "campaign" },
  { list: "countries", field: "country" },
] as const;
type ListField = (typeof lists)[number]["field"];

/** Throws Refusal while the figures cannot be had. */
export async function makeReport(
  engine: Engine,
  website: Website,
  { kind, timezone, due }: Subscription & { readonly kind: ReportKind },
  words: Words,
): Promise<Report> {
  const { t } = words;
  const period = periodOf(kind, timezone, due?.forMs ?? engine.nowMs());
  const { span } = period;
  const figures = new Figures(engine, website);
  const { current, previous, recorded_from } = await figures.totals(span, period.before);
  const recordedFrom =
    recorded_from && beginsWithin(period.before, recorded_from) ? recorded_from : undefined;
  const before = recordedFrom === undefined ? period.before : undefined;
  const values: Record<string, unknown> = { totals: current, previous, recorded_from: recordedFrom };
  const shown: ReportList[] = [];
  // Some services cut off the end of a long text: lists come last.
  const goals = await figures.goals(website.goals.list, span, before);
  values["goals"] = goals.map(({ name, visits, events, amount }) => ({ name, visits, events, amount }));
  shown.push({ title: t("Goals"), unit: t("Visits"), lines: goalLines(words, goals, "visits") });
  shown.push({ title: t("Goals"), unit: t("Amount"), lines: goalLines(words, goals, "amount") });
  const titles = {
    path: t("Pages"),
    channel: t("Channels"),
    referrer: t("Referrers"),
    campaign: t("Campaigns"),
    country: t("Countries"),
  };
  for (const { list, field } of lists) {
    const rows = await figures.rows(list, span, before, rowsMax);
    values[list] = rows.map((row) => ({ [field]: row[field], visitors: row.visitors }));
    const lines = rows.map((row) =>
      figureLine(
        words,
        "visitors",
        nameOf(words, website, field, row[field] ?? ""),
        row.visitors ?? 0,
        row.previous?.visitors ?? 0,
      ),
    );
    shown.push({ title: titles[field], unit: t("Visitors"), lines });
  }
  return {
    kind,
    period,
    timezone,
    firstDay: recordedFrom === undefined ? undefined : dateIn(timezone, Date.parse(recordedFrom)),
    totals: totalLines(words, website, current, before && previous),
    lists: shown.filter((list) => list.lines.length > 0),
    values,
  };
}

/** Returns the lines of the goals with the most visits, or with the highest amounts. */
function goalLines(words: Words, goals: readonly GoalRow[], figure: "visits" | "amount"): ReportLine[] {
  return goals
    .filter((goal) => goal[figure] !== undefined)
    .toSorted((one, other) => (other[figure] ?? 0) - (one[figure] ?? 0))
    .slice(0, rowsMax)
    .map((goal) => {
      const name = figure === "amount" ? nameWithAverage(words, goal) : strangerText(goal.name);
      return figureLine(words, figure, name, goal[figure], goal.previous?.[figure]);
    });
}

/** Returns the name of a goal with its amount on average, if it was reached more than once. */
function nameWithAverage(words: Words, goal: GoalRow): string {
  const { t, write } = words;
  const { name, events } = goal;
  const average = averageAmount(goal);
  if (events < 2 || average === undefined) return strangerText(name);
  return t("{name}, on average {average}", { name: strangerText(name), average: write.amount(average) });
}

function totalLines(
  words: Words,
  { visits }: Website,
  current: NamedFigures,
  previous: NamedFigures | undefined,
): ReportLine[] {
  return totalMetrics[visits ? "visits" : "views"].map((name: MetricName) => {
    const { label, figureLabel = label } = metricOf(name);
    return figureLine(words, name, words.translated(figureLabel), current[name], previous?.[name]);
  });
}

function figureLine(
  { write, changeText }: Words,
  metric: MetricName,
  name: string,
  now: number | undefined,
  before: number | undefined,
): ReportLine {
  const { format, lessIsBetter = false } = metricOf(metric);
  if (now === undefined) return { name, value: "–", change: "", isGood: undefined };
  const change = (before !== undefined && changeText(now, before, format)) || "";
  return {
    name,
    value: write[format](now),
    change,
    isGood: isNone(change) ? undefined : now > (before ?? 0) !== lessIsBetter,
  };
}

/** Returns whether the text of a change says none, or is missing. */
function isNone(change: string): boolean {
  return change === "" || change.startsWith("±");
}

/** Returns the name of a row as the dashboard shows it. */
function nameOf({ t, translated }: Words, { visits }: Website, field: ListField, value: string): string {
  if (field === "path") return strangerPath(value);
  if (field === "country" || field === "channel") return strangerText(translated(value));
  if (field === "campaign") return strangerText(value === unknownLabel ? translated(value) : value);
  if (value === (visits ? unknownLabel : ""))
    return visits ? translated(unknownLabel) : t("Direct or internal");
  const dimension = listedDimensions.find((each) => each.field === field);
  const empty = dimension && emptyOf(dimension);
  return value === "" ? translated(empty?.label ?? "") : strangerText(value);
}
