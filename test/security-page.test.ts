/** That docs/security.md names every rule of OWASP ASVS that it promises, and tests that exist. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const page = readFileSync(join(import.meta.dir, "..", "docs", "security.md"), "utf8");
const [, section = ""] = page.split("## Against OWASP ASVS 5.0");

/** By chapter: all rules of level 1 of version 5.0.0, and those of level 2 in V6 and V7. */
const rules = {
  V1: "2.1 2.2 2.3 2.4 2.5 3.1 3.2 5.1",
  V2: "1.1 2.1 2.2 3.1",
  V3: "2.1 2.2 3.1 4.1 4.2 5.1 5.2 5.3",
  V4: "1.1 4.1",
  V5: "2.1 2.2 3.1 3.2",
  V6: "1.1 1.2 1.3 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 2.10 2.11 2.12 3.1 3.2 3.3 3.4 4.1 4.2 4.3 4.4 5.1 5.2 5.3 5.4 5.5 6.1 6.2 6.3 8.1 8.2 8.3 8.4",
  V7: "1.1 1.2 1.3 2.1 2.2 2.3 2.4 3.1 3.2 4.1 4.2 4.3 4.4 4.5 5.1 5.2 6.1 6.2",
  V8: "1.1 2.1 2.2 3.1",
  V9: "1.1 1.2 1.3 2.1",
  V10: "4.1 4.2 4.3 4.4 4.5",
  V11: "3.1 3.2 4.1",
  V12: "1.1 2.1 2.2",
  V13: "4.1",
  V14: "2.1 3.1",
  V15: "1.1 2.1 3.1",
};

describe("docs/security.md", () => {
  test("names each rule once, and no other", () => {
    const expected = Object.entries(rules).flatMap(([chapter, list]) =>
      list.split(" ").map((rule) => `${chapter}.${rule}`),
    );
    expect(expected).toHaveLength(104);
    const named = section.match(/\bV\d+\.\d+\.\d+\b/g) ?? [];
    expect(named.toSorted()).toEqual(expected.toSorted());
  });

  test("names a test of all that stops an attack", () => {
    const [, attacks = ""] = /## Who attacks[^#]*?\n\|[- |]+\|\n([^#]*)/.exec(page) ?? [];
    const rows = attacks.trim().split("\n").slice(0, -2);
    expect(rows.length).toBeGreaterThan(25);
    expect(rows.filter((row) => !/`test\/[\w/.-]+`[^|]*\|$/.test(row))).toEqual([]);
  });

  test("says of each chapter whether it applies", () => {
    for (let chapter = 1; chapter <= 17; chapter++) expect(section).toContain(`**V${chapter} `);
  });

  test("cites tests that exist, by how they begin", () => {
    const cited = [...section.matchAll(/`([\w/.-]+\.test\.ts)` "([^"]+)"/g)];
    expect(cited.length).toBeGreaterThan(40);
    const missing = cited.filter(([, file = "", name = ""]) => {
      const path = join(import.meta.dir, file);
      return !existsSync(path) || !readFileSync(path, "utf8").includes(`"${name}`);
    });
    expect(missing.map(([text]) => text)).toEqual([]);
    const paths = [...page.matchAll(/`(test\/[\w/.-]+)`/g)].map(([, path = ""]) => path);
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.filter((path) => !existsSync(join(import.meta.dir, "..", path)))).toEqual([]);
  });
});
