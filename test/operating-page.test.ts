/** That docs/operating.md names the lines of the log that need somebody, and no others, with their levels. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { tidyPage } from "./support/readme.ts";

const source = join(import.meta.dir, "..", "src");

interface Line {
  readonly level: string;
  readonly text: string;
}

/** Texts that are not where they are logged. */
const elsewhere: Readonly<Record<string, readonly string[]>> = {
  "lines[this.place].refused": [
    "hits and changes are refused: the log cannot be written",
    "hits and changes are refused: NATS does not take them",
  ],
  "lines[this.place].slow": [
    "the disk is slow: hits waited for the log to be synced",
    "NATS is slow: hits waited for its servers to store them",
  ],
  // cluster/stream/sync-check.ts
  mayBeLost: ["a power cut of all servers of NATS may take back what was acknowledged"],
  // cli/settings/unknown-variables.ts
  unknown: ["FOOTFALL_${name} is no setting"],
};

async function sources(): Promise<string[]> {
  const paths = [...new Bun.Glob("**/*.ts").scanSync(source)];
  return Promise.all(paths.map((path) => Bun.file(join(source, path)).text()));
}

/** Returns the literals with a space in them that an expression has: those of sentences. */
function sentencesIn(code: string): string[] {
  const literals = [...code.matchAll(/"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)];
  return literals.map(([, plain, template]) => plain ?? template!).filter((text) => text.includes(" "));
}

/** Returns the first argument of a call, from behind its parenthesis on. */
function firstArgument(code: string): string {
  let [depth, quote, end] = [0, "", 0];
  for (; end < code.length; end++) {
    const letter = code[end]!;
    if (quote !== "") quote = letter === quote ? "" : quote;
    else if (`"\``.includes(letter)) quote = letter;
    else if (depth === 0 && ",)".includes(letter)) break;
    else if ("([{".includes(letter)) depth++;
    else if (")]}".includes(letter)) depth--;
  }
  return code.slice(0, end).trim();
}

/** Returns the texts of all lines of a source with the level `error` or `warn`. */
function linesIn(code: string): Line[] {
  const calls = /\blogger(?:\??\.(error|warn)|\[\w+ \? "(error|warn)" : "(error|warn)"\])\(\s*/g;
  return [...code.matchAll(calls)].flatMap((call) => {
    const levels = call.slice(1).filter((level) => level !== undefined);
    const argument = firstArgument(code.slice(call.index + call[0].length));
    const own = sentencesIn(argument).slice(0, 1);
    const begun = code.slice(0, call.index).lastIndexOf(`const ${argument} =`);
    const constant = begun < 0 ? "" : code.slice(begun, code.indexOf(";\n", begun));
    const known = own.length > 0 ? own : sentencesIn(constant).slice(0, 1);
    const texts = known.length > 0 ? known : (elsewhere[argument] ?? [`no text for ${argument}`]);
    return levels.flatMap((level) => texts.map((text) => ({ level, text })));
  });
}

async function rows(): Promise<Line[]> {
  const page = await tidyPage("docs/operating.md");
  return [...page.matchAll(/^\| (error|warn) \| (.+?) \|/gm)].map(([, level = "", text = ""]) => ({
    level,
    text,
  }));
}

test("each line of the log on the page is in the source, with its level", async () => {
  const lines = (await sources()).flatMap(linesIn);
  const told = await rows();
  expect(told.length).toBeGreaterThan(40);
  const isThere = (row: Line) =>
    lines.some(({ level, text }) => level === row.level && text.startsWith(row.text));
  expect(told.filter((row) => !isThere(row))).toEqual([]);
});

test("each error and warning of the source is on the page", async () => {
  const lines = (await sources()).flatMap(linesIn);
  expect(lines.length).toBeGreaterThan(50);
  const told = await rows();
  const isTold = (line: Line) =>
    told.some(({ level, text }) => level === line.level && line.text.startsWith(text));
  expect(lines.filter((line) => !isTold(line))).toEqual([]);
});

test("a text is found wherever it is written", () => {
  const code = `const { a } = b;\nconst text =\n  "one is " + x(1);\nlogger.warn(text, { error });
    this.options.logger.error(\`two is \${y(1, 2)}, so\`);\nlogger.error("three (or 3), it is");\nlogger.warn(other);
    logger[bad ? "error" : "warn"]("five is either");\n`;
  expect(linesIn(code)).toEqual([
    { level: "warn", text: "one is " },
    { level: "error", text: "two is ${y(1, 2)}, so" },
    { level: "error", text: "three (or 3), it is" },
    { level: "warn", text: "no text for other" },
    { level: "error", text: "five is either" },
    { level: "warn", text: "five is either" },
  ]);
});
