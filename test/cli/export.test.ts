/** The data of a website, out of a folder or a server and into another one, by the commands and the download. */
import { beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { fillFolder, hostname } from "../../bench/folder.ts";
import { exportFields } from "../../src/core/questions/exported.ts";
import { useFolder } from "../support/folder.ts";
import { longTest } from "../support/long-test.ts";
import { useExecutable } from "../support/executable.ts";
import { account, runToEnd, ServerProcess } from "../support/server.ts";

const executable = [useExecutable()];
const folder = useFolder();
const rows = 2_000;
beforeAll(() => fillFolder(join(folder, "one"), 1, rows));
const run = (words: string, input = "") => runToEnd(executable, folder, words.split(" "), input);
longTest("what the commands and the download write is the same, and goes into an empty website", async () => {
  const { output: plain } = await run(`export ${hostname} --data one`);
  expect(plain.trimEnd().split("\n").length).toBe(rows);
  expect((await run(`export ${hostname} --data one --out rows.csv.gz`)).output).toMatch(
    /^wrote rows\.csv\.gz \([1-9]/,
  );
  const again = await run(`export ${hostname} --data one --out rows.csv.gz`);
  expect([again.exitCode, again.errors]).toEqual([
    2,
    expect.stringContaining("exists already: another name, or --force"),
  ]);
  expect((await run(`export ${hostname} --data one --out rows.csv.gz --force`)).exitCode).toBe(0);
  const csv = gunzipSync(readFileSync(join(folder, "rows.csv.gz"))).toString();
  expect(csv.split("\r\n").length).toBe(rows + 2);

  const one = await ServerProcess.start(executable, folder, ["--data", "one"]);
  await one.logIn();
  try {
    expect((await run(`export ${hostname} --data one`)).output).toBe(plain);
    expect(await (await one.get(`/website/${hostname}/export`)).text()).toBe(plain);
    const packed = await one.get(`/website/${hostname}/export?format=csv.zst`);
    expect(packed.headers.get("content-disposition")).toBe(
      `attachment; filename="${hostname}-page-views.csv.zst"`,
    );
    expect(zstdDecompressSync(await packed.bytes()).toString()).toBe(csv);
    await run(`user add ${account.username} --data two`, account.password);
    await run(`website add ${hostname} --data two`);
    const dry = await run(`import ${hostname} rows.csv.gz --data two --dry-run`);
    expect(dry.output).toContain("is an export of Footfall as CSV\n");
    expect(dry.output).toContain("a dry run: nothing was imported");
    expect((await run(`import ${hostname} - --data two`, plain)).output).toContain(
      "2,000 taken as page views",
    );
    expect((await run(`import ${hostname} - --data two --yes`, plain)).output).toContain(
      "2,000 already imported",
    );
    const two = await ServerProcess.start(executable, folder, ["--data", "two"]);
    await two.logIn();
    try {
      for (const list of [
        "pages",
        "referrers?by=visit",
        "time",
        "properties",
        "exits",
        "summary?interval=day&by=visit",
      ])
        expect(await two.rows(hostname, list)).toEqual(await one.rows(hostname, list));
    } finally {
      await two.end("SIGTERM");
    }
  } finally {
    await one.end("SIGTERM");
  }
});

test("a period, a kind and a format are asked for, and what is none is refused", async () => {
  const visits = (await run(`export ${hostname} --data one --of visits --format csv --period 2026-01`))
    .output;
  const [head, first] = visits.split("\r\n");
  expect(head).toBe(exportFields.visits.join(","));
  expect(first).toMatch(/^\d+,2026-01-\d\dT/);
  for (const [words, message] of [
    ["--format xml", '--format: expected jsonl, csv, got "xml"'],
    ["--of hits", '--of: expected page-views, visits, events, got "hits"'],
    ["--out rows.txt", "--out: expected a name that ends with .jsonl, .jsonl.gz,"],
    [
      "--out missing/rows.csv",
      `--out: there is no folder "${join(folder, "missing")}" for rows.csv: make it first`,
    ],
    ["--period never", "--period: expected today, yesterday"],
  ] as const) {
    const { exitCode, errors } = await run(`export ${hostname} --data one ${words}`);
    expect([exitCode, errors]).toEqual([2, expect.stringContaining(message)]);
  }
  expect((await run("export none.example --data one --out none.csv")).errors).toContain(
    `there is no website "none.example": 'footfall website list --data one' names`,
  );
  expect(readdirSync(folder).filter((name) => name.startsWith("none"))).toEqual([]);
});
