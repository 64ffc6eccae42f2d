/** Order and search of the list of websites, and the question of its small lines. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  figuresPath,
  listedHref,
  listPeriods,
  listViewHref,
  listViewOf,
  recentDays,
  recentPath,
  shownWebsites,
  sortNames,
} from "../../src/web/lib/set-up/website-list.ts";
import type { Website } from "../../src/web/lib/api.ts";
import { seed } from "../support/seed.ts";

const dayMs = 86_400_000;
const visitorsOf = ({ summary }: Website) => summary.visitors;

function website(hostname: string, visitors = 0) {
  return { hostname, visits: true, role: "owner" as const, summary: { visitors } };
}

function namesOf(websites: readonly { readonly hostname: string }[]): string[] {
  return websites.map(({ hostname }) => hostname);
}

describe("order and search", () => {
  const websites = [
    website("b.example", 5),
    website("a.example", 5),
    website("c.test", 9),
    website("d.test"),
  ];

  test("by name", () => {
    expect(namesOf(shownWebsites(websites, ""))).toEqual(["a.example", "b.example", "c.test", "d.test"]);
  });

  test("by the name that is shown, where people write it in another way than machines", () => {
    const own = { ...website("xn--mller-kva.example"), display_hostname: "müller.example" };
    expect(namesOf(shownWebsites([website("n.example"), own, website("m.example")], ""))).toEqual([
      "m.example",
      "xn--mller-kva.example",
      "n.example",
    ]);
  });

  test("most visitors first, equal ones by name", () => {
    expect(namesOf(shownWebsites(websites, "", visitorsOf))).toEqual([
      "c.test",
      "a.example",
      "b.example",
      "d.test",
    ]);
  });

  test("what is typed may be anywhere in the name, in any case, with spaces around it", () => {
    expect(namesOf(shownWebsites(websites, " EXAM "))).toEqual(["a.example", "b.example"]);
    expect(shownWebsites(websites, "nothing")).toEqual([]);
  });

  test("whatever the order was, the list is the same, and the one that came is left alone", () => {
    const hostnames = fc.uniqueArray(fc.domain(), { maxLength: 20, size: "max" });
    const random = hostnames.chain((names) =>
      fc.tuple(
        ...names.map((name) => fc.integer({ min: 0, max: 3 }).map((visitors) => website(name, visitors))),
      ),
    );
    fc.assert(
      fc.property(random, fc.constantFrom(undefined, visitorsOf), (list, sort) => {
        const before = namesOf(list);
        const shown = shownWebsites(list, "", sort);
        expect(shownWebsites(list.toReversed(), "", sort)).toEqual(shown);
        expect(namesOf(list)).toEqual(before);
        expect(new Set(shown)).toEqual(new Set(list));
      }),
      { seed: seed() },
    );
  });

  test("a website whose figure is not known is last", () => {
    const known = (own: Website) => (own.hostname === "c.test" ? undefined : visitorsOf(own));
    expect(namesOf(shownWebsites(websites, "", known))).toEqual([
      "a.example",
      "b.example",
      "d.test",
      "c.test",
    ]);
  });

  test("order and period stand in the address, and anything else there is the usual one", () => {
    for (const sort of sortNames)
      for (const period of listPeriods) {
        const href = listViewHref({ sort, period });
        expect(listViewOf(new URL(href, "http://localhost").searchParams)).toEqual({ sort, period });
      }
    expect(listViewOf(new URLSearchParams("sort=size&period=all"))).toEqual({ sort: "name", period: "24h" });
    expect(listViewHref({ sort: "name", period: "24h" })).toBe("/");
  });

  test("a website is shown with the period that was chosen", () => {
    expect(listPeriods.map((period) => listedHref("a.example", period))).toEqual([
      "/dashboard/websites/a.example",
      "/dashboard/websites/a.example?period=7d",
      // It is the usual period of that page.
      "/dashboard/websites/a.example",
    ]);
  });
});

describe("the small line", () => {
  const at = (text: string) => Date.parse(text);

  test("asks for fourteen days of the viewer's calendar, today among them", () => {
    expect(recentPath("example.com", "Europe/Berlin", at("2026-07-20T12:00:00Z"))).toBe(
      "/website/example.com/summary?interval=day&timezone=Europe/Berlin&start=2026-07-06T22:00:00.000Z",
    );
  });

  test("begins at midnight also when the clocks were set in between", () => {
    const path = recentPath("example.com", "Europe/Berlin", at("2026-03-31T12:00:00Z"));
    expect(path).toEndWith("start=2026-03-17T23:00:00.000Z");
  });

  test("is the same question all day, and another one tomorrow", () => {
    const noon = at("2026-07-20T12:00:00Z");
    const ask = (ms: number) => recentPath("example.com", "Asia/Tokyo", ms);
    // In Tokyo it is 21:00.
    expect(ask(noon + 3 * 3_600_000 - 1)).toBe(ask(noon - 21 * 3_600_000));
    expect(ask(noon + 3 * 3_600_000)).not.toBe(ask(noon));
  });

  test("begins at a local midnight, thirteen days ago, in any zone", () => {
    const zones = fc.constantFrom("UTC", "Asia/Kathmandu", "America/New_York", "Australia/Lord_Howe");
    const instants = fc.integer({ min: at("2020-01-01T00:00:00Z"), max: at("2035-01-01T00:00:00Z") });
    fc.assert(
      fc.property(zones, instants, (zone, nowMs) => {
        const { searchParams } = new URL(recentPath("example.com", zone, nowMs), "http://localhost");
        const start = at(searchParams.get("start") ?? "");
        const clock = new Intl.DateTimeFormat("en", { timeZone: zone, timeStyle: "short", hourCycle: "h23" });
        expect(clock.format(start)).toBe("00:00");
        const days = (nowMs - start) / dayMs;
        // An hour more or less where clocks were set.
        expect(days).toBeGreaterThan(recentDays - 1 - 1 / 20);
        expect(days).toBeLessThan(recentDays + 1 / 20);
      }),
      { seed: seed() },
    );
  });
});

describe("the figures of a row", () => {
  const asked = (text: string, zone: string, period: (typeof listPeriods)[number] = "24h", visits = true) => {
    const path = figuresPath({ ...website("example.com"), visits }, period, zone, Date.parse(text));
    const { pathname, searchParams } = new URL(path, "http://localhost");
    expect(pathname).toBe("/website/example.com/summary");
    return Object.fromEntries(searchParams);
  };

  test("are those of the 24 hours that end now, compared with those of a week ago, up to the nearest hour", () => {
    const { start, end, ...more } = asked("2026-07-20T12:31:00Z", "Europe/Berlin");
    expect([start, end]).toEqual(["2026-07-19T12:31:00.001Z", "2026-07-20T12:31:00.000Z"]);
    const before = { compare_start: "2026-07-12T13:00:00.000Z", compare_end: "2026-07-13T12:59:59.999Z" };
    expect(more).toEqual({ by: "visit", metrics: "visitors,visits", ...before });
    expect(asked("2026-07-20T13:29:59Z", "Europe/Berlin")).toMatchObject(before);
    expect(asked("2026-07-20T12:29:59Z", "Europe/Berlin")).not.toMatchObject(before);
  });

  test("have the same times of the clock also when the clocks were set in between", () => {
    // 14:00 in summer time, and 14:00 in winter time.
    expect(asked("2026-03-31T12:00:00Z", "Europe/Berlin")).toMatchObject({
      compare_start: "2026-03-23T13:00:00.000Z",
      compare_end: "2026-03-24T12:59:59.999Z",
    });
  });

  test("of days are those that the page of the website shows for them", () => {
    expect(asked("2026-07-20T12:31:00Z", "Europe/Berlin", "7d")).toEqual({
      start: "2026-07-13T22:00:00.000Z",
      end: "2026-07-20T21:59:59.999Z",
      by: "visit",
      metrics: "visitors,visits",
      compare_start: "2026-07-06T22:00:00.000Z",
      compare_end: "2026-07-13T12:30:59.999Z",
    });
  });

  test("ask a website that does not tell visits apart for visitors only", () => {
    for (const period of listPeriods) {
      const { by, metrics } = asked("2026-07-20T12:31:00Z", "UTC", period, false);
      expect([by, metrics]).toEqual([undefined, "visitors"]);
    }
  });
});
