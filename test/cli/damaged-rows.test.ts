/** Commands that read a folder without a server, and find damage in finished rows. */
import { beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemDisk } from "../../src/lib/disk/disk.ts";
import { TestClock } from "../support/clock.ts";
import { middleOfSection } from "../support/damage.ts";
import { useExecutable } from "../support/executable.ts";
import { useFolder } from "../support/folder.ts";
import { openFolder } from "../support/open-folder.ts";
import { imported } from "../support/records.ts";
import { runToEnd } from "../support/server.ts";
import { addWebsites } from "../support/websites.ts";

const executable = [useExecutable()];
const folder = useFolder();
const nowMs = Date.UTC(2026, 6, 15);

/** Both checkpoints name the same file of the rows of March. */
beforeAll(async () => {
  const data = join(folder, "data");
  const engine = await openFolder(data, { clock: new TestClock(nowMs) });
  await addWebsites(engine, "a.example");
  await engine.commit(imported([Date.UTC(2026, 2, 3), Date.UTC(2026, 2, 4)], { timeMs: nowMs }));
  for (let time = 0; time < 4; time++) await engine.purge();
  await engine.stop();
  const chunks = join(data, "chunks", "1");
  const [name, ...others] = readdirSync(chunks).filter((name) => name.startsWith("2026-03"));
  expect(others).toEqual([]);
  const path = join(chunks, name!);
  const bytes = readFileSync(path);
  bytes[middleOfSection(systemDisk, path, "time")]! ^= 1;
  writeFileSync(path, bytes);
});

test.each([
  "dump",
  "export a.example",
  "stats a.example --period 2026-03",
  "website purge a.example --from 2026-03-01T00:00:00Z --dry-run",
])("%s says it in a line", async (words) => {
  const { exitCode, errors } = await runToEnd(executable, folder, [...words.split(" "), "--data", "data"]);
  expect(errors).toMatch(
    /^footfall: chunks\/1\/2026-03\S+\.chunk: wrong section checksum at byte \d+: restore a backup of the folder, or see what 'footfall repair --data data' can keep; .*\n$/,
  );
  expect(exitCode).toBe(2);
});
