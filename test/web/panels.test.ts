/** The panels of a website's page beside the tables of the API. */
import { describe, expect, test } from "bun:test";
import { dimensions } from "../../src/core/dimension.ts";
import { panels, properties, propertyValues } from "../../src/web/website/lists/panels.ts";

const tabs = panels.flatMap((panel) => panel.tabs);

describe("the panels", () => {
  test("have a tab for every dimension", () => {
    const listed = new Set<string>(tabs.map(({ list }) => list));
    expect(dimensions.filter(({ list }) => !listed.has(list))).toEqual([]);
  });

  test("name rows by the field of their list, and filter by its dimension", () => {
    for (const { list, field, filter } of tabs) {
      const dimension = dimensions.find(({ name }) => name === filter);
      expect([list, field]).toEqual([list === "time" ? "time" : dimension?.list, dimension?.field] as never);
    }
  });

  test("have an id of its own for every panel and for every tab in it", () => {
    const unique = (ids: readonly string[]) => expect([...new Set(ids)]).toEqual([...ids]);
    unique([...panels, properties].map(({ id }) => id));
    for (const panel of panels) unique(panel.tabs.map(({ id }) => id));
  });

  test("stand as people know them", () => {
    const labels = [...panels, properties].map((panel) => [panel.id, panel.tabs.map(({ label }) => label)]);
    expect(labels).toEqual([
      ["pages", ["Pages", "Time on page"]],
      ["sources", ["Referrers", "Links", "Campaigns", "Sources", "Mediums", "Contents", "Terms"]],
      ["places", ["Map", "Countries", "Languages", "Dialects"]],
      ["systems", ["Browsers", "Systems", "Devices"]],
      ["properties", ["Properties"]],
    ]);
    expect(propertyValues.label).toBe("Values");
  });
});
