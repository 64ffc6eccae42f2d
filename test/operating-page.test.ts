/** That docs/operating.md names lines of the log that the program writes, with their levels. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { tidyPage } from "./support/readme.ts";

const source = join(import.meta.dir, "..", "src");

test("each line of the log on the page is in the source", async () => {
  const page = await tidyPage("docs/operating.md");
  const lines = [...page.matchAll(/^\| (error|warn) \| (.+?) \|/gm)].map(([, , message = ""]) => message);
  expect(lines.length).toBeGreaterThan(10);
  const texts = await Promise.all(
    [...new Bun.Glob("**/*.ts").scanSync(source)].map((path) => Bun.file(join(source, path)).text()),
  );
  expect(lines.filter((message) => !texts.some((text) => text.includes(message)))).toEqual([]);
});
