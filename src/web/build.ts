/**
 * Builds the dashboard into one page, with its script and its style inside, and prints it as JSON with the hashes for
 * its Content-Security-Policy. It is a program of its own, because a macro may not bundle while it is being bundled
 * itself.
 */
import type { BunPlugin } from "bun";
import { join } from "node:path";
import { languageCodes, wordsVersion } from "../core/word-files.ts";

export interface WebPage {
  readonly html: string;
  /** In the form of CSP source expressions: 'sha256-…'. */
  readonly scriptHash: string;
  readonly styleHash: string;
}

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
    plugins: [elements],
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
