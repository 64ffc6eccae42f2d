/** The steps of the map: without gaps, in round numbers, in shades that can be told apart in both themes. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { join } from "node:path";
import { indexAfter, shadeOf, shadesMax, stepsOf } from "../../src/web/lib/drawing/choropleth.ts";
import { seed } from "../support/seed.ts";

describe("steps of visitors", () => {
  test("are each about as many times the one before", () => {
    expect(stepsOf(10_000)).toEqual([
      { from: 1, to: 4, shade: 1 },
      { from: 5, to: 49, shade: 2 },
      { from: 50, to: 199, shade: 3 },
      { from: 200, to: 1_999, shade: 4 },
      { from: 2_000, to: 10_000, shade: 5 },
    ]);
  });

  test("are fewer, and further apart, where there are few visitors", () => {
    expect(stepsOf(0)).toEqual([]);
    expect(stepsOf(1)).toEqual([{ from: 1, to: 1, shade: 5 }]);
    expect(stepsOf(3)).toEqual([
      { from: 1, to: 1, shade: 1 },
      { from: 2, to: 3, shade: 5 },
    ]);
    expect(stepsOf(10).map(({ from, shade }) => [from, shade])).toEqual([
      [1, 1],
      [2, 3],
      [5, 5],
    ]);
  });

  test("cover every number of visitors once, the strongest shade last", () => {
    const most = fc.oneof(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 1, max: 2 ** 31 }));
    fc.assert(
      fc.property(most, (visitorsMax) => {
        const steps = stepsOf(visitorsMax);
        expect(steps.length).toBeLessThanOrEqual(shadesMax);
        expect(steps[0]?.from).toBe(1);
        expect(steps.at(-1)).toMatchObject({ to: visitorsMax, shade: shadesMax });
        steps.forEach(({ from, to, shade }, at) => {
          expect(from).toBeLessThanOrEqual(to);
          expect(String(from)).toMatch(/^[125]0*$/);
          expect(shade).toBeGreaterThanOrEqual(1);
          const next = steps[at + 1];
          if (next === undefined) return;
          expect(next.from).toBe(to + 1);
          expect(next.shade).toBeGreaterThan(shade);
        });
      }),
      { seed: seed() },
    );
  });
});

describe("the shade of a country", () => {
  test("is that of the step its visitors are in", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), fc.nat(), (visitorsMax, chance) => {
        const steps = stepsOf(visitorsMax);
        const visitors = 1 + (chance % visitorsMax);
        const around = steps.filter(({ from, to }) => from <= visitors && visitors <= to);
        expect(around.map(({ shade }) => shade)).toEqual([shadeOf(steps, visitors)]);
      }),
      { seed: seed() },
    );
  });

  test("is none without visitors", () => {
    expect(shadeOf(stepsOf(500), 0)).toBe(0);
    expect(shadeOf(stepsOf(0), 0)).toBe(0);
  });
});

describe("keys", () => {
  test("go by rank and stop at both ends", () => {
    expect(["ArrowRight", "ArrowDown"].map((key) => indexAfter(key, 0, 3))).toEqual([1, 1]);
    expect(["ArrowLeft", "ArrowUp"].map((key) => indexAfter(key, 2, 3))).toEqual([1, 1]);
    expect(indexAfter("ArrowRight", 2, 3)).toBe(2);
    expect(indexAfter("ArrowLeft", 0, 3)).toBe(0);
    expect(indexAfter("Home", 2, 3)).toBe(0);
    expect(indexAfter("End", 0, 3)).toBe(2);
  });

  test("that mean something else lead nowhere", () => {
    for (const key of ["Enter", "Tab", "a", " "]) expect(indexAfter(key, 1, 3)).toBeUndefined();
  });
});

describe("colours", async () => {
  const tokens = await Bun.file(join(import.meta.dir, "../../src/web/styles/tokens.css")).text();

  describe.each(["light", "dark"])("of the %s theme", (theme) => {
    const luminanceOf = (name: string): number => {
      const [, light, dark] =
        new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\);`).exec(tokens) ?? [];
      return luminance((theme === "light" ? light : dark) as string);
    };
    const shades = Array.from({ length: shadesMax }, (_, at) => luminanceOf(`map-${at + 1}`));

    test("differ by 3:1 from land without visitors and from the sea", () => {
      for (const shade of shades)
        for (const around of ["map-0", "surface"])
          expect(contrast(shade, luminanceOf(around))).toBeGreaterThanOrEqual(3);
    });

    test("go one way, with steps that can be told apart", () => {
      const away = shades.map((shade) => contrast(shade, luminanceOf("map-0")));
      expect(away).toEqual(away.toSorted((a, b) => a - b));
      away.slice(1).forEach((ratio, at) => expect(ratio / (away[at] as number)).toBeGreaterThan(1.3));
    });
  });
});

/** Relative luminance and contrast as WCAG 2.2 defines them. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}
