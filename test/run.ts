/**
 * `npm test [-- --all | folder or file …]`: the tests, in four processes that share the files, because many of them wait
 * for browsers and servers. One seed for all, so that one line repeats a failure, one executable, and one bundle of each
 * Worker. The last lines say which tests were left out, and for want of what. Without a word the run is short: fewer rounds
 * (support/rounds.ts), and an eighth of the files that take longest (support/longest.ts). `--all`, which `npm run check` asks
 * for, and the tests of a folder are whole. The tests of the benchmarks, which start many servers, only run when they are
 * asked for, as `npm run check` does.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inShortRun, testPaths, timings } from "./support/longest.ts";
import { runFolderVariable } from "./support/run-folder.ts";
import { roundsVariable, shortRounds } from "./support/rounds.ts";
import { leftOutLine, WithoutSkipped } from "./support/needs.ts";
import { until } from "./support/until.ts";
import { bundleWorkers } from "./support/worker-bundles.ts";
import { testTimeoutMs } from "./support/timeout.ts";

const seed = process.env["FOOTFALL_SEED"] ?? String(Math.floor(Math.random() * 0xffffffff));
console.log(`FOOTFALL_SEED=${seed}`);
const root = dirname(import.meta.dir);
const paths = testPaths(root);
const own = paths.filter((path) => !path.startsWith("test/bench/"));
const words = Bun.argv.slice(2);
const isShort = words.length === 0;
const files = isShort && process.env[roundsVariable] === undefined ? inShortRun(own, Number(seed)) : own;
const asked = isShort || words[0] === "--all" ? files.map((path) => `./${path}`) : words;
const folder = mkdtempSync(join(tmpdir(), "footfall-run-"));
const report = join(folder, "report.xml");
const order = join(folder, "timings.json");
writeFileSync(order, timings(paths));
await bundleWorkers(folder);
const options = [
  `--timeout=${testTimeoutMs}`,
  `--timings=${order}`,
  `--preload=${join(import.meta.dir, "support", "worker-bundles.ts")}`,
  "--reporter=junit",
  `--reporter-outfile=${report}`,
];
/**
 * A short run is over before the last and most expensive compiler of functions has paid, and gives no memory back to the
 * system before it ends. A whole run has both as they are for everybody.
 */
const shortRun = { [roundsVariable]: shortRounds, BUN_JSC_useFTLJIT: "0", MIMALLOC_PURGE_DELAY: "-1" };
const child = Bun.spawn([process.execPath, "test", "--parallel=4", "--no-isolate", ...options, ...asked], {
  env: {
    ...(isShort && shortRun),
    ...process.env,
    FOOTFALL_SEED: seed,
    [runFolderVariable]: folder,
    ...(process.stderr.isTTY && { FORCE_COLOR: "1" }),
  },
  stdio: ["inherit", "inherit", "pipe"],
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));

const shown = new WithoutSkipped();
const decoder = new TextDecoder();
let rest = "";
for await (const bytes of child.stderr) {
  const lines = `${rest}${decoder.decode(bytes, { stream: true })}`.split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines.flatMap((each) => shown.next(each))) process.stderr.write(`${line}\n`);
}
if (rest !== "") process.stderr.write(`${rest}\n`);

const exitCode = await child.exited;
// There is none of a run that was broken off.
const text = await Bun.file(report)
  .text()
  .catch(() => "");
// A browser that ends with its test may still write.
await until(() => rmSync(folder, { recursive: true, force: true }) === undefined, `${folder} is removed`);
const leftOut = leftOutLine(text);
if (leftOut !== undefined) console.error(leftOut);
if (files.length < own.length)
  console.error(`left out: ${own.length - files.length} files of tests for want of time (npm test -- --all)`);
process.exit(exitCode);
