/**
 * Builds the dashboard into one page, with its script and its style inside, and a second script, with all that stands
 * behind an `import()`. It prints them as JSON with the hashes for the page's Content-Security-Policy. It is a program of
 * its own, because a macro may not bundle while it is being bundled itself.
 *
 * The bundler splits the code into what only the page needs, what only the second script needs, and what both need. The
 * page gets the first and the last, and hands the second script what that imports from the last, by `footfall`, so that
 * no module is there twice.
 */
import type { BunPlugin } from "bun";
import { basename, join, relative } from "node:path";
import { derivedDimensions, dimensions } from "../core/questions/dimension.ts";
import { metrics } from "../core/questions/metric.ts";
import { languageCodes, translatedTexts, wordsVersion } from "../core/word-files.ts";

export interface WebPage {
  readonly html: string;
  /** The second script, which the page loads by `modulesName`: that changes with it. */
  readonly modules: string;
  readonly modulesName: string;
  /** The hashes of both scripts and the style, as source expressions of the Content-Security-Policy: 'sha256-…'. */
  readonly scriptHash: string;
  readonly modulesHash: string;
  readonly styleHash: string;
  /** The English texts of the first script that other languages have words for; the others are loaded after it. */
  readonly texts: readonly string[];
}

const folder = import.meta.dir;
const behindImport = /\bimport\("(.+?)"\)/g;

const core = join(folder, "../core/questions");
/** The tables of core that the page has without the fields that only the server reads, and these fields. */
const lean = [
  { file: "dimension.ts", tables: { dimensions, derivedDimensions }, without: ["description", "before"] },
  { file: "metric.ts", tables: { metrics }, without: ["needs", "of", "base"] },
];

/** Returns the files of these tables, with the values of the tables in place of the code that makes them. */
async function leanFiles(): Promise<Files> {
  const files: Record<string, string> = {};
  for (const { file, tables, without } of lean) {
    let contents = await Bun.file(join(core, file)).text();
    for (const [name, table] of Object.entries(tables)) {
      const value = JSON.stringify(table, (key, value: unknown) => {
        if (without.includes(key)) return undefined;
        if (typeof value === "function") throw new Error(`${name}: ${key} is code, and no value`);
        return value;
      });
      const code = new RegExp(`(?<=export const ${name} = )[^]*?\\n[}\\]](?= (as const )?satisfies )`);
      if (!code.test(contents)) throw new Error(`${file} has no table ${name}`);
      contents = contents.replace(code, () => value);
    }
    files[join(core, file)] = contents;
  }
  return files;
}

/**
 * Makes elements by a function whose last arguments are the children, as the bundler's own way takes 600 bytes more with
 * gzip. A module behind an `import()` is asked for by its name in the second script.
 */
const sources: BunPlugin = {
  name: "sources",
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.tsx$/ }, async ({ path }) => ({
      contents:
        '/** @jsxRuntime classic @jsx h @jsxFrag Fragment */ import { h, Fragment } from "preact";\n' +
        `import { moduleOf } from ${JSON.stringify(join(folder, "lib/on-demand.ts"))};\n` +
        (await Bun.file(path).text()).replace(
          behindImport,
          (_, to: string) => `moduleOf("${nameOf(path, to)}")`,
        ),
      loader: "tsx",
    }));
  },
};

/** Returns how the second script names a module that another one imports: by its path in this folder. */
function nameOf(from: string, to: string): string {
  return relative(folder, join(from, "..", to)).replaceAll("\\", "/");
}

/** Returns the code of the second script: it has all modules that stand behind an `import()`. */
async function secondEntry(): Promise<string> {
  const paths = [...new Bun.Glob("**/*.tsx").scanSync({ cwd: folder, absolute: true })];
  const texts = await Promise.all(paths.map(async (path) => [path, await Bun.file(path).text()] as const));
  const found = texts.flatMap(([path, text]) =>
    [...text.matchAll(behindImport)].map(([, to = ""]) => nameOf(path, to)),
  );
  const names = [...new Set(found)].toSorted();
  const imports = names.map((name, at) => `import * as m${at} from "./${name}";`);
  return `${imports.join("")}footfall.modules={${names.map((name, at) => `"${name}":m${at}`).join()}};`;
}

type Files = Readonly<Record<string, string>>;

/** The style keeps what its browsers know: lowered for older ones, `inset-inline-start` would follow a list of languages. */
async function bundled(entrypoints: string[], options: Partial<Bun.BuildConfig> = {}): Promise<Files> {
  const { outputs } = await Bun.build({
    entrypoints: entrypoints.map((name) => join(folder, name)),
    target: "browser",
    minify: true,
    define: { "process.env.NODE_ENV": '"production"' },
    ...options,
  } as Bun.BuildConfig);
  const texts = outputs.map(async (output) => [basename(output.path), (await output.text()).trim()] as const);
  return Object.fromEntries(await Promise.all(texts));
}

function hashOf(text: string): string {
  return `'sha256-${new Bun.CryptoHasher("sha256").update(text).digest("base64")}'`;
}

/** Returns `html` with `text` in its only empty element of that kind. */
function filled(html: string, element: "style" | "script", text: string): string {
  const empty = `></${element}>`;
  const at = html.indexOf(empty);
  if (at < 0 || html.includes(empty, at + 1)) throw new Error(`the page has not one empty ${element}`);
  return html.slice(0, at + 1) + text + html.slice(at + 1);
}

/** A text with no character beyond Latin-1 takes half the bytes in the executable. In a script they stand in strings only. */
function inLatin(script: string): string {
  return script.replace(/[^\0-\xff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * Returns the texts that a script has anywhere: a short one too that is only part of another one. The bundler may have
 * written any of their signs as an escape.
 */
function textsIn(script: string): string[] {
  const plain = script.replace(/\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|(["'`]))/gi, (_, unit, byte, quote) =>
    quote === undefined ? String.fromCharCode(Number.parseInt(unit ?? byte, 16)) : String(quote),
  );
  return translatedTexts().filter((text) => plain.includes(text));
}

/** Returns both scripts. */
async function scripts(): Promise<{ readonly first: string; readonly second: string }> {
  const split = await bundled(["main.tsx", "second.js"], {
    splitting: true,
    plugins: [sources],
    files: { ...(await leanFiles()), [join(folder, "second.js")]: await secondEntry() },
  });
  const common = Object.keys(split).find((name) => name.startsWith("chunk-")) ?? "";
  const needed = /^import\{([^}]*)\}from"\.\/(.*?)";/.exec(split["second.js"] ?? "");
  if (needed?.[2] !== common) throw new Error("the second script imports not only what both scripts need");
  const names = (needed[1] ?? "").split(",").map((name) => name.replace(/ as .*/, ""));
  const handing = `import{${names.join()}}from"./${common}";import"./main.js";globalThis.footfall={${names.join()}}`;
  const [first, second] = await Promise.all([
    bundled(["first.js"], { files: inFolder({ ...split, "first.js": handing }) }),
    bundled(["second.js"], {
      files: inFolder({ ...split, [common]: "module.exports=footfall" }),
      format: "iife",
    }),
  ]);
  return { first: first["first.js"] ?? "", second: second["second.js"] ?? "" };
}

function inFolder(files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [join(folder, name), text]));
}

const [style, { first, second }, template] = await Promise.all([
  bundled(["styles/style.css"], { target: "bun" }),
  scripts(),
  Bun.file(join(folder, "index.html")).text(),
]);
// In a string of the script, this would end the script's element.
const script = inLatin(first).replaceAll("</script", "<\\/script");
const modules = inLatin(second);
// The first script hands over by short names, which that of another version may give to other things.
const modulesName = `${Bun.hash(script + modules).toString(36)}.js`;
const css = style["style.css"] ?? "";
const texts = textsIn(first);
const known = template
  .replace('data-languages=""', `data-languages="${languageCodes().join(" ")}"`)
  .replace('data-words=""', `data-words="${wordsVersion(texts)}"`)
  .replace('data-modules=""', `data-modules="${modulesName}"`);
const html = filled(filled(known, "style", css), "script", script);
const page: WebPage = {
  html,
  modules,
  modulesName,
  scriptHash: hashOf(script),
  modulesHash: hashOf(modules),
  styleHash: hashOf(css),
  texts,
};
await Bun.write(Bun.stdout, JSON.stringify(page));
