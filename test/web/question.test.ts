/** A question, its address, and the paths of the API: each read back by the code that has to understand it. */
import type { CalendarDate, Dates } from "../../src/core/calendar/date.ts";
import { describe, expect, test } from "bun:test";
import { filterNames } from "../../src/core/questions/dimension.ts";
import { operatorOf, operators } from "../../src/core/questions/operator.ts";
import { intervalNames, type Filter } from "../../src/core/questions/query.ts";
import { rawQuery } from "../../src/http/parsing/query-string.ts";
import { parseStatisticsQuery } from "../../src/http/parsing/statistics-query.ts";
import { figuresOf } from "../../src/web/lib/texts/metric.ts";
import { comparisonNames, type Comparison } from "../../src/web/lib/calendar/comparison.ts";
import { periodNames, spanOf, type PeriodChoice } from "../../src/web/lib/calendar/period.ts";
import { comparedPairs, earlierChartPath, listPath, summaryPath } from "../../src/web/lib/question/paths.ts";
import {
  filterLabels,
  intervalOf,
  operandText,
  type Question,
  questionHref,
  questionOf,
  unknownFilters,
  withFilter,
  withTab,
} from "../../src/web/lib/question/question.ts";
import { filterText } from "../../src/web/lib/question/value-text.ts";
import { ownZone } from "../../src/web/lib/calendar/zone.ts";
import { randomFrom } from "../support/random.ts";
import { seed } from "../support/seed.ts";

const hostname = "example.com";
const now = Date.parse("2026-11-21T10:00:00Z");

function read(search: string, host = hostname): Question {
  return questionOf(host, new URLSearchParams(search));
}

/** As the browser reads an address. */
function reread(question: Question): Question {
  const { search } = new URL(questionHref(question), "https://stats.example");
  return questionOf(question.hostname, new URLSearchParams(search), question);
}

function filter(text: string): Filter {
  const [name, operator, ...operands] = text.split(" ");
  return { name, operator, operands } as Filter;
}

const values = [
  "",
  "/",
  "/blog/café",
  "/blog/caf%C3%A9",
  "a b",
  "a+b",
  "a&b=c#d?e",
  "a,b",
  "a\\,b",
  "back\\",
  "\\",
  ",",
  "100 %",
  "%zz",
  "[eq]",
  "日本語 🎉",
  "<script>",
];

class RandomQuestions {
  constructor(private readonly random: () => number) {}

  next(): Question {
    const visits = this.random() < 0.5;
    const view = this.pick(["website", "install"] as const);
    const courses = visits && view === "website";
    const goal = courses && this.random() < 0.5 ? 1 + Math.floor(this.random() * 50) : undefined;
    return {
      visits,
      view,
      goal,
      steps: courses && this.random() < 0.5 ? ["goal:1", this.value(), `event:${this.value()}`] : [],
      hostname: this.pick([hostname, "localhost", "a-b.example", "xn--bcher-kva.example"]),
      period: this.period(),
      zone: this.pick([ownZone, "UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires"]),
      interval: this.pick([undefined, ...intervalNames]),
      compare: this.comparison(),
      metric: this.pick(figuresOf({ visits, goal })).name,
      filters: this.filters(),
      tabs: new Map(
        this.random() < 0.5
          ? []
          : [
              ["pages", "time"],
              [this.value(), this.value()],
            ],
      ),
    };
  }

  private comparison(): Comparison {
    const name = this.pick(comparisonNames);
    return name === "custom" ? { name, ...this.dates() } : { name };
  }

  private period(): PeriodChoice {
    const name = this.pick(periodNames);
    if (name === "24h" && this.random() < 0.5) return { name, untilMs: Math.floor(this.random() * now) };
    return name === "custom" ? { name, ...this.dates() } : { name };
  }

  private dates(): Dates {
    const from = Temporal.PlainDate.from("1970-01-01").add({ days: Math.floor(this.random() * 25_000) });
    const to = from.add({ days: Math.floor(this.random() * 500) });
    const plain = ({ year, month, day }: CalendarDate) => ({ year, month, day });
    return { from: plain(from), to: plain(to) };
  }

  /** No list twice: two lists of one dimension are one. */
  private filters(): Filter[] {
    const made = Array.from({ length: Math.floor(this.random() * 5) }, (): Filter => {
      const { name: operator, takesList } = this.pick(operators);
      const length = takesList ? 1 + Math.floor(this.random() * 4) : 1;
      return { name: this.pick(filterNames), operator, operands: Array.from({ length }, () => this.value()) };
    });
    return made.filter(
      ({ name, operator }, at) =>
        !operatorOf(operator).takesList ||
        made.findIndex((other) => other.name === name && other.operator === operator) === at,
    );
  }

  private value(): string {
    return this.pick(values);
  }

  private pick<T>(of: readonly T[]): T {
    return of[Math.floor(this.random() * of.length)] as T;
  }
}

describe("an address", () => {
  test("without anything is the last 30 days in the viewer's time zone", () => {
    expect(read("")).toEqual({
      view: "website",
      hostname,
      visits: false,
      period: { name: "30d" },
      zone: ownZone,
      interval: undefined,
      compare: { name: "previous" },
      metric: "visitors",
      filters: [],
      goal: undefined,
      steps: [],
      tabs: new Map(),
    });
    expect(questionHref(read(""))).toBe("/dashboard/websites/example.com");
  });
  test("is short, and as people would write it", () => {
    const question = read(
      "period=custom&from=2026-05-01&to=2026-05-31&path[starts_with]=/blog/&browser[in]=Chrome,Firefox",
    );
    expect(questionHref(question)).toBe(
      "/dashboard/websites/example.com?period=custom&from=2026-05-01&to=2026-05-31" +
        "&path[starts_with]=/blog/&browser[in]=Chrome,Firefox",
    );
  });
  test("with what nobody knows is as without it", () => {
    const nonsense =
      "period=year&interval=decade&metric=money&timezone=Europe/Atlantis&previous=yes&compare=twice&paths[eq]=a&path[is]=a&path=a&x=y";
    expect(read(nonsense)).toEqual(read(""));
  });
  test("from before comparisons were usual shows the comparison", () => {
    expect(read("previous=true&period=7d")).toEqual(read("period=7d"));
  });
  test("of a comparison without two dates has the usual one", () => {
    expect(read("compare=custom&compare_from=2026-05-01").compare).toEqual({ name: "previous" });
  });
  test("of a custom period without two dates is the default", () => {
    for (const dates of ["", "&from=2026-05-01", "&from=2026-02-30&to=2026-03-01", "&from=a&to=b"])
      expect(read(`period=custom${dates}`).period).toEqual({ name: "30d" });
  });
  test("with the dates the wrong way round is understood", () => {
    // As the command line writes them.
    const may = { name: "custom", from: { month: 5, day: 1 }, to: { month: 5, day: 31 } };
    expect(read("period=2026-05-01..2026-05-31").period).toMatchObject(may);
    expect(read("period=2026-05-01").period).toMatchObject({ ...may, to: { month: 5, day: 1 } });
    expect(read("period=2026-05-01..2026-02-31").period).toEqual({ name: "30d" });
    expect(read("period=custom&from=2026-05-31&to=2026-05-01").period).toMatchObject({
      from: { month: 5, day: 1 },
      to: { month: 5, day: 31 },
    });
  });
  test("keeps an empty operand, and every sign of a value", () => {
    expect(read("utm_source[eq]=").filters).toEqual([filter("utm_source eq ")]);
    for (const operand of values) {
      const question = {
        ...read(""),
        filters: [{ name: "path", operator: "eq", operands: [operand] }] as const,
      };
      expect(reread(question)).toEqual(question);
    }
  });
  test("of half a surrogate pair, which has no encoding, can still be made", () => {
    const question = { ...read(""), filters: [filter("prop_name eq \ud83c")] };
    expect(reread(question).filters).toEqual([filter("prop_name eq \ufffd")]);
  });
  test("with two lists of one dimension has one, as the server reads it", () => {
    expect(read("browser[in]=Chrome&path[eq]=/&browser[in]=Firefox,Safari").filters).toEqual([
      filter("browser in Chrome Firefox Safari"),
      filter("path eq /"),
    ]);
    expect(read("path[contains]=a&path[contains]=b").filters).toHaveLength(2);
  });
  test("says which filters it does not know", () => {
    const unknown = (text: string) => unknownFilters(new URLSearchParams(text));
    expect(unknown("path[zz]=x&path=x&colour[eq]=red&path[eq]=/&path[zz]=y&path[eq=/")).toEqual([
      "path[zz]",
      "path",
      "colour[eq]",
      "path[eq",
    ]);
    const link =
      "period=7d&tab.pages=time&browser[not_in]=a,b&prop_name[eq]=plan&utm_source[eq]=&previous=true";
    expect(unknown(link)).toEqual([]);
  });
  test("of a random question leads back to it", () => {
    const questions = new RandomQuestions(randomFrom(seed()));
    for (let round = 0; round < 1_000; round++) {
      const question = questions.next();
      expect(reread(question)).toEqual(question);
    }
  });
});

describe("a path of the API", () => {
  test("says to the server's own parser what the question asks", () => {
    const questions = new RandomQuestions(randomFrom(seed()));
    for (let round = 0; round < 500; round++) {
      const question = questions.next();
      const path = listPath(question, "pages", { limit: 9, offset: 3, summary: true }, now);
      expect(path.split("?")[0]).toBe(`/website/${question.hostname}/pages`);
      const parsed = parseStatisticsQuery(rawQuery(path), ["limit", "offset", "summary"]);
      expect(new URLSearchParams(rawQuery(path)).get("by")).toBe(question.visits ? "visit" : null);
      const { startMs, endMs } = spanOf(question.period, question.zone, now);
      expect(parsed).toEqual({
        period: { startMs: startMs ?? -Infinity, endMs },
        filters: question.filters,
        limit: 9,
        offset: 3,
        summary: true,
      });
    }
  });
  test("asks for the figures of a website by name, and for visits only where they are told apart", () => {
    for (const [visits, by] of [
      [true, "visit"],
      [false, undefined],
    ] as const) {
      const question = { ...read("utm_source[eq]=letter"), visits };
      const names = ["by", "metrics"] as const;
      const metrics = figuresOf({ visits }).map(({ name }) => name);
      for (const path of [summaryPath(question, now), earlierChartPath(question, now) ?? ""])
        expect(parseStatisticsQuery(rawQuery(path), names)).toMatchObject({
          by,
          metrics,
          filters: [{ name: visits ? "visit_utm_source" : "utm_source" }],
        });
      expect(metrics.some((name) => name.includes("visit_") || name === "visits")).toBe(visits);
    }
  });
  test("for the totals has the interval of the chart and the zone", () => {
    const question = read("period=7d&interval=hour&timezone=Asia/Kathmandu&previous=true&os[eq]=Linux");
    const names = ["interval", "timezone", "previous"] as const;
    expect(parseStatisticsQuery(rawQuery(summaryPath(question, now)), names)).toMatchObject({
      interval: "hour",
      timezone: "Asia/Kathmandu",
      previous: false,
      filters: [filter("os eq Linux")],
    });
  });
});

describe("the comparison asks", () => {
  const ends = (search: string, nowText = "2026-11-21T10:07:31Z") => {
    const query = new URL(
      summaryPath(read(`timezone=UTC&${search}`), Date.parse(nowText)),
      "https://stats.example",
    ).searchParams;
    return [query.get("compare_start"), query.get("compare_end")];
  };
  test("for as much of the other period as has gone of this one, in whole minutes", () => {
    expect(ends("period=today")).toEqual(["2026-11-14T00:00:00.000Z", "2026-11-14T10:06:59.999Z"]);
    expect(ends("")).toEqual(["2026-09-18T00:00:00.000Z", "2026-10-17T10:06:59.999Z"]);
    expect(ends("period=yesterday")).toEqual(["2026-11-13T00:00:00.000Z", "2026-11-13T23:59:59.999Z"]);
  });
  test("for nothing of all time, and where nothing is compared", () => {
    expect(ends("period=all")).toEqual([null, null]);
    expect(ends("compare=none")).toEqual([null, null]);
    expect(earlierChartPath(read("compare=none"), now)).toBeNull();
    expect(earlierChartPath(read("period=today&interval=minute"), now)).toBeNull();
    expect(earlierChartPath(read("period=today&interval=hour"), now)).toContain("interval=hour");
  });
  test("for the whole of the other period in the chart, and no longer than the chart is", () => {
    const query = (search: string) =>
      new URL(earlierChartPath(read(`timezone=UTC&${search}`), now) ?? "", "https://stats.example")
        .searchParams;
    expect(query("period=today").get("end")).toBe("2026-11-14T23:59:59.999Z");
    expect(query("period=today").get("interval")).toBe("hour");
    const long = query(
      "period=today&interval=hour&compare=custom&compare_from=2020-01-01&compare_to=2025-12-31",
    );
    expect([long.get("start"), long.get("end")]).toEqual([
      "2020-01-01T00:00:00.000Z",
      "2020-01-02T23:59:59.999Z",
    ]);
  });
  test("under the same filters, which no list has without it", () => {
    expect(earlierChartPath(read("browser[eq]=Chrome"), now)).toContain("browser[eq]=Chrome");
    expect(listPath(read(""), "pages", {}, now)).not.toContain("compare");
    expect(Object.keys(comparedPairs(read(""), now))).toEqual(["compare_start", "compare_end"]);
  });
});

test("the interval is the one that was chosen, if it suits the period", () => {
  const interval = (search: string) => {
    const question = read(search);
    return intervalOf(question, spanOf(question.period, question.zone, now));
  };
  expect(interval("period=7d")).toBe("day");
  expect(interval("period=7d&interval=hour")).toBe("hour");
  expect(interval("period=7d&interval=month")).toBe("day");
  expect(interval("period=today")).toBe("hour");
  expect(interval("period=today&interval=minute")).toBe("minute");
  expect(interval("period=all&interval=minute")).toBe("month");
});

test("a click on a row takes the place of what asked for another value, and of nothing else", () => {
  const question = {
    ...read(""),
    filters: ["browser eq Chrome", "browser in Chrome Firefox", "browser neq Edge", "os eq Linux"].map(
      filter,
    ),
  };
  expect(withFilter(question, filter("browser eq Safari")).filters).toEqual(
    ["browser neq Edge", "os eq Linux", "browser eq Safari"].map(filter),
  );
});

test("a tab is changed for one panel", () => {
  const question = withTab(read("tab.pages=time&tab.places=map"), "places", "languages");
  expect(question.tabs).toEqual(
    new Map([
      ["pages", "time"],
      ["places", "languages"],
    ]),
  );
});

describe("in words", () => {
  test("filters are sentences", () => {
    expect(filterText({ visits: true }, filter("browser eq Chrome"))).toBe("Browser is Chrome");
    expect(filterText({ visits: true }, filter("path not_starts_with /caf%C3%A9"))).toBe(
      "Page does not start with /café",
    );
    expect(filterText({ visits: true }, filter("os in Linux macOS"))).toBe("System is one of Linux, macOS");
    expect(filterText({ visits: true }, filter("utm_source neq "))).toBe("Source is not (none)");
    expect(filterText({ visits: true }, filter("referrer eq "))).toBe("Referrer is Direct / none");
    expect(filterText({ visits: false }, filter("referrer eq "))).toBe("Referrer is Direct or internal");
    expect(filterText({ visits: true }, filter("channel eq Unknown"))).toBe("Channel is Unknown");
    expect(filterText({ visits: true }, filter("channel eq Direct"))).toBe("Channel is Direct");
    expect(filterText({ visits: true }, filter("browser eq Unknown"))).toBe("Browser is Unknown");
  });
  test("a path that is no encoded text stays as it is", () => {
    expect(operandText("path", "/%zz")).toBe("/%zz");
    expect(operandText("utm_source", "%41")).toBe("%41");
  });
  test("every dimension has a label of its own", () => {
    expect(new Set(filterNames.map((name) => filterLabels[name])).size).toBe(filterNames.length);
  });
});
