/** Commands and a start on a disk without room say so. */
import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { isThere, nameWith } from "../support/needs.ts";
import { account, fromSource, runToEnd } from "../support/server.ts";
import { fillUp, withSmallDisk } from "../support/small-disk.ts";

test.skipIf(!isThere("mount"))(
  nameWith(
    "mount",
    "commands without a server, and a start that makes the first account, say that the disk is full",
  ),
  () =>
    withSmallDisk(async (top) => {
      const run = (data: string, words: readonly string[], input = "") =>
        runToEnd(fromSource, top, [...words, "--data", data], input);
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
            /^footfall: this could not be stored: cannot .*: the disk is full: free some space, or files .* \(ENOSPC\)$/,
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
