/**
 * A data folder of each format with something of everything, kept as the program of its time left it, and the answers
 * that it gave (support/golden-folder.ts): every later program gives the same, before and after it has written the
 * folder in its own way. Those called `months` have months without rows, and from the format 2 of their files on also goals.
 * `FOOTFALL_GOLDEN=write` makes those of today's formats anew, while no release has written one.
 */
import { expect, test } from "bun:test";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunningEngine } from "../../src/engine/running.ts";
import { snapshotFormat } from "../../src/snapshot/section.ts";
import { reducedFormat } from "../../src/store/state/reduced-month.ts";
import { withFolder } from "../support/folder.ts";
import {
  answersTo,
  goldenAnswers,
  goldenFiles,
  goldenNames,
  goldenTop,
  openGolden,
  type KeptAnswer,
} from "../support/golden-folder.ts";
import { keepGolden } from "../support/golden-folder.ts";
import { goldenMonthAnswers, goldenMonthFiles } from "../support/golden-months.ts";

const hostnames = ["example.com", "shop.example.org", "gone.example"];

function keptAnswers(name: string): readonly KeptAnswer[] {
  const lines = readFileSync(join(goldenTop, `${name}.jsonl`), "utf8")
    .trimEnd()
    .split("\n");
  // The questions of earlier versions call the id of a goal so.
  return lines.map((line) => JSON.parse(line.replaceAll('"goalId":', '"id":')));
}

async function write(
  name: string,
  files: ReadonlyMap<string, Uint8Array>,
  answersOf: (engine: RunningEngine) => Promise<KeptAnswer[]>,
): Promise<void> {
  const golden = join(goldenTop, name);
  keepGolden(name, files);
  await withFolder(async (folder) => {
    cpSync(golden, folder, { recursive: true });
    const engine = await openGolden(folder);
    const lines = (await answersOf(engine)).map((answer) => JSON.stringify(answer));
    await engine.stop();
    writeFileSync(`${golden}.jsonl`, `${lines.join("\n")}\n`);
  });
}

if (process.env["FOOTFALL_GOLDEN"] === "write") {
  await write(`folder-${snapshotFormat}`, await goldenFiles(), goldenAnswers);
  await write(`months-${reducedFormat}`, await goldenMonthFiles(), goldenMonthAnswers);
}

/** Returns answers without what summaries say since then of when the figures begin. */
function figuresOf(answers: readonly KeptAnswer[]): unknown {
  const text = JSON.stringify(answers, (name, value: unknown) =>
    name === "recorded_from" ? undefined : value,
  );
  return JSON.parse(text);
}

function formatsOf(kind: "folder" | "months"): number[] {
  const formats = goldenNames(kind).map((name) => Number.parseInt(name.slice(`${kind}-`.length)));
  return [...new Set(formats)];
}

test("there is a folder of every format", () => {
  expect(formatsOf("folder")).toEqual(Array.from({ length: snapshotFormat }, (_, before) => before + 1));
});

test("there is a folder with months without rows of every format of their files", () => {
  expect(formatsOf("months")).toEqual(Array.from({ length: reducedFormat }, (_, before) => before + 1));
});

test.each([...goldenNames("folder"), ...goldenNames("months")])(
  "%s has the answers that it had, and keeps them",
  (name) =>
    withFolder(async (folder) => {
      const kept = keptAnswers(name);
      cpSync(join(goldenTop, name), folder, { recursive: true });
      // As it is; after a clean stop, with what that has written; and after a checkpoint that writes what it must anew.
      for (const round of ["as it was", "stopped", "purged"]) {
        const engine = await openGolden(folder);
        engine.check();
        expect([round, figuresOf(await answersTo(engine, kept))]).toEqual([round, figuresOf(kept)]);
        const { users, websites, sessions } = engine.registry.save();
        expect(users.map(({ username }) => username)).toEqual(["Ada L.", "Grace"]);
        expect(websites.map(({ hostname }) => hostname)).toEqual(hostnames);
        expect(sessions.map(({ sessionId }) => sessionId)).toEqual(["b"]);
        if (round === "stopped") await engine.purge();
        await engine.stop();
      }
    }),
);
