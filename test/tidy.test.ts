/**
 * The agreements of CONTRIBUTING.md that a program can hold. A rule is a function from a file to what is
 * wrong with it, and brings a bad sample that it has to find and a good one that it has to leave alone.
 */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "..");

interface SourceFile {
  /** From the top of the project, with slashes. */
  readonly path: string;
  readonly text: string;
}

interface Rule {
  readonly name: string;
  /** Files that it looks at. */
  readonly files: RegExp;
  /** Says what is wrong, in words that begin with the line. */
  readonly find: (file: SourceFile) => string[];
  readonly bad: readonly SourceFile[];
  readonly good: SourceFile;
}

/** Imports go from a folder to those after it. */
const folders = [
  "main",
  "cli",
  "notify",
  "http",
  "cluster",
  "engine",
  "query-worker",
  "query",
  "facts",
  "store",
  "accounts",
  "collect",
  "snapshot",
  "wal",
  "record",
  "core",
  "lib",
];
/** Within these folders too, imports go from a room to those after it; "" is the folder itself. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  http: ["", "resources", "callers", "answers", "transport", "parsing"],
  accounts: ["login", "registry", ""],
  engine: ["admin", "opening", "", "intake", "upkeep", "admission", "log", "options", "checkpoint", "files"],
  query: [
    "answers",
    "export",
    "visits",
    "goals",
    "counts",
    "rows",
    "quantiles",
    "calendar",
    "names",
    "cache",
  ],
  cluster: ["forwarding", "", "roster", "stream", "connection"],
  facts: ["months", "making", ""],
  store: ["mirror", "files", "state", "beacons", "chunks", "columns", "values"],
};
/** Folders that run in browsers: they take from core only, and only `http` takes from them. */
const browserFolders = ["web", "tracker"];
const packageHomes: Readonly<Record<string, readonly string[]>> = {
  elysia: ["http"],
  "@sinclair/typebox": ["http", "core"],
  "ua-parser-js": ["collect"],
  isbot: ["collect"],
  msgpackr: ["record"],
  nodemailer: ["notify"],
  "@nats-io/transport-node": ["cluster"],
  "@nats-io/jetstream": ["cluster"],
  "@nats-io/kv": ["cluster"],
  uqr: ["http"],
  preact: ["web"],
  "@preact/signals": ["web"],
  "d3-geo": ["web"],
  geojson: ["web"],
  "topojson-client": ["web"],
  "topojson-specification": ["web"],
};
const fileLinesMax = 300;
const functionLinesMax = 60;

const source = /^src\/.*\.tsx?$/;
const server = /^src\/(?!web\/|tracker\/).*\.tsx?$/;

function folderOf(path: string): string {
  const [, first = ""] = path.split("/");
  return first.replace(/\.tsx?$/, "");
}

/** `path` with its `.` and `..` steps taken. */
function resolved(from: string, path: string): string {
  return join(from, "..", path).replaceAll("\\", "/");
}

function importsOf({ text }: SourceFile): { line: number; target: string }[] {
  return text.split("\n").flatMap((line, at) => {
    const target = /(?:\bfrom\s+|^import\s+|\bimport\()"([^"]+)"/.exec(line)?.[1];
    return target === undefined ? [] : [{ line: at + 1, target }];
  });
}

function packageOf(target: string): string | undefined {
  if (target.startsWith(".") || /^(node:|bun(:|$))/.test(target)) return undefined;
  return target.split("/", target.startsWith("@") ? 2 : 1).join("/");
}

function wrongDirections(file: SourceFile): string[] {
  const from = folderOf(file.path);
  return importsOf(file).flatMap(({ line, target }) => {
    const path = target.startsWith(".") ? resolved(file.path, target) : undefined;
    if (path === undefined || !path.startsWith("src/")) return [];
    return mayImport(from, folderOf(path)) ? [] : [`${line}: ${from} may not import ${target}`];
  });
}

function mayImport(from: string, to: string): boolean {
  if (from === to) return true;
  if (browserFolders.includes(from)) return to === "core";
  if (browserFolders.includes(to)) return from === "http";
  return folders.includes(from) && folders.indexOf(to) > folders.indexOf(from);
}

/** "" of a file that lies in the folder itself. */
function roomOf(path: string): string {
  const parts = path.split("/");
  return parts.length > 3 ? (parts[2] as string) : "";
}

function wrongRooms(file: SourceFile): string[] {
  const own = rooms[folderOf(file.path)];
  if (own === undefined) return [];
  const from = own.indexOf(roomOf(file.path));
  if (from === -1) return [`1: ${folderOf(file.path)} has no such room`];
  return importsOf(file).flatMap(({ line, target }) => {
    const path = target.startsWith(".") ? resolved(file.path, target) : "";
    const isNeighbour = path.startsWith(`src/${folderOf(file.path)}/`);
    return isNeighbour && own.indexOf(roomOf(path)) < from ? [`${line}: may not import ${target}`] : [];
  });
}

/** Files that import each other, each by its way back to itself. */
function circles(files: readonly SourceFile[]): string[] {
  const targets = new Map(
    files.map((file) => [file.path, importsOf(file).map(({ target }) => resolved(file.path, target))]),
  );
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, way: readonly string[]): void => {
    const at = way.indexOf(path);
    if (at !== -1) found.push([...way.slice(at), path].join(" -> "));
    if (at !== -1 || done.has(path)) return;
    for (const target of targets.get(path) ?? []) visit(target, [...way, path]);
    done.add(path);
  };
  for (const path of targets.keys()) visit(path, []);
  return found;
}

function wrongHomes(file: SourceFile): string[] {
  return importsOf(file).flatMap(({ line, target }) => {
    const name = packageOf(target);
    if (name === undefined || packageHomes[name]?.includes(folderOf(file.path))) return [];
    return [`${line}: the package ${name} has no home in ${folderOf(file.path)}`];
  });
}

/** In formatted code a function ends where a brace closes at the indentation of the line that it begins on. */
function longFunctions({ text }: SourceFile): string[] {
  const lines = text.split("\n");
  return lines.flatMap((line, at) => {
    if (!/(\)|=>|\): .*) \{$/.test(line) || /^\s*(\} )?(if|else|for|while|switch|catch|class)\b/.test(line))
      return [];
    const indentation = /^\s*/.exec(line)?.[0] ?? "";
    const end = lines.findIndex((other, index) => index > at && other.startsWith(`${indentation}}`));
    const length = end - at + 1;
    return length > functionLinesMax ? [`${at + 1}: a function of ${length} lines`] : [];
  });
}

/** Without comments and the contents of strings, line for line. */
function code({ text }: SourceFile): string[] {
  return text.split("\n").map((line) => {
    if (/^\s*(\/\/|\/\*|\*)/.test(line)) return "";
    return line.replace(/"(?:[^"\\]|\\.)*"/g, '""').replace(/\/\/.*$/, "");
  });
}

/**
 * Finds what a file of src exports, types excepted, although no other file of src needs it: without need, or for tests
 * and without saying so. A file needs what it has a word for, if it names the module too. Benchmarks and the
 * programs at the top count like files of src.
 */
function needlessExports(all: readonly SourceFile[]): string[] {
  const importers = new Map<string, { readonly path: string; readonly words: ReadonlySet<string> }[]>();
  for (const file of all.filter(({ path }) => /\.(tsx?|mjs)$/.test(path))) {
    const user = { path: file.path, words: new Set(file.text.match(/[\w$]+/g)) };
    const named = Array.from(file.text.matchAll(/"([^"\n]+\.tsx?)"/g), ([, name]) =>
      resolved(file.path, name!),
    );
    for (const target of new Set(named)) importers.set(target, [...(importers.get(target) ?? []), user]);
  }
  const exported =
    /(\/\*\*(?:(?!\*\/)[^])*\*\/\n)?^export (?:async |abstract )*(?:const|let|function\*?|class) (\w+)/gm;
  return all
    .filter(({ path }) => source.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(exported)].flatMap(([, comment = "", name = ""]) => {
        const others = (importers.get(path) ?? []).filter(({ words }) => words.has(name));
        if (others.some((user) => !/^(test|docs)\//.test(user.path))) return [];
        if (others.length === 0) return [`${path}: nothing else needs ${name}: it needs no export`];
        return /\btests\b/.test(comment)
          ? []
          : [`${path}: ${name} is exported for tests, and does not say so`];
      }),
    );
}

/** Finds comments whose first words have no subject and verb. */
function headlessComments({ text }: SourceFile): string[] {
  const lines = text.split("\n");
  return lines.flatMap((line, at) => {
    const opening = /^\s*(?:\/\*\*(?: |$)|\/\/ )/.exec(line)?.[0];
    if (opening === undefined || (opening.endsWith("// ") && /^\s*\/\//.test(lines[at - 1] ?? ""))) return [];
    const first = line.slice(opening.length) || (lines[at + 1] ?? "").replace(/^\s*\*\s*/, "");
    const word = /^(Of|What|Where|Those|Such|So|Has|Whoever)\b/.exec(first)?.[0];
    return word === undefined ? [] : [`${at + 1}: begins with "${word}": say what it is or does`];
  });
}

function matching(pattern: RegExp, lines: (file: SourceFile) => string[] = code) {
  return (file: SourceFile): string[] =>
    lines(file).flatMap((line, at) => {
      const found = pattern.exec(line)?.[0].trim();
      return found === undefined ? [] : [`${at + 1}: ${found}`];
    });
}

function outside(allowed: readonly string[], find: Rule["find"]): Rule["find"] {
  return (file) => (allowed.includes(folderOf(file.path)) ? [] : find(file));
}

const allLines = ({ text }: SourceFile): string[] => text.split("\n");
const inSrc = (path: string, text: string): SourceFile => ({ path: `src/${path}`, text });
const longBody = (lines: number) => `function long() {\n${"  step();\n".repeat(lines - 2)}}\n`;
// All of these are put together, so that this file does not break its own rules.
/** The words that the field has, by the stems of those that the project used in their place. */
const wordsOfOurOwn: Readonly<Record<string, string>> = {
  [["stret", "ch"].join("")]: "range, period or run",
  [["de", "sk(?!top)"].join("")]: "query worker",
  [["sie", "ve"].join("")]: "compiled filters",
  [["tell", "er"].join("")]: "publisher",
  [["go", "On"].join("")]: "resume, continue or throwIfCancelled",
};

/** Finds words and parts of names that begin with a stem; and functions named by a form of tell. */
function wordsThatTheFieldHas(file: SourceFile): string[] {
  const found = Object.entries(wordsOfOurOwn).flatMap(([stem, better]) => {
    const part = stem.charAt(0).toUpperCase() + stem.slice(1);
    const wrong = (line: string) => new RegExp(`\\b${stem}`, "i").exec(line) ?? new RegExp(part).exec(line);
    return allLines(file).flatMap((line, at) => {
      const word = wrong(line)?.[0];
      return word === undefined ? [] : [`${at + 1}: ${word}: say ${better}`];
    });
  });
  const isCode = /\.tsx?$/.test(file.path);
  return isCode ? [...found, ...matching(/\b(?:function|const) \w*[tT]elling\b/)(file)] : found;
}
const mainEntry = ["import { Packr } from ", '"msgpackr";'].join("");
const unfinished = ["TO", "DO"].join("");
const machinePath = ["/ho", "me/somebody/footfall"].join("");
const registryHost = ["registry", "npmjs", "org"].join(".");

const rules: readonly Rule[] = [
  {
    name: "imports go down the list of folders",
    files: source,
    find: wrongDirections,
    bad: [
      inSrc("wal/a.ts", `import { b } from "../store/b.ts";`),
      inSrc("lib/a.ts", `export { b } from "../core/b.ts";`),
      inSrc("store/a.ts", `const b = await import("../http/b.ts");`),
      inSrc("tracker/a.ts", `import type { b } from "../lib/b.ts";`),
      inSrc("other/a.ts", `import "../lib/b.ts";`),
    ],
    good: inSrc("store/a.ts", `import { b } from "./b.ts";\nimport { c } from "../lib/c.ts";`),
  },
  {
    name: "imports go down the rooms of a folder",
    files: source,
    find: wrongRooms,
    bad: [
      inSrc("store/columns/a.ts", `import { b } from "../state/b.ts";`),
      inSrc("store/attic/a.ts", `import { b } from "./b.ts";`),
      inSrc("http/transport/a.ts", `import { b } from "../b.ts";`),
      inSrc("query/a.ts", "step();"),
    ],
    good: inSrc("store/mirror/a.ts", `import { b } from "../files/b.ts";\nimport { c } from "./c.ts";`),
  },
  {
    name: "a package has one home",
    files: source,
    find: wrongHomes,
    bad: [
      inSrc("engine/a.ts", `import { Elysia } from "elysia";`),
      inSrc("store/a.ts", `import { Type } from "@sinclair/typebox/value";`),
      inSrc("lib/a.ts", `import leftpad from "leftpad";`),
    ],
    good: inSrc("http/a.ts", `import { Elysia } from "elysia";\nimport fs from "node:fs";\na("from", "to");`),
  },
  {
    name: "the log is read by msgpackr/pack: with the package's main entry an addon reads some texts in another way",
    files: /\.tsx?$/,
    find: matching(/from\s"msgpackr"/, allLines),
    bad: [inSrc("record/a.ts", mainEntry)],
    good: inSrc("record/a.ts", `import { Packr } from "msgpackr/pack";`),
  },
  {
    name: "a start loads no module of Node's but fs, os and path: the others take milliseconds, and come by import()",
    files: server,
    find: matching(/^(import(?! type\b).*|\}) from "node:(?!(fs|os|path)")\w+/, allLines),
    bad: [
      inSrc("http/a.ts", `import { gzipSync } from "node:zlib";`),
      inSrc("cli/a.ts", `import {\n  Readable,\n} from "node:stream";`),
    ],
    good: inSrc("cli/a.ts", `import type { A } from "node:tty";\nconst { b } = await import("node:zlib");`),
  },
  {
    name: `a file has at most ${fileLinesMax} lines`,
    files: source,
    find: ({ text }) => {
      const lines = text.trimEnd().split("\n").length;
      return lines > fileLinesMax ? [`${lines} lines`] : [];
    },
    bad: [inSrc("lib/a.ts", "step();\n".repeat(fileLinesMax + 1))],
    good: inSrc("lib/a.ts", "step();\n".repeat(fileLinesMax)),
  },
  {
    name: `a function has at most ${functionLinesMax} lines`,
    files: source,
    find: longFunctions,
    bad: [
      inSrc("lib/a.ts", longBody(functionLinesMax + 1)),
      inSrc("lib/a.ts", longBody(functionLinesMax + 1).replace("function long()", "const long = () =>")),
      inSrc(
        "lib/a.ts",
        longBody(functionLinesMax + 1)
          .replace("function long()", "  async long(): Promise<void>")
          .replace(/}\n$/, "  }\n"),
      ),
    ],
    good: inSrc("lib/a.ts", longBody(functionLinesMax)),
  },
  {
    name: "a file opens with what it owns",
    files: source,
    find: ({ text }) =>
      /^(#!.*\n)?\/(\/|\*\*) /.test(text) || text.startsWith("/**\n") ? [] : ["1: no comment"],
    bad: [inSrc("lib/a.ts", `import fs from "node:fs";`)],
    good: inSrc("lib/a.ts", "/** Owns nothing. */\nstep();"),
  },
  {
    name: "no any",
    files: /^(src|test)\/.*\.tsx?$/,
    find: matching(/(?::|\bas|<)\s*any\b(?=\[\]|[\s,;>)&|={]|$)|,\s*any(\[\])*>/),
    bad: [
      inSrc("lib/a.ts", "const a: any = 1;"),
      inSrc("lib/a.ts", "const a = b as any;"),
      inSrc("lib/a.ts", "const a = new Map<string, any>();"),
      inSrc("lib/a.ts", "function a(b: any[]) {}"),
    ],
    good: inSrc("lib/a.ts", `/* any: many */\nconst company: string = "is: any";\n// as any`),
  },
  {
    name: "an entry that is there is array[i]!, without a cast",
    files: /^src\/.*\.tsx?$/,
    find: matching(/[\])] as (number|string|bigint)\b(?! *[|[])/),
    bad: [inSrc("lib/a.ts", "const a = b[0] as number;"), inSrc("lib/a.ts", "const a = b.at(-1) as string;")],
    good: inSrc("lib/a.ts", "const a = b[0]!;\nconst c = d[0] as string | null;\nconst e = f as number;"),
  },
  {
    name: "no comment switches a check off",
    files: /^(src|test)\/.*\.tsx?$/,
    find: matching(/^\s*(\/\/|\/\*)\s*@ts-\w+/, allLines),
    bad: [inSrc("lib/a.ts", "// @ts-ignore\nstep(1);")],
    good: inSrc("lib/a.ts", "step();"),
  },
  {
    name: "only cli writes to the console",
    files: server,
    find: outside(["cli"], matching(/\bconsole\.|\bprocess\.std(out|err)\b/)),
    bad: [inSrc("http/a.ts", "console.log(1);"), inSrc("main.ts", "process.stderr.write(a);")],
    good: inSrc("cli/a.ts", "console.log(1);"),
  },
  {
    name: "time and chance are arguments",
    files: server,
    find: outside(
      ["lib"],
      matching(
        /\b(Date\.now|performance\.now|Math\.random|getRandomValues|randomUUID\w*|randomBytes|hrtime|nanoseconds)\b|\bnew Date\(\s*\)|\bnew Date\b(?!\()/,
      ),
    ),
    bad: [
      inSrc("store/a.ts", "const now = Date.now();"),
      inSrc("store/a.ts", "const now = new Date();"),
      inSrc("cli/a.ts", "const now = performance.now();"),
      inSrc("query/a.ts", "const a = Math.random();"),
      inSrc("accounts/a.ts", "crypto.getRandomValues(a);"),
      inSrc("accounts/a.ts", "const id = crypto.randomUUID();"),
    ],
    good: inSrc("store/a.ts", "const day = new Date(timeMs);\nconst now = clock.nowMs();"),
  },
  {
    name: "timers belong to engine, query-worker, http, cluster, notify, cli and wal",
    files: server,
    find: outside(
      ["engine", "query-worker", "http", "cluster", "notify", "cli", "wal"],
      matching(/\b(setTimeout|setInterval|Bun\.sleep)\b/),
    ),
    bad: [inSrc("store/a.ts", "setTimeout(step, 5);"), inSrc("query/a.ts", "setInterval(step, 5);")],
    good: inSrc("engine/a.ts", "setTimeout(step, 5);"),
  },
  {
    name: "no code and no markup is made of text",
    files: source,
    find: matching(
      /\beval\(|\bnew Function\b|\b(inner|outer)HTML\b|\binsertAdjacentHTML\b|\bdocument\.write|\bdangerouslySet\w+/,
    ),
    bad: [
      inSrc("lib/a.ts", "const a = eval(b);"),
      inSrc("core/a.ts", "const a = new Function(b);"),
      inSrc("web/a.tsx", "element.innerHTML = a;"),
      inSrc("web/a.tsx", "const a = <p dangerouslySetInnerHTML={b} />;"),
    ],
    good: inSrc("web/a.tsx", "element.textContent = evaluated(a);"),
  },
  {
    name: "nothing is unfinished",
    files: /./,
    find: matching(new RegExp(String.raw`\b(${unfinished}|FIX${"ME"}|XX${"X"})\b`), allLines),
    bad: [inSrc("lib/a.ts", `// ${unfinished}: more`)],
    good: inSrc("lib/a.ts", "// done"),
  },
  {
    name: "a comment is a sentence: none begins with Of, What, Where, Those, Such, So, Has or Whoever",
    files: /^(src|test|bench|docs)\/.*\.(tsx?|js)$|^[^/]+\.ts$/,
    find: headlessComments,
    bad: [
      { path: "test/wal/a.test.ts", text: "/** What a log is. */\nstep();" },
      { path: "bench/a.ts", text: "/** Of a round. */\nstep();" },
      { path: "bench/a.ts", text: "/** So many rounds. */\nconst rounds = 2;" },
      inSrc("lib/a.ts", "interface A {\n  /** Those of all. */\n  readonly at: number;\n}"),
      inSrc("lib/a.ts", "interface A {\n  /** Such as 2. */\n  readonly at: number;\n}"),
      inSrc("lib/a.ts", "/** Has a file written. */\nfunction a() {}"),
      inSrc("lib/a.ts", "// Whoever asks waits.\nstep();"),
      inSrc("lib/a.ts", "/** Of the rows, in bytes. */\nconst size = 1;"),
      inSrc("lib/a.ts", "step();\n/**\n * What a step returns.\n */\nfunction a() {}"),
      inSrc("lib/a.ts", "step();\n// What goes on.\nstep();"),
      inSrc("web/a.tsx", "interface A {\n  /** Where it begins. */\n  readonly at: number;\n}"),
    ],
    good: inSrc(
      "lib/a.ts",
      "/**\n * Returns the first row.\n * Of several, the last.\n */\n/** Offset in bytes. */\n// The list has\n// What follows.",
    ),
  },
  {
    name: "words that the field has others for",
    files: /^(src|test|bench)\/.*\.tsx?$|\.md$/,
    find: wordsThatTheFieldHas,
    bad: [
      ...Object.keys(wordsOfOurOwn).flatMap((stem) => {
        const word = stem.replace(/\(.*/, "");
        const part = word.charAt(0).toUpperCase() + word.slice(1);
        return [`${word} = 1;`, `${word}ed();`, `may${part}From();`].map((text) => inSrc("lib/a.ts", text));
      }),
      inSrc("lib/a.ts", ["function tell", "ing() {"].join("")),
    ],
    good: inSrc("lib/a.ts", "const queue = cache(filters);\n// Desktops in Rangoon, without telling why."),
  },
  {
    name: "a file of tests that take long has short ones too",
    files: /^test\/.*\.test\.ts$/,
    find: ({ text }) =>
      /^\s*longTest\(/m.test(text) && !/^\s*test\b/m.test(text) ? ["1: `npm test` has nothing of it"] : [],
    bad: [{ path: "test/wal/a.test.ts", text: 'longTest("all", () => {});' }],
    good: { path: "test/wal/a.test.ts", text: 'test("some", () => {});\nlongTest("all", () => {});' },
  },
  {
    // Without `size`, fast-check makes no list or text longer than ten, whatever its `maxLength` says.
    name: "a random list or text is as long as its test says",
    files: /^test\/.*\.ts$/,
    find: matching(/\bfc\..*\bmaxLength: (?!10\b)\d\d+(?<!minLength: \1, maxLength: (\d+))\b(?![^}]*size:)/),
    bad: [{ path: "test/lib/a.test.ts", text: "const texts = fc.array(text, { maxLength: 40 });" }],
    good: {
      path: "test/lib/a.test.ts",
      text: 'fc.array(text, { maxLength: 40, size: "max" });\nfc.array(text, { minLength: 16, maxLength: 16 });',
    },
  },
  {
    name: "what every change has to pass is whole",
    files: /^check\.ts$|^\.ci\/run$/,
    find: ({ path, text }) =>
      (path === "check.ts" ? /"test\/run.ts", "--all"\]/ : /^npm test -- --all$/m).test(text)
        ? []
        : ["1: leaves tests out, as `npm test` does"],
    bad: [
      { path: "check.ts", text: 'tests: ["test/run.ts"],' },
      { path: ".ci/run", text: "npm test\nnpm run check -- types\n" },
    ],
    good: { path: ".ci/run", text: "npm test -- --all\nnpm run build\n" },
  },
  {
    name: "no path of a machine, no host of a registry",
    files: /./,
    find: matching(/(?<![\w.])\/(home|root|Users|mnt)\/\w|\bregistry\.[\w-]+\.(org|com)\b/, allLines),
    bad: [
      inSrc("lib/a.ts", `const a = "${machinePath}";`),
      { path: "bun.lock", text: `"https://${registryHost}/a"` },
    ],
    good: inSrc("lib/a.ts", `import a from "../home/a.ts";`),
  },
];

/** Everything that is the project's own text. */
function projectFiles(): SourceFile[] {
  const paths = [...new Bun.Glob("**/*").scanSync({ cwd: root, dot: true, onlyFiles: true })]
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !/(^|\/)(node_modules|\.git|dist|snapshots|results|golden)\//.test(path))
    .filter((path) => /\.(tsx?|mjs|json|toml|md|lock|css|html|yml|yaml)$|^\.ci\/run$|Dockerfile/.test(path));
  return paths.sort().map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

const files = projectFiles();

test("the project's files are looked at", () => {
  expect(files.map(({ path }) => path)).toContain("src/main.ts");
  expect(files.filter(({ path }) => path.startsWith("src/")).length).toBeGreaterThan(50);
});

test("no two files import each other, nor in a circle", () => {
  const a = inSrc("lib/a.ts", `import "./b.ts";`);
  const b = inSrc("lib/b.ts", `import "./c.ts";`);
  const c = inSrc("lib/c.ts", `import type { A } from "./a.ts";`);
  expect(circles([a, b, c])).toEqual(["src/lib/a.ts -> src/lib/b.ts -> src/lib/c.ts -> src/lib/a.ts"]);
  expect(circles([a, b, inSrc("lib/c.ts", "step();")])).toEqual([]);
  expect(circles(files.filter(({ path }) => source.test(path)))).toEqual([]);
});

test("an export has a user in src, or says that it is for tests", () => {
  const a = inSrc("lib/a.ts", `/** First. */\nexport const first = 1;\n\nexport function* second() {}\n`);
  const user = (path: string, text = "first;\nsecond();") => {
    const top = "../".repeat(path.split("/").length - 1);
    return { path, text: `import * as a from "${top}src/lib/a.ts";\n${text}` };
  };
  expect(needlessExports([a, user("src/lib/b.ts"), user("test/lib/b.test.ts")])).toEqual([]);
  expect(needlessExports([a, user("bench/b.ts"), user("test/lib/b.test.ts")])).toEqual([]);
  expect(needlessExports([a, user("test/lib/b.test.ts"), user("src/lib/b.ts", "first;")])).toEqual([
    "src/lib/a.ts: second is exported for tests, and does not say so",
  ]);
  const namesake = inSrc("lib/b.ts", "const first = 1;");
  expect(needlessExports([a, namesake, user("src/lib/c.ts", "second();")])).toEqual([
    "src/lib/a.ts: nothing else needs first: it needs no export",
  ]);
  const marked = { ...a, text: a.text.replace("First.", "First. Exported for tests.") };
  expect(needlessExports([marked, user("test/a.test.ts"), user("src/b.ts", "second();")])).toEqual([]);
  expect(needlessExports(files)).toEqual([]);
});

test("files that a page names are there", () => {
  const named = files
    .filter(({ path }) => path.endsWith(".md"))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/`((?:src|test|bench|docs)\/[\w/.-]+)`/g)].map(([, name = ""]) => ({ path, name })),
    );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ name }) => !existsSync(join(root, name)))).toEqual([]);
});

describe.each(rules.map((rule) => [rule.name, rule] as const))("%s", (_, rule) => {
  test("in the project", () => {
    const wrong = files
      .filter(({ path }) => rule.files.test(path))
      .flatMap((file) => rule.find(file).map((what) => `${file.path}:${what}`));
    expect(wrong).toEqual([]);
  });

  test("finds the bad samples and leaves the good one alone", () => {
    for (const bad of rule.bad) {
      expect(rule.files.test(bad.path)).toBe(true);
      expect({ bad: bad.text, found: rule.find(bad).length }).toEqual({ bad: bad.text, found: 1 });
    }
    expect(rule.find(rule.good)).toEqual([]);
  });
});
