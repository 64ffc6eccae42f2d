/**
 * A very small data folder of each format, kept as it was written: today's program opens all of them with the same
 * answers, and writes that of today's format with the same bytes from the same records. `FOOTFALL_GOLDEN=write` makes
 * that one anew, which only a format that no release has may need.
 */
import { expect, test } from "bun:test";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { LogRecord } from "../../src/record/record.ts";
import { snapshotFormat } from "../../src/snapshot/section.ts";
import type { Site } from "../../src/store/state/site.ts";
import { answerList, answerProperties, answerTime } from "../support/answers.ts";
import { withFolder } from "../support/folder.ts";
import { goldenNames, goldenTop, keepGolden, openGolden } from "../support/golden-folder.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { memoryIo } from "../support/memory-io.ts";
import { event, load, noonMs, unload, valuesOf } from "../support/records.ts";

const everything = { period: { startMs: -Infinity, endMs: Infinity }, filters: [], limit: 10, offset: 0 };

const records: readonly LogRecord[] = [
  { kind: "userAdded", timeMs: noonMs, userId: 1, username: "Ada", passwordHash: "hash", firstOnly: true },
  { kind: "websiteAdded", timeMs: noonMs, websiteId: 1, userId: 1, hostname: "example.com" },
  {
    kind: "sessionStarted",
    timeMs: noonMs,
    sessionId: "s",
    userId: 1,
    tokenHash: "t",
    browser: "Firefox",
    os: "Linux",
  },
  load("a", { values: valuesOf("/caf%C3%A9"), properties: [["plan", "größer"]] }),
  unload("a", { timeMs: noonMs + 9_000, visibleMs: 7_500 }),
  load("b", { timeMs: noonMs + 20_000, unique: false, values: valuesOf("/👣") }),
  event("b", { timeMs: noonMs + 21_000, properties: [["__proto__", ""]] }),
  event("early", { timeMs: noonMs + 22_000, values: valuesOf("/early") }),
  unload("early too", { timeMs: noonMs + 23_000, websiteId: 0, visibleMs: 5 }),
  load("c", { timeMs: Date.UTC(2026, 1, 20), values: valuesOf("/february") }),
];

/** The files of a folder that was given the records, two checkpoints, and two page views after them. */
async function written(): Promise<Map<string, Uint8Array>> {
  const disk = new MemoryDisk();
  const engine = await openGolden("/data", { io: memoryIo(disk) });
  for (const record of records) await engine.commit(record);
  // The first seals what is over, the second says so.
  for (let round = 0; round < 2; round++) await engine.purge();
  for (const beacon of ["d", "e"]) await engine.commit(load(beacon, { timeMs: noonMs + 30_000 }));
  return new Map([...disk.files].map(([path, bytes]) => [path.slice("/data/".length), bytes]));
}

function answers(site: Site): unknown {
  const options = { summary: false, grouped: true, locale: false };
  return {
    pages: answerList(site, { ...everything, ...options, list: "pages" }).map((row) => [
      row["path"],
      row["pageviews"],
      row["duration"],
    ]),
    time: answerTime(site, { ...everything, list: "time", summary: true }),
    properties: answerProperties(site, { ...everything, list: "properties" }).map(({ name, events }) => [
      name,
      events,
    ]),
  };
}

test("the same records are the same bytes", async () => {
  const name = `format-${snapshotFormat}`;
  const golden = join(goldenTop, name);
  const files = await written();
  if (process.env["FOOTFALL_GOLDEN"] === "write") keepGolden(name, files);
  const kept = readdirSync(golden, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = kept.map((entry) => join(entry.parentPath, entry.name).slice(golden.length + 1));
  expect([...files.keys()].sort()).toEqual(paths.sort());
  for (const [path, bytes] of files) expect(readFileSync(join(golden, path)).equals(bytes)).toBeTrue();
});

test.each(goldenNames("format"))("the kept folder %s opens with the answers that it had", (name) =>
  withFolder(async (folder) => {
    cpSync(join(goldenTop, name), folder, { recursive: true });
    const engine = await openGolden(folder);
    const chunks = [...(engine.site(1) as Site).chunks.values()];
    expect(chunks.map(({ sealed, resident }) => [sealed, resident])).toEqual([
      [false, true],
      [true, false],
    ]);
    engine.check();
    expect(answers(engine.site(1) as Site)).toEqual({
      pages: [
        ["/", 2, 0],
        ["/caf%C3%A9", 1, 7_500],
        ["/february", 1, 0],
        ["/👣", 1, 0],
      ],
      time: [{ path: "/caf%C3%A9", duration: 7_500, duration_percentage: 100 }],
      properties: [
        ["__proto__", 1],
        ["plan", 1],
        ["signup", 1],
      ],
    });
    expect(engine.registry.userByName("ada")?.userId).toBe(1);
    expect(await engine.commit(load("a", { timeMs: noonMs + 40_000 }))).toBe("duplicate");
    expect(await engine.commit(load("early", { timeMs: noonMs + 41_000 }))).toBe("done");
    expect(await engine.commit(unload("b", { timeMs: noonMs + 42_000, visibleMs: 1 }))).toBe("done");
    await engine.stop();
  }),
);
