/** That exports and backups replace only what they may: files, links, devices and pipes at the path that somebody names. */
import { beforeAll, beforeEach, expect, test } from "bun:test";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { fillFolder, hostname } from "../../bench/folder.ts";
import { useExecutable } from "../support/executable.ts";
import { useFolder } from "../support/folder.ts";
import { fromSource, runToEnd } from "../support/server.ts";

const command = [useExecutable()];
const top = realpathSync(useFolder());
const data = join(top, "data");
let folder = "";
beforeAll(() => fillFolder(data, 1, 300));
beforeEach(() => {
  folder = mkdtempSync(join(top, "case-"));
});

const at = (name: string) => join(folder, name);
const run = (...words: string[]) => runToEnd(command, folder, [...words, "--data", data]);
/** Both commands that write to a path, without a flag that replaces something. */
const writers = {
  export: (path: string) => run("export", hostname, "--format", "csv", "--out", path),
  backup: (path: string) => run("backup", path),
};
const begins = { export: "kind,", backup: "" };

test.each(["export", "backup"] as const)("%s writes to a named pipe as it is", async (name) => {
  expect(Bun.spawnSync(["mkfifo", at("pipe")]).exitCode).toBe(0);
  const reader = Bun.spawn(["cat", at("pipe")], { stdout: "pipe" });
  const [ended, bytes] = await Promise.all([writers[name](at("pipe")), reader.stdout.bytes()]);
  expect([ended.exitCode, ended.output]).toEqual([0, ""]);
  // The line that says it is done goes to standard error: the path may lead to standard output.
  expect(ended.errors).toContain(`${at("pipe")}`);
  expect(lstatSync(at("pipe")).isFIFO()).toBe(true);
  expect(bytes.length).toBeGreaterThan(1_000);
  expect(Buffer.from(bytes).toString()).toContain(begins[name]);
  expect(readdirSync(folder)).toEqual(["pipe"]);
});

test.each(["export", "backup"] as const)(
  "%s leaves a device as it is, and says that it is full",
  async (name) => {
    // A device of the test's own where the machine lets it make one: a mistake must not reach those of the system.
    if (Bun.spawnSync(["mknod", at("full"), "c", "1", "7"]).exitCode !== 0)
      symlinkSync("/dev/full", at("full"));
    const { exitCode, errors } = await writers[name](at("full"));
    expect([exitCode, errors]).toEqual([2, expect.stringMatching(/cannot (write to|open) .*full: /)]);
    expect(lstatSync(at("full")).isFile()).toBe(false);
    expect(readdirSync(folder)).toEqual(["full"]);
  },
);

test("what npm writes to standard output is not put before the bytes", async () => {
  writeFileSync(at("package.json"), JSON.stringify({ scripts: { start: `exec ${fromSource.join(" ")}` } }));
  const start = (...words: string[]) => runToEnd(["npm", "start"], folder, [...words, "--data", data]);
  for (const words of [["backup", "-"], ["dump"]])
    expect(await start("--", ...words)).toMatchObject({
      exitCode: 2,
      errors: expect.stringContaining("write npm start --silent -- before the command"),
    });
  const [silent, expected] = [await start("--silent", "--", "dump"), await run("dump")];
  expect([silent.exitCode, silent.output]).toEqual([0, expected.output]);
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("%s takes an unfinished file away", async (signal) => {
  writeFileSync(at("rows.csv"), "an earlier export");
  const source = JSON.stringify(join(import.meta.dir, "../../src/cli/output-file.ts"));
  const program = `import { outputAt } from ${source};
    const file = outputAt(${JSON.stringify(at("rows.csv"))}, "--out");
    await file.write(new TextEncoder().encode("kind,"));
    setInterval(() => {}, 60_000);
    console.log("written");`;
  const child = Bun.spawn([process.execPath, "-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  const { value } = await child.stdout.getReader().read();
  expect(value).toBeDefined();
  expect(readdirSync(folder)).toContain(`rows.csv.${child.pid}.new`);
  child.kill(signal);
  // As shells say it of a program that a signal ended.
  expect(await child.exited).toBe(128 + constants.signals[signal]);
  expect(readdirSync(folder)).toEqual(["rows.csv"]);
  expect(readFileSync(at("rows.csv"), "utf8")).toBe("an earlier export");
});

test.each(["export", "backup"] as const)("%s follows links, also those into nothing", async (name) => {
  mkdirSync(at("disk"));
  symlinkSync("disk", at("mounted"));
  symlinkSync("mounted/file", at("first"));
  symlinkSync("first", at("second"));
  expect((await writers[name](at("second"))).errors).toBe("");
  const written = readFileSync(at("disk/file"));
  expect(written.length).toBeGreaterThan(1_000);
  writeFileSync(at("disk/file"), "");
  const again = name === "export" ? ["export", hostname, "--force", "--format", "csv", "--out"] : ["backup"];
  expect((await run(...again, at("second"))).errors).toBe("");
  expect(readFileSync(at("disk/file")).length).toBe(written.length);
  for (const link of ["first", "second", "mounted"]) expect(lstatSync(at(link)).isSymbolicLink()).toBe(true);
  expect(readdirSync(at("disk"))).toEqual(["file"]);
  symlinkSync("missing/file", at("third"));
  const { exitCode, errors } = await writers[name](at("third"));
  expect([exitCode, errors]).toEqual([2, expect.stringContaining(`there is no folder "${at("missing")}"`)]);
});

test("backup replaces a backup and an empty file, and anything else only with --force", async () => {
  for (const content of ["notes\n", "n".repeat(5_000)]) {
    writeFileSync(at("keep.md"), content);
    const { exitCode, errors } = await run("backup", at("keep.md"));
    expect([exitCode, errors]).toEqual([
      2,
      `footfall: FILE: "${at("keep.md")}" exists and is no backup: another name, or --force to replace it\n`,
    ]);
    expect(readFileSync(at("keep.md"), "utf8")).toBe(content);
  }
  // Another program's archive is no backup either.
  expect(Bun.spawnSync(["tar", "-cf", at("other.tar"), "-C", folder, "keep.md"]).exitCode).toBe(0);
  expect((await run("backup", at("other.tar"))).exitCode).toBe(2);
  writeFileSync(at("empty"), "");
  expect((await run("backup", at("empty"))).errors).toBe("");
  expect((await run("backup", at("empty"))).errors).toBe("");
  expect((await run("backup", at("keep.md"), "--force")).errors).toBe("");
  const restored = await runToEnd(command, folder, ["restore", at("keep.md"), "--data", at("restored")]);
  expect([restored.exitCode, existsSync(at("restored/wal"))]).toEqual([0, true]);
});

test.each(["export", "backup"] as const)("%s refuses every way into the data folder", async (name) => {
  symlinkSync(data, at("own"));
  symlinkSync(join(data, "new.csv"), at("link.csv"));
  const before = readdirSync(data, { recursive: true }).sort();
  const force =
    name === "export" ? ["export", hostname, "--force", "--format", "csv", "--out"] : ["backup", "--force"];
  const [segment = ""] = readdirSync(join(data, "wal"));
  const log = readFileSync(join(data, "wal", segment));
  for (const path of [
    join(data, "wal", segment),
    join(data, "LOCK.csv"),
    at("own/new.csv"),
    at("link.csv"),
  ]) {
    const { exitCode, errors } = await run(...force, path);
    expect([exitCode, errors]).toEqual([2, expect.stringContaining(`${path} is in the data folder`)]);
  }
  expect(readdirSync(data, { recursive: true }).sort()).toEqual(before);
  expect(readFileSync(join(data, "wal", segment)).equals(log)).toBe(true);
});
