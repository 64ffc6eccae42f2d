/**
 * Builds the dashboard into one page, with its script and its style inside, and prints it as JSON with the hashes for
 * its Content-Security-Policy. It is a program of its own, because a macro may not bundle while it is being bundled
 * itself.
 */
import type { BunPlugin } from "bun";
import { basename, join } from "node:path";
import { derivedDimensions, dimensions } from "../core/dimension.ts";
import { metrics } from "../core/metric.ts";
import { languageCodes, wordsVersion } from "../core/word-files.ts";

export interface WebPage {
  readonly html: string;
  /** In the form of CSP source expressions: 'sha256-…'. */
  readonly scriptHash: string;
  readonly styleHash: string;
}

/** The tables of core that the page has without the fields that only the server reads, and these fields. */
const lean: Readonly<Record<string, { readonly tables: object; readonly without: readonly string[] }>> = {
  "dimension.ts": { tables: { dimensions, derivedDimensions }, without: ["description", "before"] },
  "metric.ts": { tables: { metrics }, without: ["needs", "of", "base"] },
};

/** Puts the values of these tables in place of the code that makes them. */
const leanTables: BunPlugin = {
  name: "lean tables",
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]core[\\/](dimension|metric)\.ts$/ }, async ({ path }) => {
      const { tables, without } = lean[basename(path)] as (typeof lean)[string];
      let contents = await Bun.file(path).text();
      for (const [name, table] of Object.entries(tables)) {
        const value = JSON.stringify(table, (key, value: unknown) => {
          if (without.includes(key)) return undefined;
          if (typeof value === "function") throw new Error(`${name}: ${key} is code, and no value`);
          return value;
        });
        const code = new RegExp(`(?<=export const ${name} = )[^]*?\\n[}\\]](?= (as const )?satisfies )`);
        if (!code.test(contents)) throw new Error(`${path} has no table ${name}`);
        contents = contents.replace(code, () => value);
      }
      return { contents, loader: "ts" };
    });
  },
};

/** Makes elements by a function whose last arguments are the children, as the bundler's own way takes 600 bytes more with gzip. */
const elements: BunPlugin = {
  name: "elements",
  setup(build) {
    build.onLoad({ filter: /\.tsx$/ }, async ({ path }) => ({
      contents:
        '/** @jsxRuntime classic @jsx h @jsxFrag Fragment */ import { h, Fragment } from "preact";\n' +
        (await Bun.file(path).text()),
      loader: "tsx",
    }));
  },
};

/** The style keeps what its browsers know: lowered for older ones, `inset-inline-start` would follow a list of languages. */
async function bundled(entry: string, target: "browser" | "bun" = "browser"): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, entry)],
    target,
    format: "esm",
    minify: true,
    plugins: [elements, leanTables],
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const [output] = outputs;
  if (output === undefined) throw new Error(`the bundler made nothing of ${entry}`);
  return (await output.text()).trim();
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

const [style, script, template] = await Promise.all([
  bundled("styles/style.css", "bun"),
  bundled("main.tsx"),
  Bun.file(join(import.meta.dir, "index.html")).text(),
]);
// In a string of the script, this would end the script's element.
const safeScript = script.replaceAll("</script", "<\\/script");
const known = template
  .replace('data-languages=""', `data-languages="${languageCodes().join(" ")}"`)
  .replace('data-words=""', `data-words="${wordsVersion()}"`);
const html = filled(filled(known, "style", style), "script", safeScript);
const page: WebPage = { html, scriptHash: hashOf(safeScript), styleHash: hashOf(style) };
await Bun.write(Bun.stdout, JSON.stringify(page));
