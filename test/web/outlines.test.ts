/** The world map: every country of the atlas and of the API is on it, where it is and as large as it is. */
import { describe, expect, test } from "bun:test";
import { countryByZone } from "../../src/collect/visitor/zones.ts";
import { unknownLabel } from "../../src/core/questions/dimension.ts";
import { countryName } from "../../src/query/names/names.ts";
import { codes, leftOut, territories } from "../../src/web/atlas-names.ts";
import { projected, worldOutlines } from "../../src/web/outlines.ts";

type Point = readonly [x: number, y: number];

const { viewBox, countries, dots } = worldOutlines();
const [, , width = 0, height = 0] = viewBox.split(" ").map(Number);

async function atlasNames(file: string): Promise<string[]> {
  const atlas = (await Bun.file(Bun.resolveSync(`world-atlas/${file}`, import.meta.dir)).json()) as {
    objects: { countries: { geometries: { properties: { name: string } }[] } };
  };
  return atlas.objects.countries.geometries.map(({ properties }) => properties.name);
}
const coarse = await atlasNames("countries-110m.json");
const fine = await atlasNames("countries-50m.json");

/** Every name that the API can give for a code of two letters. */
const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
const apiNames = new Set(letters.flatMap((one) => letters.map((other) => countryName(one + other))));
apiNames.delete(unknownLabel);

function apiName(atlasName: string): string {
  const code = codes[atlasName];
  return code === undefined ? atlasName : countryName(code);
}

/** The corners of each ring of a path of relative lines. */
function ringsOf(country: string): Point[][] {
  const path = countries[country];
  if (path === undefined) throw new Error(`${country} has no outline`);
  return path
    .split("z")
    .filter(Boolean)
    .map((ring) => {
      let [x, y] = [0, 0];
      return [...ring.matchAll(/(-?\d+) ?(-?\d+)/g)].map(([, dx, dy]): Point => {
        x += Number(dx);
        y += Number(dy);
        return [x, y];
      });
    });
}

function areaOf(ring: readonly Point[]): number {
  return ring.reduce((sum, [x, y], at) => {
    const [x0, y0] = ring.at(at - 1) as Point;
    return sum + (x0 * y - x * y0) / 2;
  }, 0);
}

/** The area of all its rings together; a hole turns the other way. */
function areaOfCountry(country: string): number {
  return Math.abs(ringsOf(country).reduce((sum, ring) => sum + areaOf(ring), 0));
}

function boxOf(country: string) {
  const points = ringsOf(country).flat();
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
}

/** Units from the dot of one country to the nearest corner of another. */
function distance(dot: string, country: string): number {
  const [x, y] = dots[dot] as Point;
  return Math.min(
    ...ringsOf(country)
      .flat()
      .map(([x1, y1]) => Math.hypot(x - x1, y - y1)),
  );
}

describe("names", () => {
  test("are those of the API", () => {
    for (const name of [...Object.keys(countries), ...Object.keys(dots)]) expect(apiNames).toContain(name);
  });

  test("every country of the coarse atlas has an outline", () => {
    const without = coarse.filter((name) => countries[apiName(name)] === undefined);
    expect(without).toEqual(["Antarctica"]);
  });

  test("every country of the fine atlas has an outline or a dot", () => {
    const without = fine.filter((name) => (countries[apiName(name)] ?? dots[apiName(name)]) === undefined);
    expect(without.toSorted()).toEqual(leftOut.toSorted());
  });

  test("two shapes share one only on purpose", () => {
    const own = new Set<string>();
    const shared = fine.filter((name) => own.size === own.add(apiName(name)).size);
    const beside = shared.map((name) => fine.filter((other) => apiName(other) === apiName(name)));
    expect(beside.map((pair) => pair.toSorted().join(" and ")).toSorted()).toEqual([
      "Ashmore and Cartier Is. and Australia",
      "Cyprus and N. Cyprus",
      "India and Siachen Glacier",
      "Somalia and Somaliland",
    ]);
  });

  test("no code is for a name that the atlas does not have, or for nothing", () => {
    for (const [name, code] of Object.entries(codes)) {
      expect([...coarse, ...fine]).toContain(name);
      expect(countryName(code)).not.toBe(unknownLabel);
    }
    for (const code of Object.keys(territories)) expect(fine.map(apiName)).not.toContain(countryName(code));
  });

  test("every country that a visitor can come from is on the map but for Antarctica", () => {
    const names = new Set([...countryByZone().values()].map(countryName));
    const without = [...names].filter((name) => (countries[name] ?? dots[name]) === undefined);
    expect(without).toEqual(["Antarctica"]);
  });
});

// Lengths of the whole projected earth by the equator's, as the authors of the projection state them.
test("the projection is Equal Earth", () => {
  const [west, east] = [11 - 180, 11 + 180];
  const [left] = projected([west, 0]);
  const [right] = projected([east, 0]);
  const [poleLeft, top] = projected([west, 90]);
  const [poleRight, bottom] = projected([east, -90]);
  const equator = right - left;
  expect((poleRight - poleLeft) / equator).toBeCloseTo(0.59247, 5);
  expect((bottom - top) / equator).toBeCloseTo(0.48671, 4);
  const [x, y] = projected([11, 0]);
  expect([Math.abs(x), Math.abs(y)]).toEqual([0, 0]);
});

describe("outlines", () => {
  test("are closed rings of relative lines in whole numbers", () => {
    for (const path of Object.values(countries)) expect(path).toMatch(/^(M\d+ \d+l-?\d+([ -]\d+|-\d+)+z)+$/);
  });

  test("lie within the drawing", () => {
    const points = [...Object.keys(countries).flatMap(ringsOf).flat(), ...Object.values(dots)];
    for (const [x, y] of points) {
      expect(x).toBeWithin(0, width + 1);
      expect(y).toBeWithin(0, height + 1);
    }
  });

  test("no line goes across the map", () => {
    for (const country of Object.keys(countries))
      for (const ring of ringsOf(country))
        ring.forEach(([x, y], at) => {
          const [x0, y0] = ring.at(at - 1) as Point;
          expect(Math.hypot(x - x0, y - y0)).toBeLessThan(width / 10);
        });
  });

  test("what reaches over the 180th meridian lies whole on one side", () => {
    const { left, right } = boxOf("Russia");
    expect(left).toBeGreaterThan(boxOf("France").right);
    expect(right).toBeGreaterThan(boxOf("Japan").right);
    expect(boxOf("Fiji").left).toBeGreaterThan(boxOf("Australia").right);
    expect(boxOf("United States").right).toBeLessThan(boxOf("Greenland").left);
  });

  // Thousands of square kilometres of land and inland water, by The World Factbook.
  test.each([
    ["Russia", 17_098],
    ["Brazil", 8_516],
    ["Australia", 7_741],
    ["Algeria", 2_382],
    ["Congo - Kinshasa", 2_345],
    ["Greenland", 2_166],
    ["Mongolia", 1_564],
    ["Finland", 338],
    ["Paraguay", 407],
  ])("%s is as large as it is, measured by South Africa", (country, area) => {
    const relative = areaOfCountry(country) / areaOfCountry("South Africa");
    expect(relative / (area / 1_219)).toBeWithin(0.93, 1.07);
  });

  test("what has a code of its own is cut from its country", () => {
    const france = boxOf("France");
    expect(france.right - france.left).toBeLessThan(width / 15);
    expect(boxOf("French Guiana").right).toBeLessThan(boxOf("Brazil").right);
    expect(boxOf("Svalbard & Jan Mayen").bottom).toBeLessThan(boxOf("Norway").top);
    expect(ringsOf("Svalbard & Jan Mayen")).toHaveLength(3);
  });

  test("what has none is part of the country that it is counted with", () => {
    expect(ringsOf("Cyprus")).toHaveLength(2);
    expect(ringsOf("Somalia")).toHaveLength(2);
  });
});

describe("dots", () => {
  test.each([
    ["Singapore", "Malaysia"],
    ["Hong Kong SAR China", "China"],
    ["Monaco", "France"],
    ["Gibraltar", "Spain"],
    ["Vatican City", "Italy"],
    ["San Marino", "Italy"],
    ["Malta", "Italy"],
    ["Bahrain", "Saudi Arabia"],
    ["Caribbean Netherlands", "Venezuela"],
    ["Guadeloupe", "Puerto Rico"],
    ["Mayotte", "Madagascar"],
    ["Samoa", "Fiji"],
    ["Tuvalu", "Fiji"],
  ])("%s is near %s", (dot, country) => {
    expect(distance(dot, country)).toBeLessThan(width / 20);
  });

  test("mark what is too small to see, and nothing that is not", () => {
    for (const name of ["Luxembourg", "Brunei", "Trinidad & Tobago"]) expect(dots).toHaveProperty([name]);
    for (const name of Object.keys(dots))
      if (countries[name] !== undefined)
        expect(Math.max(...ringsOf(name).map(areaOf).map(Math.abs))).toBeLessThan(100);
    for (const name of ["Germany", "Belgium", "Ireland"]) expect(dots).not.toHaveProperty([name]);
  });

  test("stand within the outline that they mark", () => {
    for (const [name, [x, y]] of Object.entries(dots)) {
      if (countries[name] === undefined) continue;
      const { left, right, top, bottom } = boxOf(name);
      expect(x).toBeWithin(left, right + 1);
      expect(y).toBeWithin(top, bottom + 1);
    }
  });
});

test("all of it is small, and the same each time", () => {
  const text = JSON.stringify(worldOutlines());
  expect(text).toBe(JSON.stringify({ viewBox, countries, dots }));
  expect(Bun.gzipSync(text).length).toBeLessThan(18_000);
});
