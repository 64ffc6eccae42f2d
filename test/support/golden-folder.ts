/**
 * A small data folder that contains some of everything, and the questions whose answers are stored beside it: two
 * websites with half a year of random traffic, sealed chunks in files, properties, hits that wait for their load,
 * accounts and sessions, two checkpoints, and a tail of the log that no checkpoint includes.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { dimensions } from "../../src/core/questions/dimension.ts";
import { dayMs } from "../../src/core/hit.ts";
import type { Filter, Question } from "../../src/core/questions/query.ts";
import type { OpenOptions } from "../../src/engine/options/options.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import type { LogRecord } from "../../src/record/record.ts";
import { seededRandom } from "./clock.ts";
import { MemoryDisk } from "./memory-disk.ts";
import { memoryIo } from "./memory-io.ts";
import { openFolder } from "./open-folder.ts";
import { randomFrom } from "./random.ts";
import { Traffic, trafficStartMs, websiteIds } from "./traffic.ts";

const recordCount = 2_500;
/** As many records have a checkpoint of their own. */
const checkpointRecords = 600;

export interface KeptAnswer {
  readonly websiteId: number;
  readonly question: Question;
  readonly answer: unknown;
}

export function openGolden(folder: string, more: Partial<OpenOptions> = {}): Promise<RunningEngine> {
  return openFolder(folder, { random: seededRandom(3), ...more });
}

/** The files of such a folder, by their paths in it, as the server leaves them when its power goes. */
export async function goldenFiles(): Promise<Map<string, Uint8Array>> {
  const disk = new MemoryDisk();
  const engine = await openGolden("/data", { io: memoryIo(disk), checkpointRecords });
  for (const record of accounts) await engine.commit(record);
  const traffic = new Traffic(randomFrom(11));
  for (const record of traffic.thatStay(recordCount)) await engine.commit(record);
  for (const record of changes(traffic.timeMs)) await engine.commit(record);
  return new Map([...disk.files].map(([path, bytes]) => [path.slice("/data/".length), bytes]));
}

/**
 * The kept folders are here: `folder-<format>`, and `months-<format of their files>` with months without rows. Beside each
 * is a `.jsonl` with an answer a line.
 */
export const goldenTop = join(import.meta.dir, "..", "golden");

/**
 * The names of all kept folders. What a format may have grows without another number (docs/formats.md): a name may go on
 * after it, `folder-2-before-screens`, where a release wrote less.
 */
export function goldenNames(kind: "folder" | "format" | "months"): string[] {
  return readdirSync(goldenTop, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name.startsWith(`${kind}-`))
    .map(({ name }) => name)
    .sort();
}

/** A disk with a kept folder as `/data`. */
export function goldenDisk(name: string): MemoryDisk {
  const disk = new MemoryDisk();
  const folder = join(goldenTop, name);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    disk.put(join("/data", relative(folder, path)), new Uint8Array(readFileSync(path)));
  }
  return disk;
}

/** Asks the engine everything that is worth asking. */
export async function goldenAnswers(engine: RunningEngine): Promise<KeptAnswer[]> {
  return answersTo(
    engine,
    websiteIds.flatMap((websiteId) => goldenQuestions().map((question) => ({ websiteId, question }))),
  );
}

export async function answersTo(
  engine: RunningEngine,
  asked: readonly Omit<KeptAnswer, "answer">[],
): Promise<KeptAnswer[]> {
  const answers: KeptAnswer[] = [];
  for (const { websiteId, question } of asked) {
    const { json } = await engine.ask(websiteId, question);
    answers.push({ websiteId, question, answer: JSON.parse(json) });
  }
  return answers;
}

const timeMs = trafficStartMs;
const accounts: readonly LogRecord[] = [
  { kind: "userAdded", timeMs, userId: 1, username: "Ada", passwordHash: "$argon2id$x", firstOnly: true },
  { kind: "userAdded", timeMs, userId: 2, username: "Grace", passwordHash: "$argon2id$y", firstOnly: false },
  { kind: "websiteAdded", timeMs, websiteId: 1, userId: 1, hostname: "example.com" },
  { kind: "websiteAdded", timeMs, websiteId: 2, userId: 2, hostname: "example.org" },
  { kind: "websiteAdded", timeMs, websiteId: 3, userId: 2, hostname: "gone.example" },
  session("a", 1, timeMs),
];

function session(sessionId: string, userId: number, timeMs: number): LogRecord {
  return {
    kind: "sessionStarted",
    timeMs,
    sessionId,
    userId,
    tokenHash: `hash of ${sessionId}`,
    browser: "Firefox",
    os: "Linux",
  };
}

function changes(timeMs: number): LogRecord[] {
  return [
    session("b", 2, timeMs),
    {
      kind: "userChanged",
      timeMs,
      userId: 1,
      username: "Ada L.",
      passwordHash: null,
      keepSessionId: "",
      language: "de",
      scriptType: ["default", "hash-routes"],
    },
    { kind: "websiteRenamed", timeMs, websiteId: 2, hostname: "shop.example.org" },
    { kind: "unload", timeMs, websiteId: 0, beacon: "to come", visibleMs: 12_345 },
    {
      kind: "event",
      timeMs,
      websiteId: 0,
      beacon: "to come",
      values: null,
      properties: [["plan", "größer"]],
    },
  ];
}

function goldenQuestions(): Question[] {
  const period = { startMs: trafficStartMs - 200 * dayMs, endMs: trafficStartMs + 200 * dayMs };
  const inGermany: Filter = { name: "country", operator: "eq", operands: ["Germany"] };
  const ofPlan: Filter = { name: "prop_name", operator: "eq", operands: ["plan"] };
  const page = { period, filters: [] as readonly Filter[], limit: 12, offset: 0 };
  const labelling = { summary: false, grouped: false, locale: false };
  const summary = { list: "summary" as const, period, previous: false, timezone: "Europe/Berlin", nowMs: 0 };
  return [
    ...dimensions.map(({ list }) => ({ ...page, ...labelling, list })),
    { ...page, ...labelling, list: "pages", filters: [inGermany] },
    { ...page, ...labelling, list: "referrers", grouped: true },
    { ...page, ...labelling, list: "languages", locale: true },
    { ...page, list: "time", summary: false },
    { ...page, list: "properties" },
    { ...page, list: "properties", filters: [ofPlan] },
    { ...summary, filters: [], interval: "month" },
    { ...summary, filters: [inGermany] },
  ];
}

/** Writes a kept folder anew. */
export function keepGolden(name: string, files: ReadonlyMap<string, Uint8Array>): void {
  rmSync(join(goldenTop, name), { recursive: true, force: true });
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(goldenTop, name, path)), { recursive: true });
    writeFileSync(join(goldenTop, name, path), bytes);
  }
}
