/** That the commands which the pages of this project show are commands of the program, with flags that it knows. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { parseArguments } from "../../src/cli/arguments.ts";
import { commands } from "../../src/cli/run.ts";

const root = join(import.meta.dir, "..", "..");
const pages = ["*.md", "docs/*.md", "deploy/**/*"]
  .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)])
  .filter((path) => path !== "CHANGELOG.md");

interface Shown {
  readonly page: string;
  readonly text: string;
}

async function shownBy(page: string): Promise<readonly Shown[]> {
  const text = await Bun.file(join(root, page)).text();
  const blocks = [...text.matchAll(/^```(?:sh|text|ini|yaml)\n([^]*?)^```/gm)].map(([, block = ""]) => block);
  const lines = (page.endsWith(".md") ? blocks : [text])
    .flatMap((block) => block.replaceAll("\\\n", " ").split("\n"))
    .filter((line) => !/docker (build|run)/.test(line))
    .map((line) => line.replace(/docker (compose .*?)?exec (.*? )?footfall (?=footfall )/, ""))
    .flatMap((line) => /(?:^|[^-/\w.]|dist\/|bin\/)footfall ((?!reverse)[a-z-].*)/.exec(line)?.[1] ?? []);
  return lines.map((line) => ({ page, text: line }));
}

/** The words of a command line as a shell reads them, up to a comment, a pipe or a redirection. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  for (const [word] of line.matchAll(/'[^']*'|"[^"]*"|\S+/g)) {
    if (/^(#|\||>|<|&&|;)/.test(word)) break;
    words.push(word.replaceAll(/^['"]|['"]$/g, ""));
  }
  return words;
}

const shown = (await Promise.all(pages.map(shownBy))).flat();

test("each command line of a page is one that the program takes", () => {
  expect(shown.length).toBeGreaterThan(10);
  const refused = shown.flatMap(({ page, text }) => {
    try {
      parseArguments(wordsOf(text), commands);
      return [];
    } catch (error) {
      return [`${page}: footfall ${text}: ${(error as Error).message}`];
    }
  });
  expect(refused).toEqual([]);
});

test("each command that a sentence names is there", async () => {
  const names = commands.map(({ words }) => words.join(" "));
  const named = await Promise.all(
    pages.map(async (page) => {
      const text = await Bun.file(join(root, page)).text();
      return [...text.matchAll(/`(?:npx )?footfall ([a-z][a-z ]*[a-z])/g)].map(([, name = ""]) => ({
        page,
        name,
      }));
    }),
  );
  const unknown = named
    .flat()
    .filter(({ name }) => !names.some((known) => known !== "" && `${name} `.startsWith(`${known} `)));
  expect(unknown).toEqual([]);
});

test("each script of npm that a page names is there", async () => {
  const { scripts } = (await Bun.file(join(root, "package.json")).json()) as { scripts: object };
  for (const page of pages) {
    const text = await Bun.file(join(root, page)).text();
    for (const [, name = ""] of text.matchAll(/\bnpm run ([a-z-]+)/g))
      expect([page, name, name in scripts]).toEqual([page, name, true]);
  }
});
