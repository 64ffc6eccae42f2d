/** Order and search of the list of websites, and the question of its small lines. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  recentDays,
  recentPath,
  rowPath,
  shownWebsites,
  sortHref,
  sortNames,
  sortOf,
} from "../../src/web/lib/set-up/website-list.ts";
import { seed } from "../support/seed.ts";

const dayMs = 86_400_000;

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
    expect(namesOf(shownWebsites(websites, "", "name"))).toEqual([
      "a.example",
      "b.example",
      "c.test",
      "d.test",
    ]);
  });

  test("by the name that is shown, where people write it in another way than machines", () => {
    const own = { ...website("xn--mller-kva.example"), display_hostname: "müller.example" };
    expect(namesOf(shownWebsites([website("n.example"), own, website("m.example")], "", "name"))).toEqual([
      "m.example",
      "xn--mller-kva.example",
      "n.example",
    ]);
  });

  test("most visitors first, equal ones by name", () => {
    expect(namesOf(shownWebsites(websites, "", "visitors"))).toEqual([
      "c.test",
      "a.example",
      "b.example",
      "d.test",
    ]);
  });

  test("what is typed may be anywhere in the name, in any case, with spaces around it", () => {
    expect(namesOf(shownWebsites(websites, " EXAM ", "name"))).toEqual(["a.example", "b.example"]);
    expect(shownWebsites(websites, "nothing", "name")).toEqual([]);
  });

  test("whatever the order was, the list is the same, and the one that came is left alone", () => {
    const hostnames = fc.uniqueArray(fc.domain(), { maxLength: 20 });
    const random = hostnames.chain((names) =>
      fc.tuple(
        ...names.map((name) => fc.integer({ min: 0, max: 3 }).map((visitors) => website(name, visitors))),
      ),
    );
    fc.assert(
      fc.property(random, fc.constantFrom(...sortNames), (list, sort) => {
        const before = namesOf(list);
        const shown = shownWebsites(list, "", sort);
        expect(shownWebsites(list.toReversed(), "", sort)).toEqual(shown);
        expect(namesOf(list)).toEqual(before);
        expect(new Set(shown)).toEqual(new Set(list));
      }),
      { seed: seed() },
    );
  });

  test("the order stands in the address, and anything else there is the usual order", () => {
    for (const sort of sortNames) {
      expect(sortOf(new URL(sortHref(sort), "http://localhost").searchParams)).toBe(sort);
    }
    expect(sortOf(new URLSearchParams("sort=size"))).toBe("name");
    expect(sortHref("name")).toBe("/");
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

describe("the change of a row", () => {
  const spanAt = (text: string, zone: string) => {
    const path = rowPath("example.com", zone, Date.parse(text));
    expect(path).toStartWith(recentPath("example.com", zone, Date.parse(text)));
    const { searchParams } = new URL(path, "http://localhost");
    return [searchParams.get("compare_start"), searchParams.get("compare_end")];
  };

  test("is since the 24 hours of a week ago, up to the nearest hour of the clock", () => {
    const span = ["2026-07-12T13:00:00.000Z", "2026-07-13T12:59:59.999Z"];
    expect(spanAt("2026-07-20T12:31:00Z", "Europe/Berlin")).toEqual(span);
    expect(spanAt("2026-07-20T13:29:59Z", "Europe/Berlin")).toEqual(span);
    expect(spanAt("2026-07-20T12:29:59Z", "Europe/Berlin")).not.toEqual(span);
  });

  test("has the same times of the clock also when the clocks were set in between", () => {
    // 14:00 in summer time, and 14:00 in winter time.
    const span = ["2026-03-23T13:00:00.000Z", "2026-03-24T12:59:59.999Z"];
    expect(spanAt("2026-03-31T12:00:00Z", "Europe/Berlin")).toEqual(span);
  });
});
