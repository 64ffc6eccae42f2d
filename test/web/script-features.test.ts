/** The features of the tracker in the settings, against the table of core and docs/tracking.md. */
import { expect, test } from "bun:test";
import { scriptTypes } from "../../src/core/scripts.ts";
import { scriptFeatures } from "../../src/core/scripts.ts";
import { featureTexts, scriptTypesOf } from "../../src/web/lib/set-up/script-features.ts";
import { tidyPage } from "../support/readme.ts";

test("every feature can be switched on, and default is none", () => {
  expect<readonly string[]>(["default", ...scriptFeatures]).toEqual([...scriptTypes]);
});

test("nothing switched on is default alone; what is switched on comes without it", () => {
  expect(scriptTypesOf(() => false)).toEqual(["default"]);
  expect(scriptTypesOf(() => true)).toEqual(scriptFeatures);
  expect(scriptTypesOf((feature) => feature === "hash-routes")).toEqual(["hash-routes"]);
});

test("each feature is told in one sentence, with a name of its own", () => {
  const names = scriptFeatures.map((feature) => featureTexts[feature].name);
  expect(new Set(names).size).toBe(scriptFeatures.length);
  for (const feature of scriptFeatures) expect(featureTexts[feature].does).toMatch(/^[^.]+\.$/);
});

test("attributes and properties are called as docs/tracking.md calls them", async () => {
  const text = await tidyPage("docs/tracking.md");
  const words = scriptFeatures.flatMap(
    (feature) => featureTexts[feature].does.match(/data-[a-z-]+="[^"]*"|\b[a-z]+_[a-z]+\b|#\/\w+/g) ?? [],
  );
  expect(words).toHaveLength(scriptFeatures.length);
  for (const word of words) expect(text).toContain(word);
});
