/** The answer about the last minutes, beside one that looks at every view naively. */
import { describe, expect, test } from "bun:test";
import type { Goal } from "../../src/core/website/goal.ts";
import { recentEntriesMax, recentRowsMax, type RecentRow } from "../../src/core/questions/recent.ts";
import { answerRecent } from "../../src/query/answers/recent/recent.ts";
import { countryName } from "../../src/query/names/names.ts";
import { referrerGroup } from "../../src/query/names/referrer-groups.ts";
import { cpuMs } from "../support/cpu-time.ts";
import { randomFrom } from "../support/random.ts";
import { noonMs } from "../support/records.ts";
import { addView, siteOf, type View } from "../support/site.ts";

const minuteMs = 60_000;
const nowMs = noonMs + 59_000;
const startMs = noonMs - 29 * minuteMs;
const minuteOf = (ms: number) => new Date(Math.floor(ms / minuteMs) * minuteMs).toISOString();

const goals: readonly Goal[] = [
  { id: 1, name: "Blog", target: { page: [{ operator: "starts_with", operands: ["/BLOG"] }] } },
  { id: 2, name: "Not home", target: { page: [{ operator: "neq", operands: ["/"] }] } },
  { id: 3, name: "Plan", target: { event: { propName: "plan", propValue: null, amount: null } } },
  { id: 4, name: "Team", target: { event: { propName: "Plan", propValue: "team", amount: null } } },
];

type Known = Required<
  Pick<View, "timeMs" | "path" | "referrer" | "utm_source" | "country" | "device" | "bare">
> &
  Pick<View, "properties" | "numbers">;

function someProperties(random: () => number): Pick<Known, "properties" | "numbers"> {
  if (random() < 0.7) return {};
  const of = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)] as T;
  const numbers = Array.from({ length: 1 + Math.floor(random() * 3) }, () => of([null, null, 12.5]));
  return {
    properties: numbers.map(
      (number) => [of(["plan", "size", null]), String(number ?? of(["team", "one"]))] as const,
    ),
    numbers,
  };
}

function randomViews(seed: number, count: number): Known[] {
  const random = randomFrom(seed);
  const of = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)] as T;
  const times = Array.from({ length: count }, () => startMs - 5 * minuteMs + random() * 36 * minuteMs);
  return times
    .map(Math.floor)
    .sort((a, b) => a - b)
    .map((timeMs) => ({
      timeMs,
      path: of(["/", "/blog/a", "/pricing", null, `/p${Math.floor(random() * 20)}`]),
      referrer: of(["", "", "google.com", "google.de", "example.org/a", null]),
      utm_source: of(["", "", "", "newsletter"]),
      country: of(["DE", "", "FR", null]),
      device: of(["Desktop", "Mobile"]),
      bare: random() < 0.1,
      ...someProperties(random),
    }));
}

const other = (value: string | null) => value ?? "(other)";
const sourceOf = ({ utm_source, referrer }: Known) =>
  other(utm_source) || (referrer === null ? "(other)" : referrerGroup(referrer));

function naiveTop(views: readonly Known[], nameOf: (view: Known) => string, minutes: number): RecentRow[] {
  return [...Map.groupBy(views, nameOf)]
    .filter(([name]) => name !== "")
    .sort(([a, one], [b, two]) => two.length - one.length || (a < b ? -1 : 1))
    .slice(0, recentRowsMax)
    .map(([name, own]) => ({ name, pageviews: naiveMinutes(own, minutes) }));
}

function naiveMinutes(views: readonly Known[], minutes: number): number[] {
  return Array.from(
    { length: minutes },
    (_, at) => views.filter(({ timeMs }) => minuteOf(timeMs) === minuteOf(startMs + at * minuteMs)).length,
  );
}

function naive(all: readonly Known[]) {
  const inPeriod = all.filter(({ timeMs }) => timeMs >= startMs && timeMs <= nowMs);
  const views = inPeriod.filter(({ bare }) => !bare);
  const newestFirst = inPeriod.toReversed();
  return {
    start: new Date(startMs).toISOString(),
    pageviews: naiveMinutes(views, 30),
    pages: naiveTop(views, ({ path }) => other(path), 30),
    sources: naiveTop(views, sourceOf, 30),
    views: newestFirst
      .filter(({ bare }) => !bare)
      .slice(0, recentEntriesMax)
      .map((view) => ({
        minute: minuteOf(view.timeMs),
        path: other(view.path),
        source: sourceOf(view),
        country: view.country === null ? "(other)" : countryName(view.country),
        device: other(view.device),
        goals:
          view.path === null
            ? []
            : [
                ...(view.path.startsWith("/blog") ? ["Blog"] : []),
                ...(view.path === "/" ? [] : ["Not home"]),
              ],
      })),
    events: newestFirst
      .filter(({ properties = [] }) => properties.length > 0)
      .map(({ timeMs, properties = [], numbers = [] }) => ({
        minute: minuteOf(timeMs),
        properties: properties.map(([name, value], at) => ({
          name: other(name),
          value: other(value),
          ...(numbers[at] != null && { number: numbers[at] }),
        })),
        goals: [
          ...(properties.some(([name]) => name === "plan") ? ["Plan"] : []),
          ...(properties.some(([name, value]) => name === "plan" && value === "team") ? ["Team"] : []),
        ],
      }))
      .slice(0, recentEntriesMax),
  };
}

describe("the last minutes", () => {
  test.each([0, 1, 7, 90, 2_000])("of %i views are as a naive look at all of them", (count) => {
    const views = randomViews(count, count);
    expect(answerRecent(siteOf(...views), goals, nowMs)).toEqual(naive(views));
  });

  test("are the same where hits did not come in the order of their times", () => {
    const views = randomViews(5, 40);
    const mixed = siteOf(...views.slice(20), ...views.slice(0, 20));
    expect(answerRecent(mixed, goals, nowMs)).toEqual(naive(views));
  });

  test("are fewer where more was logged than is walked at once", () => {
    const views = Array.from({ length: 250_001 }, (_, at) => ({
      timeMs: startMs + 15 * minuteMs + Math.floor((at / 250_001) * 14 * minuteMs),
      path: "/",
    }));
    const { start, pageviews, pages } = answerRecent(siteOf(...views), [], nowMs);
    expect(start).toBe(new Date(noonMs - 4 * minuteMs).toISOString());
    expect(pageviews).toHaveLength(5);
    expect(pages).toEqual([{ name: "/", pageviews: [...pageviews] }]);
  });

  test("name the pages and sources of the most page views soon, where each of the others has one of its own", () => {
    const viewsOf = (names: number) =>
      Array.from({ length: 50_000 }, (_, at) => ({
        timeMs: noonMs,
        path: at % 100 === 0 ? "/often" : `/${at % names}`,
        utm_source: at % 50 === 0 ? "many" : `s${at % names}`,
      }));
    const answerMs = (site: ReturnType<typeof siteOf>) => {
      const before = cpuMs();
      answerRecent(site, [], nowMs);
      return cpuMs() - before;
    };
    const [few, many] = [siteOf(...viewsOf(1_000)), siteOf(...viewsOf(50_000))];
    const timesOf = (site: typeof few) => Math.min(...[0, 1, 2].map(() => answerMs(site)));
    expect(timesOf(many)).toBeLessThan(4 * timesOf(few) + 10);
    const { pages, sources } = answerRecent(many, [], nowMs);
    const totals = [pages, sources].map(([first]) => [first?.name, first?.pageviews.reduce((a, b) => a + b)]);
    expect(totals).toEqual([
      ["/often", 500],
      ["many", 1_000],
    ]);
  });

  test("count all page views of a source, where each click has a campaign of its own", () => {
    const views = Array.from({ length: 6_000 }, (_, at) => ({
      timeMs: noonMs,
      path: "/",
      ...(at % 2 === 0 ? { utm_source: "ads" } : { referrer: "google.com" }),
      utm_campaign: `click-${at}`,
    }));
    const { sources } = answerRecent(siteOf(...views), [], nowMs);
    expect(sources.map(({ name, pageviews }) => [name, pageviews.at(-1)])).toEqual([
      ["Google", 3_000],
      ["ads", 3_000],
    ]);
  });

  test("have what was sent together as one event, in its order, and other events apart", () => {
    const order: View = {
      timeMs: noonMs,
      properties: [
        ["order", "true"],
        ["total", "1000.5"],
        ["product", "Mug"],
      ],
      numbers: [null, 1_000.5, null],
    };
    const site = siteOf(order, order);
    const { events } = answerRecent(site, goals, nowMs);
    expect(events.map(({ properties }) => properties)).toEqual(
      [order, order].map(() => [
        { name: "order", value: "true" },
        { name: "total", value: "1000.5", number: 1_000.5 },
        { name: "product", value: "Mug" },
      ]),
    );
    // Another event of the page view comes a millisecond later.
    const later = siteOf();
    const ref = addView(later, order);
    later.addProperties(ref, { properties: [["plan", "team"]] }, noonMs + 1);
    expect(
      answerRecent(later, goals, nowMs).events.map((event) => [event.properties.length, event.goals]),
    ).toEqual([
      [1, ["Plan", "Team"]],
      [3, []],
    ]);
  });

  test("have at most so many events, however much each says", () => {
    const properties = Array.from({ length: 30 }, (_, at) => [`name${at}`, "true"] as const);
    const views = Array.from({ length: recentEntriesMax + 5 }, (_, at): View => ({
      timeMs: noonMs + at,
      properties,
    }));
    const { events } = answerRecent(siteOf(...views), [], nowMs);
    expect(events.map((event) => event.properties.length)).toEqual(Array(recentEntriesMax).fill(30));
  });

  test("say of an entry nothing that joins it to another one", () => {
    const view: View = { timeMs: noonMs, properties: [["plan", "team"]] };
    const { views, events } = answerRecent(siteOf(view), [], nowMs);
    expect(views.map(Object.keys)).toEqual([["minute", "path", "source", "country", "device", "goals"]]);
    expect(events.map(Object.keys)).toEqual([["minute", "properties", "goals"]]);
    expect(views[0]?.minute).toBe("2026-03-15T12:00:00.000Z");
  });
});
