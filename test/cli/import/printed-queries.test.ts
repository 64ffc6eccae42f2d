/** That the pages show the queries which the help of `import` shows, word for word. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { medama } from "../../../src/cli/import/formats/medama.ts";
import { umami } from "../../../src/cli/import/formats/umami.ts";

const docs = join(import.meta.dir, "..", "..", "..", "docs");
/** White space between words is as wide as a page has room. */
const words = (text: string) => text.replaceAll(/\s+/g, " ").replaceAll("( ", "(");

test.each([
  ["coming-from-medama.md", medama],
  ["importing.md", umami],
])("%s", async (page, { madeBy }) => {
  const text = words(await Bun.file(join(docs, page)).text());
  expect(madeBy?.length).toBeGreaterThan(100);
  expect(text).toContain(words(madeBy as string));
});
