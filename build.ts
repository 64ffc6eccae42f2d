/**
 * Builds the executable: `bun build.ts [file]`, dist/footfall by default. Never minified, because Elysia
 * reads the source text of handlers. Workers are entry points of their own, found again by their path in src.
 *
 * `bun build.ts --all [folder]` builds one for each system into dist/all. Bun takes the runtimes of the others, in its own
 * version, from where its packages come from. The file SHA256SUMS is what `sha256sum --check` reads.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { checkoutCommit } from "./src/cli/version.ts";

/** The most that an executable may have. */
const bytesMax = 120_000_000;
const targets = [
  "linux-x64",
  "linux-x64-baseline",
  "linux-arm64",
  "linux-x64-musl",
  "linux-arm64-musl",
  "darwin-x64",
  "darwin-arm64",
] as const;

const source = join(import.meta.dir, "src");
const dist = join(import.meta.dir, "dist");
// An image is built without git.
const commit = process.env["FOOTFALL_BUILD_COMMIT"] ?? checkoutCommit(import.meta.dir);
const workers = [...new Bun.Glob("**/worker.ts").scanSync(source)].filter((path) => !path.startsWith("lib/"));

/** `target`: another system than this one. */
async function build(outfile: string, target?: (typeof targets)[number]): Promise<void> {
  await Bun.build({
    entrypoints: ["main.ts", ...workers].map((path) => join(source, path)),
    root: source,
    target: "bun",
    format: "esm",
    bytecode: true,
    define: { FOOTFALL_BUILD_COMMIT: JSON.stringify(commit) },
    // Nothing of the folder that it is started in may change what it does.
    compile: {
      outfile,
      autoloadBunfig: false,
      autoloadDotenv: false,
      ...(target && { target: `bun-${target}` }),
    },
  });
  const { size } = Bun.file(outfile);
  console.log(`built ${outfile} (${Math.round(size / 1_000_000)} MB, commit ${commit})`);
  if (size > bytesMax) throw new Error(`${outfile} has ${size} bytes, expected at most ${bytesMax}`);
}

async function buildAll(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const sums: string[] = [];
  for (const target of targets) {
    const name = `footfall-${target}`;
    const path = join(folder, name);
    await build(path, target);
    sums.push(
      `${new Bun.CryptoHasher("sha256").update(await Bun.file(path).bytes()).digest("hex")}  ${name}\n`,
    );
  }
  await Bun.write(join(folder, "SHA256SUMS"), sums.join(""));
}

const [first, second] = Bun.argv.slice(2);
if (first === "--all") await buildAll(second ?? join(dist, "all"));
else await build(first ?? join(dist, "footfall"));
