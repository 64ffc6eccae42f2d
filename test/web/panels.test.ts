/** The panels of a website's page beside the tables of the API. */
import { describe, expect, test } from "bun:test";
import { listedDimensions } from "../../src/core/questions/dimension.ts";
import { rowKindOf } from "../../src/core/questions/metric.ts";
import { namedMetrics } from "../../src/core/questions/named-metric.ts";
import { columnsOf } from "../../src/web/website/lists/columns.ts";
import { panelsOf, properties, propertyValues } from "../../src/web/website/lists/panels.ts";

const panels = panelsOf(true);
const tabs = panels.flatMap((panel) => panel.tabs);

describe("the panels", () => {
  test("have a tab for every dimension", () => {
    const listed = new Set<string>(tabs.map(({ list }) => list));
    expect(listedDimensions.filter(({ list }) => !listed.has(list))).toEqual([]);
  });

  test("name rows by the field of their list, and filter by its dimension", () => {
    for (const { list, field, filter } of tabs) {
      const compared = filter === "entry" ? "path" : filter;
      const dimension = listedDimensions.find(({ name }) => name === compared);
      const own = ["time", "entries", "exits"].includes(list) ? list : dimension?.list;
      expect([list, field]).toEqual([own, dimension?.field] as never);
    }
  });

  test("ask for metrics that the rows of their lists can have, each once", () => {
    for (const { list } of [...tabs, propertyValues])
      for (const shown of [{ visits: false }, { visits: true }, { visits: true, goal: 1 }])
        for (const asked of Object.values(columnsOf(list, shown).asked)) {
          const names = String(asked["metrics"]).split(",");
          const known = namedMetrics[rowKindOf(list)].filter((name) => names.includes(name));
          expect([list, known.toSorted()]).toEqual([list, names.toSorted() as never]);
        }
  });

  test("have an id of its own for every panel and for every tab in it", () => {
    const unique = (ids: readonly string[]) => expect([...new Set(ids)]).toEqual([...ids]);
    unique([...panels, properties].map(({ id }) => id));
    for (const panel of panels) unique(panel.tabs.map(({ id }) => id));
  });

  test("stand as people know them", () => {
    const labels = [...panelsOf(false), properties].map((panel) => [
      panel.id,
      panel.tabs.map(({ label }) => label),
    ]);
    expect(labels).toEqual([
      ["pages", ["Pages", "Time on page"]],
      ["sources", ["Channels", "Referrers", "Links", "Campaigns", "Sources", "Mediums", "Contents", "Terms"]],
      ["places", ["Map", "Countries", "Languages", "Dialects"]],
      ["systems", ["Browsers", "Systems", "Devices"]],
      ["properties", ["Properties"]],
    ]);
    expect(panelsOf(true)[0]?.tabs.map(({ label, filter }) => [label, filter])).toEqual([
      ["Pages", "path"],
      ["Entry pages", "entry"],
      ["Exit pages", "path"],
      ["Time on page", "path"],
    ]);
    // A link that may not say where visits began filters by the page itself.
    const [held] = panelsOf(true, [{ name: "country", operator: "eq", operands: ["Germany"] }]);
    expect(held?.tabs.map(({ list, filter }) => [list, filter]).slice(0, 3)).toEqual([
      ["pages", "path"],
      ["entries", "path"],
      ["exits", "path"],
    ]);
    expect(propertyValues.label).toBe("Values");
  });
});
