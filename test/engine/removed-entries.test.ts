/** Entries that are removed from an account or a website leave every file within a minute, by real timers that are moved by hand. */
import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import type { LogRecord } from "../../src/record/record.ts";
import {
  funnelAdded,
  funnelRemoved,
  goalAdded,
  goalRemoved,
  invitationAdded,
  linkAdded,
  linkRemoved,
  noteAdded,
  noteChanged,
  noteRemoved,
  segmentAdded,
  segmentRemoved,
  subscriptionAdded,
  secondFactorChanged,
  sessionStarted,
  tokenAdded,
  userAdded,
  websiteAdded,
  websiteAliases,
  websiteRules,
} from "../support/account-records.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { memoryIo } from "../support/memory-io.ts";
import { load, noonMs } from "../support/records.ts";
import { turns } from "../support/turns.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const secret = "192.0.2.77";
const ofWebsite = { timeMs: noonMs, websiteId: 1 };
const webhook = { format: "json", target: `https://${secret}/` } as const;

/** Each with the record that adds it, and the one that removes it. */
const removals: readonly (readonly [what: string, added: LogRecord, removed: LogRecord])[] = [
  ["a note", { ...noteAdded(1, 1), text: secret }, noteRemoved(1, 1)],
  ["a link", linkAdded(1, "l", { name: secret }), linkRemoved(1, "l")],
  ["a segment", { ...segmentAdded(1, 1), name: secret }, segmentRemoved(1, 1)],
  ["a saved funnel", { ...funnelAdded(1, 1), steps: ["page:/", `page:/${secret}`] }, funnelRemoved(1, 1)],
  ["a goal", goalAdded(1, 1, { name: secret }), goalRemoved(1, 1)],
  ["an API token", tokenAdded("t", { name: secret }), { kind: "tokenRemoved", timeMs: noonMs, tokenId: "t" }],
  [
    "an invitation",
    invitationAdded(1, "i", { tokenHash: secret }),
    { kind: "invitationRemoved", ...ofWebsite, invitationId: "i" },
  ],
  ["a second factor", secondFactorChanged(1, { secret, keepSessionId: "s" }), secondFactorChanged(1)],
  ["another hostname", websiteAliases(1, [secret]), websiteAliases(1, [])],
  ["a blocked network", websiteRules(1, { networks: [secret] }), websiteRules(1, { networks: [] })],
  [
    "a webhook",
    subscriptionAdded(1, 1, webhook),
    { kind: "subscriptionRemoved", ...ofWebsite, subscriptionId: 1 },
  ],
];

async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    jest.advanceTimersByTime(1_000);
    await turns();
  }
}

const isInFile = (disk: MemoryDisk) =>
  disk.files.values().some((bytes) => Buffer.from(bytes).includes(secret));

async function open(disk: MemoryDisk) {
  const io = memoryIo(disk);
  let checkpoints = 0;
  const writeCheckpoint: typeof io.writeCheckpoint = (...given) => (
    checkpoints++,
    io.writeCheckpoint(...given)
  );
  const engine = await openInMemory(disk, { io: { ...io, writeCheckpoint } });
  return { engine, checkpoints: () => checkpoints };
}

async function filled(added: LogRecord) {
  const disk = new MemoryDisk();
  const opened = await open(disk);
  for (const record of [userAdded(1, "ada"), sessionStarted("s"), websiteAdded(1, "a.example"), added])
    expect(await opened.engine.commit(record)).toBe("done");
  await opened.engine.purge();
  return { disk, ...opened };
}

test.each(removals)("%s", async (_, added, removed) => {
  const { disk, engine } = await filled(added);
  expect(isInFile(disk)).toBeTrue();
  expect(await engine.commit(removed)).toBe("done");
  await pass(60);
  expect(isInFile(disk)).toBeFalse();
  engine.check();
  await engine.stop();
});

test("a start after a crash removes it, too", async () => {
  const { disk, engine } = await filled({ ...noteAdded(1, 1), text: secret });
  await engine.commit(noteRemoved(1, 1));
  const crashed = disk.clone();
  const again = await open(crashed);
  await turns();
  expect(isInFile(crashed)).toBeFalse();
  await again.engine.stop();
  await engine.stop();
});

test("a disk that fails at first has it removed within a minute, without another removal", async () => {
  const { disk, engine } = await filled({ ...noteAdded(1, 1), text: secret });
  await engine.commit(noteRemoved(1, 1));
  disk.failAt({ call: 1, code: "EIO" });
  await pass(60);
  expect(isInFile(disk)).toBeFalse();
  await engine.stop();
});

test("removals one after the other make a checkpoint every twenty seconds at most, and what removes nothing makes none", async () => {
  const { disk, engine, checkpoints } = await filled({ ...noteAdded(1, 1), text: secret });
  const before = checkpoints();
  await engine.commit(noteChanged(1, 1, { text: "another text" }));
  await engine.commit(load("b"));
  await pass(120);
  expect(checkpoints()).toBe(before);
  await engine.commit(noteRemoved(1, 1));
  for (let noteId = 2; noteId < 62; noteId++) {
    await engine.commit(noteAdded(1, noteId));
    await engine.commit(noteRemoved(1, noteId));
    await pass(1);
  }
  expect(isInFile(disk)).toBeFalse();
  expect(checkpoints() - before).toBeWithin(2, 5);
  await engine.stop();
});
