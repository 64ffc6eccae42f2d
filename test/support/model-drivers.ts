/** The model's answer to what made a period unlike its base, from arrays of hits and the rules of the OpenAPI document. */
import { listedDimensions, type ListedDimension } from "../../src/core/questions/dimension.ts";
import type { Driver, Drivers } from "../../src/core/questions/answer.ts";
import type { DriversQuery, Filter, Period } from "../../src/core/questions/query.ts";
import { modelList, modelSummary } from "./model-answers.ts";
import { hitsOf } from "./model-figures.ts";
import { labelOf, valueOf } from "./model-filter.ts";
import type { Model, PageView } from "./model.ts";

const families = [
  "utm_campaign utm_content utm_term utm_source referrer utm_medium channel",
  "path",
  "country language",
  "browser os device",
].map((names) => names.split(" "));
const inOrder = families.flat();

interface Value {
  readonly name: string;
  readonly value: string;
  readonly current: number;
  readonly base: number;
}

export function modelDrivers(model: Model, websiteId: number, query: DriversQuery): Drivers {
  return new Asked(model, websiteId, query).answer();
}

class Asked {
  private readonly period: Period;
  private readonly bases: readonly Period[];

  constructor(
    private readonly model: Model,
    private readonly websiteId: number,
    private readonly query: DriversQuery,
  ) {
    const { period, compare, nowMs } = query;
    const hits = [...model.pageviews, ...model.events].filter((hit) => hit.websiteId === websiteId);
    const firstMs = Math.min(...hits.map(({ timeMs }) => timeMs));
    const isOver = compare !== undefined || period.startMs > nowMs;
    this.period = isOver ? period : { ...period, endMs: Math.min(period.endMs, nowMs) };
    if (compare !== undefined) this.bases = compare.endMs < firstMs ? [] : [compare];
    else
      this.bases =
        period.startMs > nowMs
          ? []
          : fourBefore(this.period, query.timezone).filter(({ startMs }) => startMs >= firstMs);
  }

  answer(): Drivers {
    const { bases, query } = this;
    const [metric] = query.metrics;
    const totals = [this.period, ...bases].map((period) => {
      const { current } = modelSummary(
        this.model,
        this.websiteId,
        { ...query, period, previous: false },
        query.nowMs,
      );
      return (current as Record<string, number>)[metric] as number;
    });
    const [current = 0, ...others] = totals;
    const base_periods = bases.map(({ startMs, endMs }) => ({
      start: new Date(startMs).toISOString(),
      end: new Date(endMs).toISOString(),
    }));
    if (bases.length === 0) return { current, stands_out: false, base_periods, drivers: [] };
    const base = mean(others);
    const difference = current - base;
    const spread = Math.max(...others.map((other) => Math.abs(other - base)));
    const size = Math.abs(difference);
    const stands_out = size >= base / 10 - tiny && beyondChance(difference, base) && size > spread + tiny;
    const drivers = stands_out ? this.drivers(difference, base) : [];
    return {
      current,
      base: hundredths(base),
      difference: hundredths(difference),
      stands_out,
      base_periods,
      drivers,
    };
  }

  private drivers(difference: number, base: number): Driver[] {
    const found = inOrder
      .flatMap((name) => this.values(name))
      .filter((value) => {
        const own = value.current - value.base;
        const expected = base === 0 ? 0 : (difference * value.base) / base;
        const beyond = (own - expected) * Math.sign(difference) >= Math.abs(difference) / 10 - tiny;
        return beyond && beyondChance(own, value.base);
      })
      .sort(
        (a, b) =>
          placeOf(a, difference) - placeOf(b, difference) ||
          hundredths(Math.abs(b.current - b.base) - Math.abs(a.current - a.base)) ||
          inOrder.indexOf(a.name) - inOrder.indexOf(b.name) ||
          (a.value < b.value ? -1 : 1),
      )
      .slice(0, 30);
    const named = this.unexplained(found).slice(0, 10);
    const [first] = named as [Value];
    return named.map((value) => ({
      dimension: value.name as Driver["dimension"],
      value: value.value,
      current: value.current,
      base: hundredths(value.base),
      difference: hundredths(value.current - value.base),
      difference_percentage: hundredths((100 * (value.current - value.base)) / difference),
      ...(value !== first && { of_first_percentage: this.shareOfFirst(first, value) }),
    }));
  }

  private values(name: string): Value[] {
    const dimension = listedDimensions.find((own) => own.name === name) as ListedDimension;
    const { query, bases } = this;
    const figuresIn = (period: Period) => {
      const { filters, by, metrics, nowMs } = query;
      const page = { limit: Infinity, offset: 0, summary: false, grouped: true, locale: false };
      const asked = { list: dimension.list, period, filters, by, metrics, ...page };
      const rows = modelList(this.model, this.websiteId, asked, nowMs).filter(({ other }) => !other);
      return new Map(
        rows.map((row) => {
          const figures = row as unknown as Record<string, string | number>;
          return [String(figures[dimension.field]), Number(figures[metrics[0]])];
        }),
      );
    };
    const current = figuresIn(this.period);
    const others = bases.map(figuresIn);
    const values = new Set([current, ...others].flatMap((figures) => [...figures.keys()]));
    return [...values].map((value) => ({
      name,
      value,
      current: current.get(value) ?? 0,
      base: mean(others.map((figures) => figures.get(value) ?? 0)),
    }));
  }

  private unexplained(found: readonly Value[]): Value[] {
    const kept: Value[] = [];
    for (const name of inOrder)
      for (const value of found.filter((own) => own.name === name)) {
        const family = families.find((names) => names.includes(name)) as string[];
        const narrower = kept.filter((own) => family.includes(own.name));
        const left = this.jointDifference([value], narrower);
        if (Math.abs(left) * 2 >= Math.abs(this.jointDifference([value])) - tiny) kept.push(value);
      }
    return found.filter((value) => kept.includes(value));
  }

  private shareOfFirst(first: Value, value: Value): number {
    const whole = this.jointDifference([first]);
    const share = Math.abs(whole) < tiny ? 0 : (100 * this.jointDifference([first, value])) / whole;
    return hundredths(Math.min(100, Math.max(0, share)));
  }

  /** How many more page views have all of some values and none of others, counted as the metric does. */
  private jointDifference(having: readonly Value[], without: readonly Value[] = []): number {
    const counts = ({ unique, first }: PageView) => {
      if (this.query.metrics[0] === "pageviews") return true;
      const isOfPage = having.some(({ name }) => name === "path") || this.query.filters.some(asksForPage);
      return isOfPage ? first : unique;
    };
    const countIn = (period: Period) => {
      const { views } = hitsOf(this.model, this.websiteId, { ...this.query, period });
      const has = (view: PageView, { name, value }: Value) => {
        const own = valueOf(name as ListedDimension["name"], view.values, this.query.by);
        const labelled = { grouped: true, locale: false };
        return own !== null && labelOf(name as ListedDimension["name"], own, labelled) === value;
      };
      return views.filter(
        (view) =>
          counts(view) &&
          having.every((value) => has(view, value)) &&
          !without.some((value) => has(view, value)),
      ).length;
    };
    return countIn(this.period) - mean(this.bases.map(countIn));
  }
}

/** Returns the place of a value: those that made half of the difference come first, in the order of the families. */
function placeOf({ name, current, base }: Value, difference: number): number {
  const isHalf = 2 * Math.abs(current - base) >= Math.abs(difference) - tiny;
  return isHalf ? families.findIndex((family) => family.includes(name)) : families.length;
}

/** Halves of hundredths lie between floating-point numbers. */
const tiny = 1e-7;

function asksForPage({ name, operator }: Filter): boolean {
  const isPositive = operator !== "neq" && !operator.startsWith("not_");
  return isPositive && (name === "path" || name === "prop_name" || name === "prop_value");
}

function fourBefore({ startMs, endMs }: Period, timezone: string): Period[] {
  const shift = (ms: number, weeks: number) =>
    Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).subtract({ weeks })
      .epochMilliseconds;
  let weeks = 1;
  while (shift(endMs, weeks) >= startMs) weeks++;
  return [1, 2, 3, 4].map((times) => ({
    startMs: shift(startMs, weeks * times),
    endMs: shift(endMs, weeks * times),
  }));
}

function beyondChance(difference: number, base: number): boolean {
  return difference ** 2 >= 9 * Math.max(base, 1) - tiny;
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

/** Two decimals, halves away from zero. */
function hundredths(number: number): number {
  return (Math.sign(number) * Math.round(Math.abs(number) * 100 + tiny)) / 100 || 0;
}
