/** A single machine loads nothing of what several need. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const source = join(import.meta.dir, "..", "..", "src");

/** Returns the packages and files that are loaded with a file: what comes by `import()` is not. */
function loadedWith(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  const text = readFileSync(path, "utf8");
  for (const [, target = ""] of text.matchAll(/^(?:import|export|\})(?! type\b)[^;]*?from "([^"]+)"/gm)) {
    if (!target.startsWith(".")) found.add(target);
    else if (existsSync(join(dirname(path), target))) loadedWith(join(dirname(path), target), found);
  }
  return found;
}

test("the program begins without the clients of NATS, and without what works with them", () => {
  const loaded = [...loadedWith(join(source, "main.ts"))].map((path) => path.replace(source, ""));
  expect(loaded).toContain("/http/app.ts");
  expect(loaded.filter((path) => path.startsWith("@nats-io"))).toEqual([]);
  expect(loaded.filter((path) => path.startsWith("/cluster/"))).toEqual([]);
  // They are found where they are loaded.
  expect([...loadedWith(join(source, "cli", "cluster", "server.ts"))]).toContain("@nats-io/transport-node");
});
