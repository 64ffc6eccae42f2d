/**
 * The promise that formats grow: a program whose tables have one more dimension in two tuples, one in a column of its own,
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
import { someOf } from "../support/rounds.ts";
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

type Answers = Record<"first" | "again" | "last" | "grown", Found> & {
  /** Before and after the months of the kept folder, and the one after it, gave up their rows. */
  readonly months: Record<"before" | "after", Found["lists"]>;
};

/** By the rows of the table of columns in grown-tree.ts: of files from before it, and of rows that came since. */
const [extraBefore, extraNow] = [7, 0];

function filesOf(folder: string): [path: string, hash: string][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "LOCK")
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => [path, new Bun.CryptoHasher("sha256").update(readFileSync(path)).digest("hex")]);
}

function valuesIn(
  found: Pick<Found, "lists">,
  list: string,
  field: string,
): (string | number | undefined)[][] {
  return found.lists
    .filter(({ question }) => question.list === list)
    .map(({ answer }) => answer.map((row) => row[field]));
}

// The last one has months without rows, of which nobody can tell more than that they are from before.
test.each(someOf([...goldenNames("folder"), "months-1"]))(
  "%s is opened by a program whose tables have grown",
  (name) =>
    withFolder(async (folder) => {
      const program = grownTree(folder)("grown-program.ts");
      const data = join(folder, "data");
      cpSync(join(goldenTop, name), data, { recursive: true });
      const answers = join(goldenTop, `${name}.jsonl`);
      const { stdout, stderr, exitCode } = Bun.spawnSync([process.execPath, program, data, answers]);
      expect([exitCode, stderr.toString()]).toEqual([0, ""]);
      const { months, ...found }: Answers = JSON.parse(stdout.toString());
      for (const round of ["first", "again", "last"] as const) {
        expect([round, found[round].isSame]).toEqual([round, true]);
        // Everything is under what the line says.
        for (const { name, list, before } of grownDimensions)
          expect(valuesIn(found[round], list, name)).toEqual(websiteIds.map(() => [before]));
        const extras = name === "months-1" ? [] : [extraBefore, extraNow];
        expect(new Set(found[round].extras.flat())).toEqual(new Set(extras));
      }
      for (const { name, list, before, now } of grownDimensions)
        expect(valuesIn(found.grown, list, name)).toEqual(websiteIds.map(() => [before, now]));
      // Months without rows say what their rows said, those that have the new dimensions beside those that have not.
      for (const [at, { question, answer }] of months.before.entries())
        expect([question, months.after[at]?.answer]).toEqual([question, answer]);
      // The imported month, whose record knows fewer members of a source than the table has.
      expect(valuesIn({ lists: months.after }, "referrers", "referrer")).toContainEqual([
        "a.example",
        "b.example",
      ]);
      expect(valuesIn({ lists: months.after }, "channels", "channel")).toContainEqual(["Referral"]);
      for (const { name, list, before, now } of grownDimensions)
        expect(new Set(valuesIn({ lists: months.after }, list, name).map(String))).toEqual(
          new Set([`${before},${now}`, before, now]),
        );

      // And this one, which knows less, leaves alone what that one wrote.
      const before = filesOf(data);
      const opening = openGolden(data);
      await expect(opening).rejects.toBeInstanceOf(FolderRefused);
      await expect(opening).rejects.toThrow(
        "was written by a newer Footfall (it has screen among its dimensions, this one does not): start that version",
      );
      expect(filesOf(data)).toEqual(before);
    }),
);
