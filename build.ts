/**
 * Builds the executable: `bun build.ts [file]`, dist/footfall by default. Never minified, because Elysia
 * reads the source text of handlers. Workers are entry points of their own, found again by their path in src.
 */
import { join } from "node:path";
import { checkoutCommit } from "./src/cli/version.ts";

const source = join(import.meta.dir, "src");
const outfile = Bun.argv[2] ?? join(import.meta.dir, "dist", "footfall");
const commit = checkoutCommit(import.meta.dir);
const workers = [...new Bun.Glob("**/worker.ts").scanSync(source)].filter((path) => !path.startsWith("lib/"));

await Bun.build({
  entrypoints: ["main.ts", ...workers].map((path) => join(source, path)),
  root: source,
  target: "bun",
  format: "esm",
  bytecode: true,
  define: { FOOTFALL_BUILD_COMMIT: JSON.stringify(commit) },
  // Nothing of the folder that it is started in may change what it does.
  compile: { outfile, autoloadBunfig: false, autoloadDotenv: false },
});
const megabytes = Math.round(Bun.file(outfile).size / 1_000_000);
console.log(`built ${outfile} (${megabytes} MB, commit ${commit})`);
