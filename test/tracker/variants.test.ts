import { describe, expect, test } from "bun:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { scriptFeatures } from "../../src/core/scripts.ts";
import { featureSets, featuresName } from "../../src/tracker/features.ts";
import { trackerVariants } from "../../src/tracker/variants.ts";

const variants = trackerVariants();
const scriptOf = (...features: string[]) => variants[featuresName(features)] ?? "";
const gzipBytes = (script: string) => gzipSync(script, { level: 9 }).length;

describe("the features", () => {
  test("make every set once, the empty one first", () => {
    const names = featureSets().map(featuresName);
    expect(new Set(names).size).toBe(2 ** scriptFeatures.length);
    expect(names[0]).toBe("");
    expect(names.at(-1)).toBe(scriptFeatures.join(" "));
  });

  test("name a variant in whatever order and however often they come", () => {
    expect(featuresName(["hash-routes", "default", "click-events", "hash-routes"])).toBe(
      "click-events hash-routes",
    );
    expect(featuresName(["default"])).toBe("");
    expect(featuresName(["unknown"])).toBe("");
  });
});

describe("the variants", () => {
  test("are one for every set of features, each another script", () => {
    expect(Object.keys(variants).toSorted()).toEqual(featureSets().map(featuresName).toSorted());
    expect(new Set(Object.values(variants)).size).toBe(2 ** scriptFeatures.length);
  });

  test("are whole: no constant of the build, no name for the page to see", () => {
    for (const script of Object.values(variants)) {
      expect(script).not.toMatch(/[A-Z]+_[A-Z]+/);
      expect(script).toMatch(/^\(\(\)=>\{.*\}\)\(\);$/);
      new Bun.Transpiler({ loader: "js" }).transformSync(script);
    }
  });

  test("keep nothing in the browser but the flag that a person asks for", () => {
    for (const script of Object.values(variants)) {
      expect(script.match(/localStorage[^;}]*/g)).toEqual([
        expect.stringMatching(/^localStorage\.footfall=\w+$/),
        "localStorage.footfall",
        'localStorage.footfall=="ignore"',
      ]);
      const rest = script.replaceAll("localStorage.footfall", "");
      expect(rest).not.toMatch(/cookie|storage|indexedDB|caches|canvas|userAgent|screen/i);
    }
  });

  test("grow with every feature", () => {
    for (const features of featureSets())
      for (const feature of scriptFeatures.filter((feature) => !features.has(feature)))
        expect(scriptOf(...features, feature).length).toBeGreaterThan(scriptOf(...features).length);
  });
});

test.each([
  ["without features", [], 1_385],
  ["with all features", scriptFeatures, 2_119],
])("the tracker %s is small", (what, features, bytesMax) => {
  const script = scriptOf(...features);
  const bytes = gzipBytes(script);
  const brotli = brotliCompressSync(script).length;
  console.log(`the tracker ${what}: ${bytes} bytes with gzip, ${brotli} with brotli, ${script.length} plain`);
  expect(bytes).toBeLessThanOrEqual(bytesMax);
});
