/**
 * Bundles of the Workers. One that starts from source reads and compiles each of its modules again, and a run of the
 * tests starts some nine hundred. test/run.ts bundles their entry points once, in the folder of the run, and loads this
 * file before the tests of each process. The bundles are made as those of the executable are (build.ts).
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runFolderVariable } from "./run-folder.ts";

const source = join(import.meta.dir, "..", "..", "src");

/** Below the folder of the run, the bundles lie as their entry points do in `src`. */
const bundlesIn = (runFolder: string) => join(runFolder, "workers");

/** Throws if one cannot be made. */
export async function bundleWorkers(runFolder: string): Promise<void> {
  const entries = [...new Bun.Glob("**/worker.ts").scanSync(source)].filter(
    (path) => path !== "lib/threads/worker.ts",
  );
  await Bun.build({
    entrypoints: entries.map((path) => join(source, path)),
    root: source,
    outdir: bundlesIn(runFolder),
    target: "bun",
    format: "esm",
    splitting: true,
    naming: { entry: "[dir]/[name].ts", chunk: "[name]-[hash].js" },
  });
}

/** Starts the Workers of `src` from their bundles from now on, in this process. */
function startFromBundles(runFolder: string): void {
  const [from, to] = [pathToFileURL(source).href, pathToFileURL(bundlesIn(runFolder)).href];
  globalThis.Worker = class extends Worker {
    constructor(url: string | URL, options?: Bun.WorkerOptions) {
      const { href } = new URL(url);
      super(href.startsWith(`${from}/`) ? to + href.slice(from.length) : url, options);
    }
  };
}

const runFolder = process.env[runFolderVariable];
if (runFolder !== undefined) startFromBundles(runFolder);
