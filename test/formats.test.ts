/**
 * The page about the formats has examples in bytes: they are those that the program writes. `FOOTFALL_GOLDEN=write` puts
 * them there.
 */
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { recordKinds } from "../src/record/record.ts";
import { snapshotFormat } from "../src/snapshot/section.ts";
import { formatVersion } from "../src/wal/format.ts";
import { formatExamples } from "./support/format-examples.ts";

const path = join(import.meta.dir, "..", "docs", "formats.md");
const blockOf = (name: string) =>
  new RegExp(`(<!-- example: ${name} -->\n\n\`\`\`text\n)([\\s\\S]*?)(\n\`\`\`)`);
const examples = Object.entries(formatExamples());

if (process.env["FOOTFALL_GOLDEN"] === "write") {
  const page = readFileSync(path, "utf8");
  const written = examples.reduce(
    (page, [name, text]) => page.replace(blockOf(name), (_, before, __, after) => `${before}${text}${after}`),
    page,
  );
  writeFileSync(path, written);
}

const page = readFileSync(path, "utf8");

test.each(examples)("the example %s is what the program writes", (name, text) => {
  expect(blockOf(name).exec(page)?.[2]).toBe(text);
});

test("the page has no other examples", () => {
  const names = [...page.matchAll(/<!-- example: (.*?) -->/g)].map(([, name]) => name);
  expect(names.sort()).toEqual(examples.map(([name]) => name).sort());
});

test("the page knows the formats that are written, and how many kinds of records there are", () => {
  expect(page).toContain(
    `The log has format ${formatVersion}, the files of checkpoints format ${snapshotFormat}`,
  );
  expect(page).toContain(`${Object.keys(recordKinds).length} kinds`);
});
