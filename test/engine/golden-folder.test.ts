/**
 * A data folder of each format with something of everything, kept as the program of its time left it, and the answers
 * that it gave (support/golden-folder.ts): every later program gives the same, before and after it has written the
 * folder in its own way. `FOOTFALL_GOLDEN=write` makes that of today's format anew, while no
 * release has written one.
 */
import { expect, test } from "bun:test";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { snapshotFormat } from "../../src/snapshot/section.ts";
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
import { testTimeoutMs } from "../support/timeout.ts";

const hostnames = ["example.com", "shop.example.org", "gone.example"];

function keptAnswers(name: string): readonly KeptAnswer[] {
  const lines = readFileSync(join(goldenTop, `${name}.jsonl`), "utf8")
    .trimEnd()
    .split("\n");
  return lines.map((line) => JSON.parse(line));
}

/** Leaves the folder as a kill does: nothing is written at the end. */
async function write(): Promise<void> {
  const golden = join(goldenTop, `folder-${snapshotFormat}`);
  rmSync(golden, { recursive: true, force: true });
  for (const [path, bytes] of await goldenFiles()) {
    mkdirSync(dirname(join(golden, path)), { recursive: true });
    writeFileSync(join(golden, path), bytes);
  }
  await withFolder(async (folder) => {
    cpSync(golden, folder, { recursive: true });
    const engine = await openGolden(folder);
    const lines = (await goldenAnswers(engine)).map((answer) => JSON.stringify(answer));
    await engine.stop();
    writeFileSync(`${golden}.jsonl`, `${lines.join("\n")}\n`);
  });
}

if (process.env["FOOTFALL_GOLDEN"] === "write") await write();

test("there is a folder of every format", () => {
  const formats = goldenNames("folder").map((name) => Number.parseInt(name.slice("folder-".length)));
  expect([...new Set(formats)]).toEqual(Array.from({ length: snapshotFormat }, (_, before) => before + 1));
});

// The other one has months without rows, in the first format of their files.
test.each([...goldenNames("folder"), "months-1"])(
  "%s has the answers that it had, and keeps them",
  (name) =>
    withFolder(async (folder) => {
      const kept = keptAnswers(name);
      cpSync(join(goldenTop, name), folder, { recursive: true });
      // As it is; after a clean stop, with what that has written; and after a checkpoint that writes what it must anew.
      for (const round of ["as it was", "stopped", "purged"]) {
        const engine = await openGolden(folder);
        engine.check();
        expect([round, await answersTo(engine, kept)]).toEqual([round, [...kept]]);
        const { users, websites, sessions } = engine.registry.save();
        expect(users.map(({ username }) => username)).toEqual(["Ada L.", "Grace"]);
        expect(websites.map(({ hostname }) => hostname)).toEqual(hostnames);
        expect(sessions.map(({ sessionId }) => sessionId)).toEqual(["b"]);
        if (round === "stopped") await engine.purge();
        await engine.stop();
      }
    }),
  testTimeoutMs,
);
