/** That docs/data.md shows a line as an export writes it, and names every field. */
import { expect, test } from "bun:test";
import { exportFields } from "../src/core/questions/exported.ts";
import { addUser } from "../src/engine/admin/account/users.ts";
import { addWebsite } from "../src/engine/admin/websites.ts";
import { exported } from "../src/engine/admin/export.ts";
import { TestClock } from "./support/clock.ts";
import { MemoryDisk } from "./support/memory-disk.ts";
import { openInMemory } from "./support/memory-engine.ts";
import { tidyPage } from "./support/readme.ts";
import { event, load, noonMs, unload, valuesOf } from "./support/records.ts";

test("the example is a line of an export", async () => {
  const engine = await openInMemory(new MemoryDisk(), { clock: new TestClock(noonMs) });
  const { userId } = await addUser(engine, { username: "ada", password: "a good password" });
  const { websiteId } = await addWebsite(engine, { userId, sessionId: "" }, { hostname: "example.com" });
  const [path, , ...rest] = valuesOf("/pricing");
  const values = [path as string, "google.com", ...rest] as string[];
  const visitValues = ["/pricing", "google.com", "", "", "", "", ""];
  await engine.commit(load("b", { values, visit: 1, visitValues }));
  const properties = [["amount", "12.5"]] as const;
  await engine.commit(event("b", { timeMs: noonMs + 9_000, values, properties, numbers: [12.5] }));
  await engine.commit(unload("b", { timeMs: noonMs + 21_300, visibleMs: 21_300 }));
  const period = { startMs: -Infinity, endMs: Infinity };
  const parts = await Array.fromAsync(
    exported(engine, { websiteId, of: "page-views", ending: "jsonl", period }),
  );
  const line = Buffer.concat(parts).toString().trimEnd();
  const [, example = ""] = /```json\n(.*?)\n```/s.exec(await tidyPage("docs/data.md")) ?? [];
  expect(JSON.stringify(JSON.parse(example))).toBe(line);
  await engine.stop();
});

test("every field of a page view is named", async () => {
  const page = await tidyPage("docs/data.md");
  const unnamed = exportFields["page-views"].filter((field) => !page.includes(`\`${field}\``));
  // These are "the other four" of a visit or page view.
  expect(unnamed.filter((field) => !/utm_(medium|campaign|content|term)$/.test(field))).toEqual([]);
});
