/** The days of an export of sums, as they are added up row by row. */
import { dayMs } from "../../../core/hit.ts";
import { Refusal, shown } from "../../../core/refusal.ts";
import {
  addSums,
  noSums,
  summedNames,
  type DaySums,
  type MonthSums,
  type SummedName,
  type Sums,
} from "../../../facts/months/month-sums.ts";
import { TextMap } from "../../../lib/collections/text-map.ts";
import { dayOfDate, utcDate } from "../../../core/calendar/date.ts";

/** No export has earlier days. */
const firstDay = Date.UTC(2000) / dayMs;

/** The table with the totals of each day. */
export const totalsTable = "imported_visitors";

/** Returns the month of a date, such as 2026-11. */
export function monthOf(date: string): string {
  return date.slice(0, 7);
}

/** The days by date. They are bounded, so that memory has room for all of them. */
export class Days {
  private readonly days = new Map<string, Day>();
  private readonly sums = new Map<string, Record<string, number>>();
  /** The file of each table's rows of a day. */
  private readonly files = new Map<string, string>();
  private readonly lastDay: number;

  /** `countValue` is called before each value that a day did not have yet, and may throw. */
  constructor(
    nowMs: number,
    private readonly countValue: () => void,
  ) {
    // Somewhere on earth it is tomorrow.
    this.lastDay = Math.floor(nowMs / dayMs) + 1;
  }

  /** Throws Refusal 400 naming the file and line. */
  dayOf(date: string, shownName: string, line: number): Day {
    const known = this.days.get(date);
    if (known !== undefined) return known;
    const number = dayOfDate(date) ?? NaN;
    if (!(number >= firstDay && number <= this.lastDay)) {
      const [first, last] = [firstDay, this.lastDay].map((day) => shown(utcDate(day * dayMs)));
      throw new Refusal(
        400,
        `${shownName}, line ${line}: date: got ${shown(date)}, expected one of the calendar from ${first} to ${last}`,
      );
    }
    const day = new Day(number, this.countValue);
    this.days.set(date, day);
    return day;
  }

  /**
   * Notes a row of a table. Throws Refusal 400 if another file has rows of this day, as two exports have, or if the file with the
   * totals of each day has two: they would count twice.
   */
  noteFile(table: string, date: string, shownName: string, line: number): void {
    const key = `${table} ${date}`;
    const known = this.files.get(key);
    if (known === undefined) this.files.set(key, shownName);
    else if (known !== shownName || table === totalsTable)
      throw new Refusal(400, `${shownName}, line ${line}: another line of the ZIP has ${shown(date)} too`);
  }

  /** Returns the sums of each column of a table in the month of a date. */
  columnSums(table: string, date: string): Record<string, number> {
    const key = `${table} ${monthOf(date)}`;
    const known = this.sums.get(key) ?? {};
    this.sums.set(key, known);
    return known;
  }

  /** Returns the months with page views or events, the oldest first. */
  months(): readonly MonthSums[] {
    const rising = [...this.days]
      .filter(([, day]) => !day.isEmpty)
      .sort(([, a], [, b]) => a.number - b.number);
    const months = Map.groupBy(rising, ([date]) => monthOf(date));
    return Array.from(months, ([month, own]) => ({
      monthMs: Date.parse(`${month}-01T00:00:00Z`),
      days: own.map(([, day]) => day.sums),
    }));
  }
}

/** The sums of a day, as they are added up. */
export class Day {
  readonly all: Record<keyof Sums, number> = { ...noSums };
  private readonly values = Object.fromEntries(summedNames.map((name) => [name, new TextMap()])) as Record<
    SummedName,
    TextMap<Record<keyof Sums, number>>
  >;
  private readonly sources = new TextMap<[values: readonly string[], sums: Record<keyof Sums, number>]>();
  private readonly events = new TextMap<number>();

  constructor(
    readonly number: number,
    private readonly countValue: () => void,
  ) {}

  add(sums: Sums): void {
    addSums(this.all, sums);
  }

  addValue(name: SummedName, value: string, sums: Sums): void {
    const known = this.values[name].get(value);
    if (known !== undefined) return addSums(known, sums);
    this.countValue();
    this.values[name].set(value, { ...sums });
  }

  addSource(values: readonly string[], sums: Sums): void {
    const key = values.join("\n");
    const known = this.sources.get(key);
    if (known !== undefined) return addSums(known[1], sums);
    this.countValue();
    this.sources.set(key, [values, { ...sums }]);
  }

  addEvents(name: string, count: number): void {
    const known = this.events.get(name);
    if (known === undefined) this.countValue();
    this.events.set(name, (known ?? 0) + count);
  }

  get isEmpty(): boolean {
    return this.all.pageviews === 0 && this.events.size === 0;
  }

  get sums(): DaySums {
    const values = Object.fromEntries(summedNames.map((name) => [name, [...this.values[name]]]));
    return {
      day: this.number,
      all: this.all,
      values: values as unknown as DaySums["values"],
      sources: Array.from(this.sources, ([, source]) => source),
      events: [...this.events],
    };
  }
}
