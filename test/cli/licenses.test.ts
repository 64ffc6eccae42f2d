import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import packageFile from "../../package.json" with { type: "json" };
import { bundledPackages, licensedPackage, licensedParts } from "../../src/cli/license-texts.ts";
import { useExecutable } from "../support/executable.ts";
import { useFolder } from "../support/folder.ts";
import { longTest } from "../support/long-test.ts";
import { runToEnd } from "../support/server.ts";

const root = join(import.meta.dir, "..", "..");
const executable = [useExecutable()];
const folder = useFolder();

/** The packages that have a file in the bundle of these entry points, by name. */
async function packagesIn(paths: readonly string[], target: "bun" | "browser"): Promise<string[]> {
  const entrypoints = paths.map((path) => join(root, "src", path));
  const { metafile } = await Bun.build({
    entrypoints,
    root: join(root, "src"),
    target,
    metafile: true,
    // The build leaves it out, too.
    external: ["file-type"],
  });
  const files = Object.keys(metafile?.inputs ?? {});
  expect(files.length).toBeGreaterThan(entrypoints.length);
  return files.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
}

describe("the list of parts", () => {
  longTest(
    "names what the bundler puts into the server and the dashboard, and every dependency",
    async () => {
      const workers = [...new Bun.Glob("**/worker.ts").scanSync(join(root, "src"))];
      const server = await packagesIn(
        ["main.ts", ...workers.filter((path) => !path.startsWith("lib/"))],
        "bun",
      );
      const dashboard = await packagesIn(["web/main.tsx"], "browser");
      const found = new Set([...server, ...dashboard, ...Object.keys(packageFile.dependencies)]);
      expect(found.size).toBeGreaterThan(Object.keys(packageFile.dependencies).length);
      expect([...bundledPackages]).toEqual([...found].sort());
    },
  );

  test("has the version and the text of each", async () => {
    const parts = new Map(licensedParts().map((part) => [part.name, part]));
    for (const name of bundledPackages) {
      const { version, text } = parts.get(name) ?? { version: "", text: "" };
      const installed = await Bun.file(join(root, "node_modules", name, "package.json")).json();
      expect({ name, version }).toEqual({ name, version: installed.version });
      expect(text).toMatch(
        /Permission (is hereby granted|to use)|Redistribution and use|released into the public domain|Apache License/,
      );
      expect(text).toMatch(/WITHOUT WARRANT(Y|IES)|DISCLAIMS ALL WARRANTIES|WARRANTIES,[^]*ARE DISCLAIMED/i);
    }
    expect(parts.get("Footfall")?.text).toBe((await Bun.file(join(root, "LICENSE")).text()).trim());
    expect(parts.get("Bun")).toMatchObject({ version: Bun.version });
    expect(parts.get("Bun")?.text).toContain("LGPL-2");
  });

  test("fails for a package without a licence, or with an empty one", () => {
    for (const [name, file] of [
      ["without", "readme.md"],
      ["empty", "LICENSE"],
    ] as const) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, "package.json"), JSON.stringify({ name, version: "1.0.0" }));
      writeFileSync(join(folder, name, file), file === "LICENSE" ? "\n" : "Some text");
      expect(() => licensedPackage(folder, name)).toThrow(
        `the package ${name} 1.0.0 has no text of a licence`,
      );
    }
  });
});

test("footfall licenses prints all of them", async () => {
  const { exitCode, output } = await runToEnd(executable, folder, ["licenses"]);
  expect(exitCode).toBe(0);
  for (const { name, version, text } of licensedParts()) {
    expect(output).toContain(`${name} ${version}\n${"=".repeat(name.length + version.length + 1)}\n`);
    expect(output).toContain(text);
  }
});
