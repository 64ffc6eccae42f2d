/** Random questions about random traffic, as plain values and as the URLs that ask the same. */
import { filterNames, listedDimensions, type AskedName } from "../../src/core/questions/dimension.ts";
import { ownDimension, visitDimension, type RowName } from "../../src/core/questions/stored-dimension.ts";
import { dayMs } from "../../src/core/hit.ts";
import type { MetricName } from "../../src/core/questions/metric.ts";
import { metricsOfGoal, namedMetrics } from "../../src/core/questions/named-metric.ts";
import { operatorOf, operators } from "../../src/core/questions/operator.ts";
import {
  intervalNames,
  limitMax,
  type ByVisit,
  type Compared,
  type EntriesQuery,
  type Filter,
  type IntervalName,
  type ListQuery,
  type Period,
  type PropertiesQuery,
  type Question as CoreQuestion,
  type SummaryQuery,
  type TimeQuery,
} from "../../src/core/questions/query.ts";
import { quarterMs } from "../../src/facts/quarters.ts";
import { pools, propertyNames, propertyValues } from "./traffic.ts";

export type Question =
  | { readonly kind: "list"; readonly query: ListQuery }
  | { readonly kind: "entries"; readonly query: EntriesQuery }
  | { readonly kind: "time"; readonly query: TimeQuery }
  | { readonly kind: "properties"; readonly query: PropertiesQuery }
  | { readonly kind: "summary"; readonly query: SummaryQuery };

/** Names that are stored as codes, groups, URLs and decoded forms: what a person would filter by. */
const spoken: Partial<Record<AskedName, readonly string[]>> = {
  path: ["/blog/café", "/blog/hello world", "/BLOG", "blog", "%C3%A9", "o"],
  referrer: [
    "Google",
    "Hacker News",
    "Reddit",
    "Facebook",
    "https://www.google.com/",
    "http://Example.org/a/?b=c",
    "https://",
    "http://[",
    "g",
  ],
  country: ["Germany", "brazil", "Unknown", "United States", "e"],
  language: [
    "English",
    "british english",
    "en",
    "Unknown",
    "German",
    "Austrian German",
    "Traditional Chinese",
    "n",
  ],
};
const channels = [
  "Search",
  "Social",
  "Paid search",
  "Email",
  "AI",
  "Referral",
  "Direct",
  "(other)",
  "nothing",
];
const zones = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "America/Sao_Paulo",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "Africa/Cairo",
  "Pacific/Apia",
  "America/St_Johns",
  "Antarctica/Troll",
];
const ofProperties = ["prop_name", "prop_value"] as const;
/** The longest periods for the shorter intervals, so that the model is done in time. */
const longestMs: Partial<Record<IntervalName, number>> = { minute: dayMs / 8, hour: 4 * dayMs };

export class Questions {
  /** `random`: numbers from 0 up to 1; `span`: when there was traffic. */
  constructor(
    private readonly random: () => number,
    private readonly span: Period,
  ) {}

  next(): Question {
    const chance = this.random();
    if (chance < 0.45) return { kind: "list", query: this.list() };
    if (chance < 0.55) return { kind: "entries", query: this.entries() };
    if (chance < 0.65)
      return { kind: "time", query: { list: "time", ...this.page(), ...this.figures(namedMetrics.time) } };
    if (chance < 0.8) {
      const byVisit = this.byVisit(namedMetrics.properties);
      return { kind: "properties", query: { list: "properties", ...this.page(), ...byVisit } };
    }
    return { kind: "summary", query: this.summary() };
  }

  private list(): ListQuery {
    const { list } = this.pick(listedDimensions);
    const figures = this.figures(namedMetrics.list);
    return { list, ...this.page(), grouped: this.flag(), locale: this.flag(), ...figures };
  }

  private entries(): EntriesQuery {
    const list = this.pick(["entries", "exits"] as const);
    return { list, ...this.page(), ...this.figures(namedMetrics[list]) };
  }

  /** Some have metrics by name, and of the others some only those that every row has. */
  private figures(names: readonly MetricName[]): ByVisit & { readonly summary: boolean } {
    const byVisit = this.byVisit(names);
    return { ...byVisit, summary: byVisit.metrics === undefined && this.random() < 0.3 };
  }

  /** Half of them by visit, and half of them with some metrics by name: those that need no goal. */
  private byVisit(names: readonly MetricName[]): ByVisit {
    const some = names.filter((name) => !metricsOfGoal.has(name) && this.flag());
    const metrics = this.flag() ? some : [];
    return { ...this.by(), ...(metrics.length > 0 && { metrics }) };
  }

  private by(): Pick<ByVisit, "by"> {
    return this.flag() ? { by: "visit" } : {};
  }

  private summary(): SummaryQuery {
    const interval = this.random() < 0.2 ? undefined : this.pick(intervalNames);
    const asked = this.period();
    const longest = interval === undefined ? undefined : longestMs[interval];
    const startMs = longest === undefined ? asked.startMs : Math.max(asked.startMs, this.span.startMs);
    const endMs =
      longest === undefined ? asked.endMs : Math.max(startMs, Math.min(asked.endMs, startMs + longest));
    const period = { startMs, endMs };
    const compared = this.compared();
    const closed = Number.isFinite(period.startMs) && Number.isFinite(period.endMs);
    return {
      period,
      filters: this.filters(),
      previous: closed && compared.compare === undefined && this.flag(),
      ...compared,
      ...(interval !== undefined && { interval }),
      timezone: this.pick(zones),
      ...(this.flag() && { week_start: 1 + this.upTo(7) }),
      ...this.byVisit(namedMetrics.summary),
    };
  }

  private page() {
    const small = this.flag();
    return {
      period: this.period(),
      filters: this.filters(),
      limit: small ? 1 + this.upTo(5) : limitMax,
      offset: this.random() < 0.7 ? 0 : this.upTo(6),
      ...this.compared(),
    };
  }

  /** Some compare with another period, which may overlap theirs. One without any end is no period to compare with. */
  private compared(): Compared {
    const compare = this.period();
    const isOpen = compare.startMs === -Infinity && compare.endMs === Infinity;
    return this.flag() && !isOpen ? { compare } : {};
  }

  private period(): Period {
    const { startMs, endMs } = this.span;
    const at = () => this.nearEdge(startMs - dayMs + this.upTo(endMs - startMs + 2 * dayMs));
    const [a, b] = [at(), at()];
    return {
      startMs: this.random() < 0.4 ? -Infinity : Math.min(a, b),
      endMs: this.random() < 0.4 ? Infinity : Math.max(a, b),
    };
  }

  /** Often the start of a quarter of an hour, a day or a month, or a millisecond before. */
  private nearEdge(ms: number): number {
    if (this.random() < 0.6) return ms;
    const date = new Date(ms);
    const edgeMs = this.pick([
      Math.floor(ms / quarterMs) * quarterMs,
      Math.floor(ms / dayMs) * dayMs,
      Date.UTC(date.getUTCFullYear(), date.getUTCMonth()),
    ]);
    return edgeMs - this.upTo(2);
  }

  /** Often several of one name, or of properties: they have to hold for one property. */
  private filters(): Filter[] {
    const chance = this.random();
    const names = chance < 0.1 ? ofProperties : chance < 0.2 ? [this.pick(filterNames)] : filterNames;
    return Array.from({ length: this.upTo(4) }, () => this.filter(this.pick(names)));
  }

  private filter(name: AskedName): Filter {
    const { name: operator, takesList } = this.pick(operators);
    const count = takesList ? 1 + this.upTo(3) : 1;
    return { name, operator, operands: Array.from({ length: count }, () => this.operand(name)) };
  }

  private operand(name: AskedName): string {
    const stored =
      name === "prop_name"
        ? propertyNames
        : name === "prop_value"
          ? propertyValues
          : name === "channel"
            ? channels
            : pools[ownDimension(name)].slice(0, 13);
    const chosen = this.pick(this.random() < 0.5 ? stored : (spoken[name] ?? stored));
    const chance = this.random();
    if (chance < 0.2) return chosen.slice(0, 2).toWellFormed();
    if (chance < 0.3) return chosen.slice(-2).toWellFormed();
    return chance < 0.4 ? chosen.toUpperCase() : chosen;
  }

  private flag(): boolean {
    return this.random() < 0.5;
  }

  private upTo(max: number): number {
    return Math.floor(this.random() * max);
  }

  private pick<T>(choices: readonly T[]): T {
    return choices[this.upTo(choices.length)] as T;
  }
}

/** The question as the server asks it at that time. */
export function coreOf({ kind, query }: Question, nowMs: number): CoreQuestion {
  const by = "by" in query ? query.by : undefined;
  const ofVisit = ({ name, ...filter }: Filter) => ({
    ...filter,
    name: name.startsWith("prop_") ? name : visitDimension(name as RowName),
  });
  const filters = by === "visit" ? query.filters.map(ofVisit) : query.filters;
  const list = kind === "summary" ? "summary" : query.list;
  return { ...query, list, filters, nowMs } as CoreQuestion;
}

/** As a URL says it: a second list for the same name and operator adds to the first. */
export function withListsJoined({ kind, query }: Question): Question {
  const filters: Filter[] = [];
  for (const filter of query.filters) {
    const { name, operator, operands } = filter;
    const { takesList } = operatorOf(operator);
    const first = filters.findIndex(
      (other) => takesList && other.name === name && other.operator === operator,
    );
    if (first < 0) filters.push(filter);
    else filters[first] = { ...filter, operands: [...(filters[first] as Filter).operands, ...operands] };
  }
  return { kind, query: { ...query, filters } } as Question;
}

/** The path and query of a GET that asks the question, from `/website/` on. */
export function urlOf(hostname: string, { kind, query }: Question): string {
  const pairs = query.filters.flatMap(({ name, operator, operands }) =>
    operands.map((operand): [string, string] => [
      `${name}[${operator}]`,
      operatorOf(operator).takesList ? listed(operand) : operand,
    ]),
  );
  const { period, filters, compare, ...scalars } = query;
  const times = {
    start: instant(period.startMs),
    end: instant(period.endMs),
    compare_start: compare && instant(compare.startMs),
    compare_end: compare && instant(compare.endMs),
  };
  for (const [name, value] of Object.entries({ ...times, ...scalars }))
    if (name !== "list" && value !== undefined) pairs.push([name, String(value)]);
  const text = pairs.map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
  return `/website/${hostname}/${kind === "summary" ? "summary" : query.list}?${text}`;
}

/** One value of a list; a repeated key adds to the list. */
function listed(operand: string): string {
  return operand.replaceAll(",", "\\,");
}

function instant(ms: number): string | undefined {
  return Number.isFinite(ms) ? new Date(ms).toISOString() : undefined;
}
