/**
 * `npm run bench [-- --rows 1000000] [--runs 25] [--hits 200000] [--only query|ingest|checkpoint|paint]`: measures
 * this machine, prints tables and a hash of the answers, and writes them to bench/results/.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { table } from "./measure.ts";

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "1000000" },
    runs: { type: "string", default: "25" },
    hits: { type: "string", default: "200000" },
    only: { type: "string", default: "query,ingest,checkpoint,paint" },
  },
});
const only = values.only.split(",");
const report: string[] = [machine()];

function machine(): string {
  const memory = Math.round(totalmem() / 1024 ** 3);
  return `${cpus().length} × ${cpus()[0]?.model ?? "unknown processor"}, ${memory} GiB, Bun ${Bun.version}`;
}

if (only.includes("query")) {
  if (!existsSync(join(import.meta.dir, "node_modules"))) {
    const { exitCode } = Bun.spawnSync([process.execPath, "install", "--frozen-lockfile"], {
      cwd: import.meta.dir,
    });
    if (exitCode !== 0) throw new Error("the benchmark's own packages could not be installed");
    // A process that did not find a package does not find it later either.
    const again = Bun.spawnSync([process.execPath, ...process.argv.slice(1)], {
      stdio: ["inherit", "inherit", "inherit"],
    });
    process.exit(again.exitCode);
  }
  const { benchQueries, queryTable } = await import("./query.ts");
  const { results, hash } = await benchQueries(Number(values.rows), Number(values.runs));
  report.push(
    `Questions over ${values.rows} page views of 12 months, limit 100, median of ${values.runs}; answers ${hash}`,
  );
  report.push(queryTable(results));
}

if (only.includes("ingest")) {
  const { benchIngest } = await import("./ingest.ts");
  const result = await benchIngest(Number(values.hits), 64);
  report.push(`Durable hits over 64 connections, load generator on the same cores`);
  const { hits, hitsPerSecond, cpuMicrosecondsPerHit, p50Ms, p99Ms, bytesPerHit } = result;
  report.push(
    table(
      ["hits", "hits/s", "CPU µs/hit", "p50 ms", "p99 ms", "log bytes/hit"],
      [[String(hits), hitsPerSecond, cpuMicrosecondsPerHit, p50Ms, p99Ms, bytesPerHit]],
    ),
  );
}

if (only.includes("checkpoint")) {
  const { benchCheckpoints, checkpointTable } = await import("./checkpoint.ts");
  const result = await benchCheckpoints(Number(values.rows), 100_000);
  report.push(`Checkpoints of ${values.rows} page views of 12 months and ${result.pages} pages`);
  report.push(checkpointTable(result));
}

if (only.includes("paint")) {
  const { benchPaint, paintTable } = await import("./paint.ts");
  const results = await benchPaint(Number(values.rows), 15);
  report.push(`A website of ${values.rows} page views in the dashboard, in Chromium, median of 15`);
  report.push(results === undefined ? "There is no chromium on this machine." : paintTable(results));
}

const text = `${report.join("\n\n")}\n`;
console.log(text);
const folder = join(import.meta.dir, "results");
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, `${only.join("-")}.md`), text);
