/**
 * Backups of a real server under load, and of folders that nobody serves: everything that was acknowledged is in them,
 * and what is damaged is found before anything is restored.
 */
import { afterAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fillFolder, hostname } from "../../bench/folder.ts";
import { readArchive } from "../../src/cli/backup/archive.ts";
import { whileStill } from "../../src/cli/backup/pinned.ts";
import { FolderStore } from "../../src/cli/backup/folder.ts";
import { readStore } from "../../src/cli/backup/store.ts";
import { restoreInto } from "../../src/cli/backup/restoration.ts";
import { useFolder } from "../support/folder.ts";
import { longTest } from "../support/long-test.ts";
import { startS3 } from "../support/s3-server.ts";
import { someOf } from "../support/rounds.ts";
import { randomBySeed } from "../support/seed.ts";
import { runToEnd, ServerProcess, type Ended } from "../support/server.ts";
import { useExecutable } from "../support/executable.ts";
import { testTimeoutMs } from "../support/timeout.ts";
import { until } from "../support/until.ts";

const executable = [useExecutable()];

const servers: ServerProcess[] = [];
afterAll(() => Promise.all(servers.map((server) => server.end("SIGKILL"))));
const top = useFolder();

const chance = randomBySeed();
const random = (below: number) => Math.floor(chance() * below);

let folders = 0;
function newFolder(): string {
  const folder = join(top, String(++folders));
  mkdirSync(folder);
  return folder;
}

async function start(folder: string): Promise<ServerProcess> {
  const args = ["--data", "data", "--loads-per-network", "1000000"];
  const server = await ServerProcess.start(executable, folder, args);
  servers.push(server);
  return server;
}

const run = (folder: string, ...words: string[]) =>
  runToEnd(executable, folder, [...words, "--data", "data"]);

async function good(ended: Promise<Ended>): Promise<string> {
  const { exitCode, output, errors } = await ended;
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: "" });
  return output;
}

/** All files below a folder, by their path. */
function filesIn(folder: string): Map<string, Buffer> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return new Map(files.map((name) => [name, readFileSync(join(folder, name))]));
}

/** The page views by path, as a server of the folder says them. */
async function pagesOf(
  folder: string,
  website = "example.com",
  list = "pages?limit=1000",
): Promise<ReadonlyMap<unknown, unknown>> {
  const server = await start(folder);
  await server.logIn();
  const rows = await server.rows(website, list);
  await server.end("SIGTERM");
  return new Map(rows.map(({ path, pageviews }) => [path, pageviews]));
}

describe("a backup of a running server", () => {
  test("has every hit that was acknowledged before it began, whatever checkpoints and deletions do meanwhile", async () => {
    const folder = newFolder();
    const server = await start(folder);
    await server.logIn();
    for (const host of ["example.com", "gone.example"]) await server.post("/websites", { hostname: host });
    let [acknowledged, wanted] = [0, true];
    const load = Array.from({ length: 8 }, async (_, client) => {
      for (let hit = 0; wanted; hit++) {
        const answer = await server.hit(`https://example.com/${client}`, `b-${client}-${hit}`);
        if (((await answer.json()) as { accepted?: boolean }).accepted) acknowledged++;
      }
    });
    /** Each deletion makes a checkpoint that leaves no older one. */
    const checkpoints = async () => {
      while (wanted) {
        await server.post("/websites", { hostname: "other.example" });
        await server.delete("/websites/other.example");
      }
    };
    const deletions = checkpoints();
    const targets = ["one.tar", "two.tar", "three/", "three/"];
    const atLeast: number[] = [];
    for (const target of targets) {
      const before = acknowledged;
      await until(() => acknowledged > before + 200, "more hits came");
      atLeast.push(acknowledged);
      expect(await good(run(folder, "backup", target))).toContain(`to ${target}`);
    }
    expect(await good(run(folder, "check"))).toContain("nothing is wrong");
    wanted = false;
    await Promise.all([...load, deletions]);
    await server.end("SIGKILL");
    for (const [at, target] of targets.entries()) {
      if (at === 2) continue;
      const other = newFolder();
      expect(await good(run(other, "restore", join(folder, target)))).toContain("restored");
      const pages = [...(await pagesOf(other)).values()] as number[];
      expect(pages.reduce((sum, views) => sum + views, 0)).toBeGreaterThanOrEqual(atLeast[at] as number);
    }
  });
});

describe("a backup of a folder that nobody serves", () => {
  test("is the folder, without facts and older checkpoints, and changes nothing in it", async () => {
    const folder = newFolder();
    await fillFolder(join(folder, "data"), 1, 5_000);
    const before = filesIn(join(folder, "data"));
    await good(run(folder, "backup", "all.tar"));
    expect(filesIn(join(folder, "data"))).toEqual(before);
    const other = newFolder();
    await good(run(other, "restore", join(folder, "all.tar")));
    const restored = filesIn(join(other, "data"));
    restored.delete("LOCK");
    expect(restored.size).toBeGreaterThan(12);
    for (const [name, bytes] of restored) expect(before.get(name)?.equals(bytes)).toBe(true);
    const lines = await good(run(other, "dump"));
    expect(lines.split("\n").length).toBeGreaterThan(5_000);
    expect(await good(run(folder, "dump"))).toBe(lines);
    expect(await pagesOf(other, hostname)).toEqual(await pagesOf(folder, hostname));
  });

  test("leaves out a torn end of the log, which a start would cut", async () => {
    const folder = newFolder();
    const server = await start(folder);
    await server.logIn();
    await server.post("/websites", { hostname: "example.com" });
    await server.hit("https://example.com/kept", "b");
    await server.end("SIGKILL");
    const wal = join(folder, "data", "wal");
    const [newest = ""] = readdirSync(wal).sort().toReversed();
    writeFileSync(join(wal, newest), Buffer.alloc(100, 7), { flag: "a" });
    await good(run(folder, "backup", "all.tar"));
    const other = newFolder();
    await good(run(other, "restore", join(folder, "all.tar")));
    expect(await pagesOf(other)).toEqual(new Map([["/kept", 1]]));
  });

  longTest("goes through standard output and standard input", async () => {
    const folder = newFolder();
    await fillFolder(join(folder, "data"), 1, 2_000);
    mkdirSync(join(folder, "other"));
    const command = executable.join(" ");
    const pipe = `${command} backup - --data data | ${command} restore - --data other/data`;
    const { exitCode, output, errors } = await runToEnd(["sh", "-c"], folder, [pipe]);
    expect({ exitCode, output }).toEqual({ exitCode: 0, output: expect.stringContaining("restored") });
    expect(errors).toStartWith("backed up");
    expect(await pagesOf(join(folder, "other"), hostname)).toEqual(await pagesOf(folder, hostname));
    const cut = await runToEnd(["sh", "-c"], folder, [`${command} dump --data data | head -n 1`]);
    expect(cut.output).toStartWith('{"kind":"folder"');
    expect(cut.errors).toContain("cannot write to standard output: whoever read it has ended (EPIPE)");
  });

  test("refuses a folder without data, and one that is damaged", async () => {
    const folder = newFolder();
    mkdirSync(join(folder, "data"));
    expect((await run(folder, "backup", "all.tar")).errors).toContain("is no data folder");
    await fillFolder(join(folder, "data"), 1, 2_000);
    const chunks = join(folder, "data", "chunks", "1");
    const chunk = readdirSync(chunks).find((name) => name.endsWith(".chunk")) as string;
    flip(join(chunks, chunk), 1_000);
    const { exitCode, errors } = await run(folder, "backup", "all.tar");
    expect({ exitCode, names: errors.includes(`chunks/1/${chunk}`) }).toEqual({ exitCode: 2, names: true });
    expect((await run(folder, "backup", "all/")).errors).toContain("'footfall restore all --list' names");
    expect(readdirSync(folder).sort()).toEqual(["all", "data"]);
  });
});

describe("backups in a folder", () => {
  longTest("copy only what is new, and each of them can be restored", async () => {
    const folder = newFolder();
    await fillFolder(join(folder, "data"), 1, 20_000);
    const units = { bytes: 1, KB: 1_000, MB: 1_000_000 };
    const newBytes = (output: string) => {
      const [, number, unit] = /([\d.]+) (bytes|KB|MB) of it new/.exec(output) ?? [];
      return Number(number) * units[unit as keyof typeof units];
    };
    expect(newBytes(await good(run(folder, "backup", "all/")))).toBeGreaterThan(500_000);
    const first = filesIn(join(folder, "all"));
    expect(newBytes(await good(run(folder, "backup", "all")))).toBe(0);
    const server = await start(folder);
    await server.hit(`https://${hostname}/new`, "b");
    await good(run(folder, "backup", "all"));
    await server.end("SIGTERM");
    const then = filesIn(join(folder, "all"));
    for (const [name, bytes] of first) expect(then.get(name)?.equals(bytes)).toBe(true);
    const { exitCode, errors } = await run(folder, "backup", "all.tar", "--keep", "2");
    expect({ exitCode, says: errors.includes("--keep: expected a folder or bucket") }).toEqual({
      exitCode: 2,
      says: true,
    });

    const listed = await run(newFolder(), "restore", join(folder, "all"), "--list");
    const lines = (await good(Promise.resolve(listed))).trim().split("\n");
    const records = lines.map((line) => {
      const [, time = "", record, path = ""] = /^(\S+)  up to record (\d+)  (.*\.backup)$/.exec(line) ?? [];
      expect(Math.abs(Date.parse(time) - statSync(path).mtimeMs)).toBeLessThan(testTimeoutMs);
      return { path, record: Number(record) };
    });
    expect(records.map(({ record }) => record - (records[0]?.record ?? 0))).toEqual([0, 0, 1]);
    // Each of the three by its path, and the newest by its folder.
    const sources = [...records.map(({ path }) => path), join(folder, "all")];
    for (const [at, source] of sources.entries()) {
      const other = newFolder();
      const said = await good(run(other, "restore", source));
      expect(said).toContain(`up to record ${records[Math.min(at, 2)]?.record} `);
      const lines = (await good(run(other, "dump"))).split("\n");
      expect(lines.filter((line) => line.includes('"/new"')).length > 0).toBe(at >= 2);
    }
    const gone = (records[0]?.path ?? "").replace("Z.backup", "1Z.backup");
    expect((await run(newFolder(), "restore", gone)).errors).toContain(" --list' names the others");
    expect((await run(newFolder(), "restore", "all.tar", "--list")).errors).toContain(
      "--list: expected a folder",
    );
  });

  longTest(
    "of two copies of a data folder lie side by side, and one of them is restored by its name",
    async () => {
      const folder = newFolder();
      await fillFolder(join(folder, "data"), 1, 1_000);
      await good(run(folder, "backup", "all/"));
      cpSync(join(folder, "data"), join(folder, "copy"), { recursive: true });
      renameSync(join(folder, "data"), join(folder, "original"));
      renameSync(join(folder, "copy"), join(folder, "data"));
      await good(run(folder, "backup", "all/"));
      const [one = "", two = ""] = readdirSync(join(folder, "all"));
      expect(one.slice(0, 33)).toBe(two.slice(0, 33));
      expect(one).not.toBe(two);
      const other = newFolder();
      const { errors } = await run(other, "restore", join(folder, "all"));
      expect(errors).toContain("several data folders");
      for (const name of [one, two])
        expect(errors).toMatch(
          new RegExp(`${name} \\(1, the newest of 20[\\d-]+T[\\d:.]+Z up to record \\d+\\)`),
        );
      await good(run(other, "restore", join(folder, "all", two)));
    },
  );
});

test("beside a server that stops and starts again meanwhile, a backup says so and what to do", async () => {
  const folder = newFolder();
  const server = await start(folder);
  await server.logIn();
  await server.post("/websites", { hostname: "example.com" });
  const s3 = startS3("backups");
  const { promise, resolve } = Promise.withResolvers<void>();
  s3.ready = promise;
  const command = ["env", ...s3.environment, ...executable];
  const ended = runToEnd(command, folder, ["backup", "s3://backups", "--data", "data"]);
  await until(() => s3.arrivals === 1, "the backup has begun");
  // A start that comes after a deletion removes the files that the backup had pinned.
  await server.delete("/websites/example.com");
  await server.end("SIGTERM");
  await start(folder);
  resolve();
  expect(await ended).toMatchObject({
    exitCode: 2,
    errors: expect.stringMatching(/the server of data stopped meanwhile.*: run the command again/),
  });
  await s3.stop();

  // Another error is the command's own, as long as the server is there.
  const data = join(folder, "data");
  const fails = whileStill(data, async () => {
    throw new Error("its own");
  });
  await expect(fails).rejects.toThrow("its own");
  const expectsKept = whileStill(data, async (_files, expectKept) => {
    await expectKept();
    for (const one of servers.slice(-1)) await one.end("SIGKILL");
    await expectKept();
  });
  await expect(expectsKept).rejects.toThrow("stopped meanwhile");
});

test("a backup is complete and says so where older ones cannot go, and exits with 2", async () => {
  const folder = newFolder();
  await fillFolder(join(folder, "data"), 1, 500);
  await good(run(folder, "backup", "kept/"));
  const list = filesIn(join(folder, "kept"))
    .keys()
    .find((name) => name.endsWith(".backup")) as string;
  writeFileSync(join(folder, "kept", list), "damaged");
  const { exitCode, output, errors } = await run(folder, "backup", "kept/", "--keep", "2");
  expect(output).toStartWith("backed up ");
  expect(errors).toStartWith("footfall: older backups could not be removed: ");
  expect(errors).toContain(`${list} is damaged`);
  expect(exitCode).toBe(2);
});

test("what a backup does not need does not stop it, nor a start; a place in the data folder, or of a file, is refused", async () => {
  const folder = newFolder();
  await fillFolder(join(folder, "data"), 1, 500);
  writeFileSync(join(folder, "data", "chunks", ".DS_Store"), "");
  mkdirSync(join(folder, "kept"));
  symlinkSync("nowhere", join(folder, "kept", "link"));
  await good(run(folder, "backup", "kept/"));
  expect(await good(run(folder, "website", "list"))).toContain(hostname);
  for (const place of ["data", "data/backups/", "data/all.tar"]) {
    const { exitCode, errors } = await run(folder, "backup", place);
    expect([exitCode, errors]).toEqual([2, expect.stringContaining(`${place} is in the data folder`)]);
  }
  await good(run(folder, "backup", "copy"));
  const { exitCode, errors } = await run(folder, "backup", "copy/");
  expect([exitCode, errors]).toEqual([
    2,
    expect.stringContaining(
      "copy is a file, which a backup to the name without a slash makes: expected a folder",
    ),
  ]);
});

describe("backups in a bucket", () => {
  longTest("copy only what is new, are restored, and say what the bucket says", async () => {
    const folder = newFolder();
    await fillFolder(join(folder, "data"), 1, 5_000);
    const s3 = startS3("backups");
    try {
      const command = ["env", ...s3.environment, ...executable];
      const call = (from: string, ...words: string[]) =>
        runToEnd(command, from, [...words, "--data", "data"]);
      await good(call(folder, "backup", "s3://backups/of/me"));
      expect([...s3.objects.keys()].every((key) => key.startsWith("of/me/"))).toBe(true);
      expect(s3.puts).toBeGreaterThan(14);
      s3.puts = 0;
      expect(await good(call(folder, "backup", "s3://backups/of/me/"))).toContain(" 0 bytes of it new");
      // Only the list is new.
      expect(s3.puts).toBe(1);
      await good(call(folder, "website", "add", "new.example"));
      const output = await good(call(folder, "backup", "s3://backups/of/me", "--keep", "1"));
      expect(output).toContain("2 older backups removed");
      const keys = [...s3.objects.keys()];
      expect(keys.filter((key) => key.endsWith(".backup")).length).toBe(1);
      // Each file of the folder is there once: nothing that only older backups named is left.
      expect(keys.filter((key) => /\.(manifest|state)\./.test(key)).length).toBe(2);
      const other = newFolder();
      await good(call(other, "restore", "s3://backups/of/me"));
      expect(await good(run(other, "dump"))).toBe(await good(run(folder, "dump")));

      const [line = ""] = (await good(call(newFolder(), "restore", "s3://backups/of/me", "--list"))).split(
        "\n",
      );
      const path = line.slice(line.indexOf("s3://"));
      expect(await good(call(newFolder(), "restore", path))).toContain("restored");

      const third = newFolder();
      const [key = ""] = [...s3.objects.keys()].filter((name) => name.includes(".state."));
      const bytes = s3.objects.get(key) as Uint8Array;
      s3.objects.set(key, bytes.with(100, (bytes[100] as number) ^ 1));
      expect((await call(third, "restore", "s3://backups/of/me")).errors).toContain(
        `s3://backups/${key} is damaged`,
      );
      s3.objects.delete(key);
      expect((await call(third, "restore", "s3://backups/of/me")).errors).toContain(`${key} is missing`);
      expect((await call(third, "restore", "s3://backups/other")).errors).toContain("has no backup");
      const stranger = ["env", ...s3.environment, "S3_ACCESS_KEY_ID=stranger", ...executable];
      const refused = await runToEnd(stranger, folder, ["backup", "s3://backups", "--data", "data"]);
      expect({ exitCode: refused.exitCode, errors: refused.errors }).toEqual({
        exitCode: 2,
        errors: expect.stringContaining("AccessDenied"),
      });
      expect(readdirSync(third)).toEqual([]);
    } finally {
      await s3.stop();
    }
  });
});

describe("check", () => {
  test("exits with 0, with 1 where something is wrong, and with 2 where it cannot be said", async () => {
    const folder = newFolder();
    expect((await run(folder, "check")).exitCode).toBe(2);
    await fillFolder(join(folder, "data"), 1, 1_000);
    expect(await good(run(folder, "check"))).toMatch(
      /^checked \d+ files \([\d.]+ KB\) and the log up to record \d+: /,
    );
    const chunks = join(folder, "data", "chunks", "1");
    const [chunk = ""] = readdirSync(chunks).filter((name) => name.endsWith(".chunk"));
    flip(join(chunks, chunk), 100);
    const { exitCode, output, errors } = await run(folder, "check");
    const [fault = "", summary] = output.split("\n");
    expect({ exitCode, errors }).toEqual({ exitCode: 1, errors: "" });
    expect(fault).toMatch(new RegExp(`^chunks/1/${chunk}: .* at byte \\d+; put the same file back`));
    expect(summary).toContain("found 1 fault, nothing was changed");
    for (const name of readdirSync(join(folder, "data")))
      if (name.endsWith(".manifest")) rmSync(join(folder, "data", name));
    const lost = await run(folder, "check");
    expect(lost.exitCode).toBe(2);
    expect(lost.errors).toStartWith(
      "footfall: data has a log but no checkpoint: see what 'footfall repair --data data' can keep",
    );
  });
});

describe("restore", () => {
  test("takes an empty folder or none, and refuses any other", async () => {
    const folder = newFolder();
    await fillFolder(join(folder, "data"), 1, 1_000);
    await good(run(folder, "backup", "all.tar"));
    const before = filesIn(join(folder, "data"));
    const { exitCode, errors } = await run(folder, "restore", "all.tar");
    expect({ exitCode, says: errors.includes("data is not empty") }).toEqual({ exitCode: 2, says: true });
    expect(filesIn(join(folder, "data"))).toEqual(before);
    const other = newFolder();
    // The remains of one that was killed while it moved the files to their places.
    for (const name of ["restoring", "wal", "chunks/1"])
      mkdirSync(join(other, "data", name), { recursive: true });
    writeFileSync(join(other, "data", "wal", "0000000000000001.wal"), "");
    await good(run(other, "restore", join(folder, "all.tar")));
    expect(existsSync(join(other, "data", "restoring"))).toBe(false);
  });

  test("says in a line what it cannot open or read, and leaves nothing", async () => {
    const folder = newFolder();
    const data = join(folder, "data");
    const command = executable.join(" ");
    const archive = join(folder, "all.tar");
    writeFileSync(archive, "");
    // Root may read every file, but no socket.
    const listener = Bun.listen({ unix: join(folder, "socket"), socket: { data() {} } });
    const [file, why] =
      process.geteuid?.() === 0
        ? ["socket", "the system refused (ENXIO)"]
        : ["all.tar", "permission is denied"];
    chmodSync(archive, 0);
    for (const [words, refusal] of [
      [`restore ${file}`, `footfall: cannot open ${file}: ${why}`],
      ["restore none.tar", "footfall: cannot open none.tar: there is no such file or folder (ENOENT)"],
      ["restore - < .", "footfall: cannot read standard input: it is a directory (EISDIR)"],
      ["import foo.example - < .", "footfall: cannot read standard input: it is a directory (EISDIR)"],
      ["user add ada < .", "footfall: cannot read standard input: it is a directory (EISDIR)"],
    ]) {
      const { exitCode, errors } = await runToEnd(["sh", "-c"], folder, [
        `FOOTFALL_DATA=data ${command} ${words}`,
      ]);
      expect({ exitCode, lines: errors.split("\n").length, errors }).toEqual({
        exitCode: 2,
        lines: 2,
        errors: expect.stringContaining(refusal ?? ""),
      });
    }
    listener.stop();
    expect(existsSync(data)).toBe(false);
  });

  test("says of a file that begins as no archive, such as a packed one, how it is read", async () => {
    const folder = newFolder();
    await fillFolder(join(folder, "data"), 1, 30);
    await good(run(folder, "backup", "all.tar"));
    writeFileSync(join(folder, "all.tar.gz"), Bun.gzipSync(readFileSync(join(folder, "all.tar"))));
    const { exitCode, errors } = await runToEnd(["sh", "-c"], folder, [
      `FOOTFALL_DATA=new ${executable.join(" ")} restore all.tar.gz`,
    ]);
    expect(exitCode).toBe(2);
    expect(errors).toContain("such as: gzip -dc FILE | footfall restore - --data NEW");
    // The program before the pipe may have failed.
    const { errors: ofNothing } = await runToEnd(["sh", "-c"], folder, [
      `true | FOOTFALL_DATA=new ${executable.join(" ")} restore -`,
    ]);
    expect(ofNothing).toContain("the backup cannot be restored: it is empty");
    expect(existsSync(join(folder, "new"))).toBe(false);
  });

  test("a start refuses a folder in which a restore was interrupted", async () => {
    const folder = newFolder();
    mkdirSync(join(folder, "data", "restoring"), { recursive: true });
    expect((await run(folder, "website", "list")).errors).toContain("not restored to its end");
  });

  test("finds an archive that is cut anywhere, and every flipped bit, and leaves nothing", async () => {
    const folder = newFolder();
    await fillFolder(join(folder, "data"), 1, 300);
    await good(run(folder, "backup", "all.tar"));
    const archive = readFileSync(join(folder, "all.tar"));
    const into = join(folder, "into");
    const restored = (bytes: Uint8Array) =>
      restoreInto(into, (put) => readArchive(streamOf(bytes), put)).then(
        () => "restored",
        (error: Error) => error.constructor.name,
      );
    const places: number[] = [];
    for (let at = 0; at < archive.length; at += 512 + random(2_048)) places.push(at);
    for (const at of someOf(places)) {
      expect(await restored(archive.subarray(0, at))).toBe("Refusal");
      const flipped = Buffer.from(archive);
      flipped[at] = (flipped[at] as number) ^ (1 << random(8));
      expect({ at, outcome: await restored(flipped) }).not.toEqual({ at, outcome: "restored" });
      expect(existsSync(into)).toBe(false);
    }
    expect(await restored(archive)).toBe("restored");
  });

  test("finds each file of a backup folder that is damaged or missing, names it, and leaves nothing", async () => {
    const folder = newFolder();
    await fillFolder(join(folder, "data"), 1, 300);
    await good(run(folder, "backup", "all/"));
    const into = join(folder, "into");
    const failure = () =>
      restoreInto(into, (put) => readStore(new FolderStore(join(folder, "all")), put)).then(
        () => "restored",
        (error: Error) => error.message,
      );
    for (const [name, bytes] of someOf([...filesIn(join(folder, "all"))])) {
      const path = join(folder, "all", name);
      for (const at of [0, random(bytes.length), bytes.length - 1]) {
        flip(path, at);
        expect(await failure()).toContain(name);
        writeFileSync(path, bytes);
      }
      rmSync(path);
      expect(await failure()).toContain(name.endsWith(".backup") ? "has no" : name);
      writeFileSync(path, bytes);
      expect(existsSync(into)).toBe(false);
    }
    expect(await failure()).toBe("restored");
  });
});

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] as number) ^ 4;
  writeFileSync(path, bytes);
}

async function* streamOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000);
}
