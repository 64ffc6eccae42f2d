/** Commands and a start on a disk without room say so. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fillFolder } from "../../bench/folder.ts";
import { systemDisk } from "../../src/lib/disk/disk.ts";
import { command } from "../support/command.ts";
import { useExecutable } from "../support/executable.ts";
import { isThere, nameWith, testWith } from "../support/needs.ts";
import { account, runToEnd, ServerProcess } from "../support/server.ts";
import { fillUp, withSmallDisk } from "../support/small-disk.ts";
import { filesIn, makeSoundFolder } from "../support/sound-folder.ts";

const executable = useExecutable();

test.skipIf(!isThere("mount"))(
  nameWith(
    "mount",
    "commands without a server, and a start that makes the first account, say that the disk is full",
  ),
  () =>
    withSmallDisk(async (top) => {
      const run = (data: string, words: readonly string[], input = "") =>
        runToEnd([executable], top, [...words, "--data", data], input);
      const password = `${account.password}\n`;
      const [data, none] = [join(top, "data"), join(top, "none")];
      expect(await run(data, ["user", "add", "ada"], password)).toMatchObject({ exitCode: 0 });
      expect(await run(none, ["user", "add", "ada"], password)).toMatchObject({ exitCode: 0 });
      expect(await run(none, ["user", "remove", "ada", "--yes"])).toMatchObject({ exitCode: 0 });
      const ballast = join(top, "ballast");
      fillUp(ballast);
      const first = ["--admin-username", "ada", "--admin-password", account.password, "--port", "0"];
      for (const [folder, words, input] of [
        [data, ["user", "add", "grace"], password],
        [data, ["website", "add", "foo.example"], ""],
        [none, first, ""],
      ] as const) {
        const { exitCode, errors } = await run(folder, words, input);
        const said = errors.split("\n").find((line) => line.startsWith("footfall: "));
        expect([exitCode, said]).toEqual([
          2,
          expect.stringMatching(
            /^footfall: cannot .*: the disk is full: free some space, or files .* \(ENOSPC\)$/,
          ),
        ]);
      }
      rmSync(ballast);
      expect(await run(data, ["user", "list"])).toMatchObject({
        exitCode: 0,
        output: expect.not.stringContaining("grace"),
      });
    }),
);

testWith("mount", "a backup on the disk of the data is refused where hits would be, and leaves nothing", () =>
  withSmallDisk(async (top) => {
    await fillFolder(join(top, "data"), 1, 60_000);
    const run = (place: string) => runToEnd([executable], top, ["backup", place, "--data", "data"]);
    const free = () => systemDisk.freeBytes(top);
    const ballast = (left: number) => writeFileSync(join(top, "ballast"), new Uint8Array(free() - left));
    const data = systemDisk.sizesBelow(join(top, "data")).values();
    const bytes = data.reduce((sum, size) => sum + size, 0);
    const refused = async (text: string) => {
      const before = free();
      for (const place of ["kept/", "all.tar"]) {
        const { exitCode, errors } = await run(place);
        expect([exitCode, errors]).toEqual([2, expect.stringMatching(new RegExp(`^footfall: .* ${text}`))]);
      }
      expect(readdirSync(join(top, "kept"))).toEqual([]);
      expect(readdirSync(top).sort()).toEqual(["ballast", "data", "kept"]);
      expect(free()).toBeGreaterThan(before - 100_000);
    };
    ballast(bytes >> 1);
    await refused("has \\d+ free bytes: the backup takes \\d+\\n$");
    const server = await ServerProcess.start([executable], top, ["--data", "data"]);
    try {
      rmSync(join(top, "ballast"));
      ballast(bytes + 1_000_000);
      await refused("has \\d+ free bytes: the backup takes \\d+, and the server needs \\d+ on the same disk");
      rmSync(join(top, "ballast"));
      ballast(bytes + 6_000_000);
      expect(await run("kept/")).toMatchObject({ exitCode: 0 });
      rmSync(join(top, "kept"), { recursive: true });
      expect(await run("all.tar")).toMatchObject({ exitCode: 0 });
    } finally {
      await server.end("SIGKILL");
    }
  }),
);

testWith("mount", "a repair whose copies have no room changes nothing, and leaves none of them", () =>
  withSmallDisk(async (top) => {
    const [data, ballast] = [join(top, "data"), join(top, "ballast")];
    await makeSoundFolder(data);
    const chunks = filesIn(data).filter((name) => /2025-12.*chunk$/.test(name));
    for (const name of chunks)
      writeFileSync(join(data, name), readFileSync(join(data, name)).fill(1, 200, 210));
    const before = filesIn(data);
    fillUp(ballast);
    for (let round = 0; round < 2; round++)
      expect(await command(data, "repair", "--accept-loss")).toMatchObject({
        exitCode: 2,
        printed: expect.stringContaining("the disk is full"),
      });
    expect(readdirSync(top).sort()).toEqual(["ballast", "data"]);
    expect(filesIn(data)).toEqual(before);
    rmSync(ballast);
    expect(await command(data, "repair", "--accept-loss")).toMatchObject({ exitCode: 0 });
  }),
);
