/**
 * The promise that formats grow: a program whose tables have one more dimension in a tuple, one in a column of its own,
 * one more field on every kind of record, one more column and one more flag opens the kept folders with the answers that
 * they had. It runs as a process of its own, from a copy of the source (support/grown-tree.ts).
 */
import { expect, test } from "bun:test";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FolderRefused } from "../../src/engine/refused.ts";
import { withFolder } from "../support/folder.ts";
import { goldenNames, goldenTop, openGolden } from "../support/golden-folder.ts";
import { grownDimensions, grownTree } from "../support/grown-tree.ts";
import { testTimeoutMs } from "../support/timeout.ts";
import { websiteIds } from "../support/traffic.ts";

interface Row {
  readonly visitors: number;
  readonly [field: string]: string | number;
}

interface Found {
  /** The kept questions have the kept answers. */
  readonly isSame: boolean;
  /** The lists of the new dimensions, website by website. */
  readonly lists: readonly {
    readonly question: { readonly list: string };
    readonly answer: readonly Row[];
  }[];
  /** The values of the new column, by chunk. */
  readonly extras: readonly (readonly number[])[];
}

/** By the rows of the table of columns in grown-tree.ts: of files from before it, and of rows that came since. */
const [extraBefore, extraNow] = [7, 0];

function filesOf(folder: string): [path: string, hash: string][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "LOCK")
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => [path, new Bun.CryptoHasher("sha256").update(readFileSync(path)).digest("hex")]);
}

function valuesIn(found: Found, list: string, field: string): (string | number | undefined)[][] {
  return found.lists
    .filter(({ question }) => question.list === list)
    .map(({ answer }) => answer.map((row) => row[field]));
}

test.each(goldenNames("folder"))(
  "%s is opened by a program whose tables have grown",
  (name) =>
    withFolder(async (folder) => {
      const program = grownTree(folder)("grown-program.ts");
      const data = join(folder, "data");
      cpSync(join(goldenTop, name), data, { recursive: true });
      const answers = join(goldenTop, `${name}.jsonl`);
      const { stdout, stderr, exitCode } = Bun.spawnSync([process.execPath, program, data, answers]);
      expect([exitCode, stderr.toString()]).toEqual([0, ""]);
      const found: Record<"first" | "again" | "last" | "grown", Found> = JSON.parse(stdout.toString());
      for (const round of ["first", "again", "last"] as const) {
        expect([round, found[round].isSame]).toEqual([round, true]);
        // Everything is under what the line says.
        for (const { name, list, before } of grownDimensions)
          expect(valuesIn(found[round], list, name)).toEqual(websiteIds.map(() => [before]));
        expect(new Set(found[round].extras.flat())).toEqual(new Set([extraBefore, extraNow]));
      }
      for (const { name, list, before, now } of grownDimensions)
        expect(valuesIn(found.grown, list, name)).toEqual(websiteIds.map(() => [before, now]));

      // And this one, which knows less, leaves alone what that one wrote.
      const before = filesOf(data);
      const opening = openGolden(data);
      await expect(opening).rejects.toBeInstanceOf(FolderRefused);
      await expect(opening).rejects.toThrow(
        "was written by a newer Footfall (it has screen among its dimensions, this one does not): start that version",
      );
      expect(filesOf(data)).toEqual(before);
    }),
  testTimeoutMs,
);
