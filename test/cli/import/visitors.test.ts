import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Visitors } from "../../../src/cli/import/visitors.ts";
import { dayMs } from "../../../src/core/hit.ts";
import { seed } from "../../support/seed.ts";

const noonMs = dayMs / 2;

describe("Visitors", () => {
  test("the first page view of a day is unique, the first of a page not seen before", () => {
    const visitors = new Visitors();
    expect(visitors.visit("a ua", "/", noonMs)).toEqual({ unique: true, seen: false });
    expect(visitors.visit("a ua", "/b", noonMs)).toEqual({ unique: false, seen: false });
    expect(visitors.visit("a ua", "/", noonMs)).toEqual({ unique: false, seen: true });
  });

  test("another key and another day are another visitor", () => {
    const visitors = new Visitors();
    const fresh = { unique: true, seen: false };
    expect(visitors.visit("a ua", "/", noonMs)).toEqual(fresh);
    expect(visitors.visit("b ua", "/", noonMs)).toEqual(fresh);
    expect(visitors.visit("a other", "/", noonMs)).toEqual(fresh);
    expect(visitors.visit("a ua", "/", noonMs + dayMs)).toEqual(fresh);
  });

  test("the day changes at midnight, and lines around it may be out of order", () => {
    const visitors = new Visitors();
    expect(visitors.visit("a ua", "/", dayMs - 1).unique).toBe(true);
    expect(visitors.visit("a ua", "/", dayMs).unique).toBe(true);
    expect(visitors.visit("a ua", "/", dayMs - 2).unique).toBe(false);
    expect(visitors.visit("a ua", "/", dayMs + 1).unique).toBe(false);
  });

  test("is a set of visitors and of pages for each of the last three days", () => {
    const visit = fc.record({
      address: fc.constantFrom("a", "b", "c"),
      userAgent: fc.constantFrom("x", "y"),
      path: fc.constantFrom("/", "/1", "/2"),
      timeMs: fc.nat(3 * dayMs - 1),
    });
    fc.assert(
      fc.property(fc.array(visit, { maxLength: 60, size: "max" }), (visits) => {
        const visitors = new Visitors();
        const known = new Set<string>();
        const isNew = (key: string) => !known.has(key) && known.add(key) === known;
        for (const { address, userAgent, path, timeMs } of visits) {
          const visitor = JSON.stringify([Math.floor(timeMs / dayMs), address, userAgent]);
          expect(visitors.visit(`${address} ${userAgent}`, path, timeMs)).toEqual({
            unique: isNew(visitor),
            seen: !isNew(visitor + path),
          });
        }
      }),
      { seed: seed() },
    );
  });

  test("forgets a day after three others", () => {
    const visitors = new Visitors();
    for (const day of [0, 1, 2, 3]) expect(visitors.visit("a ua", "/", day * dayMs).unique).toBe(true);
    expect(visitors.visit("a ua", "/", dayMs).unique).toBe(false);
    expect(visitors.visit("a ua", "/", 0).unique).toBe(true);
  });
});
