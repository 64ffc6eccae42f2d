/**
 * Measures the export of a website with many page views from a real server: the memory that the server takes for it, how
 * long hits at a fixed rate wait meanwhile, and the rows that go out and into an empty website.
 */
import { join } from "node:path";
import { withFolder } from "../test/support/folder.ts";
import { account, fromSource, runToEnd, ServerProcess } from "../test/support/server.ts";
import { fillFolder, hostname } from "./folder.ts";
import { table } from "./measure.ts";
import { cpuSeconds, memoryOf } from "./memory.ts";
import { load } from "./under-load.ts";

export interface ExportOptions {
  readonly rows: number;
  /** Hits a second. */
  readonly rate: number;
  /** The length of the load with nothing else. */
  readonly seconds: number;
}

export interface ExportResult {
  readonly what: string;
  readonly seconds: number;
  readonly cpuSeconds?: number;
  readonly megabytes?: number;
  /** The most memory of the server's own, and what it had before. */
  readonly memoryMb?: readonly [before: number, most: number];
  readonly p99Ms?: number;
}

export function benchExport({ rows, rate, seconds }: ExportOptions): Promise<ExportResult[]> {
  return withFolder(async (folder) => {
    await fillFolder(join(folder, "one"), 1, rows);
    const server = await ServerProcess.start(fromSource, folder, [
      ...["--data", "one", "--loads-per-network", "1000000"],
    ]);
    await server.logIn();
    // The thread that answers is there, and has seen the website.
    await server.rows(hostname, "pages");
    const results: ExportResult[] = [];
    try {
      results.push({ what: "nothing", seconds, p99Ms: (await load(server.port, rate, seconds, 1)).p99Ms });
      for (const [at, format] of ["jsonl", "csv"].entries())
        results.push(await download(server, format, { rate, seconds, run: at + 2 }));
    } finally {
      await server.end("SIGTERM");
    }
    const period = ["--out", "rows.csv.zst", "--data", "one"];
    await expectEnd(folder, ["export", hostname, ...period]);
    await expectEnd(folder, ["user", "add", account.username, "--data", "two"], account.password);
    await expectEnd(folder, ["website", "add", hostname, "--data", "two"]);
    const startMs = performance.now();
    await expectEnd(folder, ["import", hostname, "rows.csv.zst", "--data", "two"]);
    return [...results, { what: "import of csv.zst", seconds: (performance.now() - startMs) / 1_000 }];
  });
}

async function download(
  server: ServerProcess,
  format: string,
  { rate, seconds, run }: { readonly rate: number; readonly seconds: number; readonly run: number },
): Promise<ExportResult> {
  const before = memoryOf(server.pid).anonymousMb;
  const beforeS = cpuSeconds(server.pid);
  const startMs = performance.now();
  let [bytes, most] = [0, before];
  const answer = await server.get(`/website/${hostname}/export?format=${format}`);
  for await (const part of answer.body as ReadableStream<Uint8Array>) {
    bytes += part.length;
    most = Math.max(most, memoryOf(server.pid).anonymousMb);
  }
  const took = (performance.now() - startMs) / 1_000;
  const cpu = cpuSeconds(server.pid) - beforeS;
  // Hits wait for another download, so that sending them is no part of the first one's figures.
  const again = server
    .get(`/website/${hostname}/export?format=${format}`)
    .then((response) => response.bytes());
  const { p99Ms } = await load(server.port, rate, seconds, run);
  await again;
  return {
    what: `download of ${format}`,
    seconds: took,
    cpuSeconds: cpu,
    megabytes: bytes / 1e6,
    memoryMb: [before, most],
    p99Ms,
  };
}

async function expectEnd(folder: string, words: readonly string[], input = ""): Promise<void> {
  const { exitCode, errors } = await runToEnd(fromSource, folder, words, input);
  if (exitCode !== 0) throw new Error(`footfall ${words.join(" ")} failed: ${errors}`);
}

export function exportTable(results: readonly ExportResult[], rows: number): string {
  return table(
    ["meanwhile", "s", "rows/s", "CPU s", "MB", "server's memory before, most MB", "p99 ms of hits"],
    results.map(({ what, seconds, cpuSeconds: cpu, megabytes, memoryMb, p99Ms }) => [
      what,
      seconds.toFixed(1),
      what === "nothing" ? "" : Math.round(rows / seconds).toLocaleString("en"),
      cpu?.toFixed(1) ?? "",
      megabytes?.toFixed(1) ?? "",
      memoryMb?.map((mb) => mb.toFixed(0)).join(", ") ?? "",
      p99Ms ?? "",
    ]),
  );
}
