/**
 * Nodes of several versions compare their digests where the forms are equal: a program that makes another digest of the same
 * folder has to say so by another form, or its nodes would stop each other in the middle of an upgrade.
 */
import { expect, test } from "bun:test";
import { digestForm, digestOf } from "../../src/engine/log/state-digest.ts";
import type { LogRecord } from "../../src/record/record.ts";
import {
  goalAdded,
  invitationAdded,
  linkAdded,
  noteAdded,
  segmentAdded,
  funnelAdded,
  secondFactorChanged,
  sessionStarted,
  subscriptionAdded,
  tokenAdded,
  userAdded,
  websiteAdded,
  websiteAliases,
  websiteRules,
} from "../support/account-records.ts";
import { TestClock } from "../support/clock.ts";
import { goldenDisk, goldenNames, openGolden } from "../support/golden-folder.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { memoryIo } from "../support/memory-io.ts";

/**
 * If only the digests changed, `digestFormat` has to rise (engine/log/state-digest.ts). If the form did, because more is stored,
 * both are written anew here, so that the next change is noticed.
 */
const kept = {
  form: 2629171675,
  digests: {
    "folder-1": 1730823120,
    "folder-2": 2945993759,
    "folder-2-before-contents": 1730823120,
    "months-1": 710105845,
    "months-2": 172871110,
    "months-3": 172871110,
    "months-3-before-totals": 172871110,
  },
};

async function digests(): Promise<Record<string, number | undefined>> {
  const found: Record<string, number | undefined> = {};
  for (const name of [...goldenNames("folder"), ...goldenNames("months")]) {
    const engine = await openGolden("/data", { io: memoryIo(goldenDisk(name)) });
    found[name] = digestOf(engine["recovered"].state, engine.appliedSeq);
    await engine.stop();
  }
  return found;
}

test("the kept folders have another digest only where the form is another one", async () => {
  expect({ form: digestForm(), digests: await digests() }).toEqual(kept);
});

/** The same value with the fields of every object the other way round. */
function reversed<T>(value: T): T {
  if (Array.isArray(value)) return value.map(reversed) as T;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, own]) => [name, reversed(own)] as const);
  return Object.fromEntries(entries.reverse()) as T;
}

test("accounts are the same where a record was made and where it was read, in whatever order its fields came", async () => {
  const records: readonly LogRecord[] = [
    userAdded(1, "ada"),
    sessionStarted("r"),
    secondFactorChanged(1, { secret: "secret", usedStep: 7, keepSessionId: "r" }),
    websiteAdded(1, "a.example"),
    websiteRules(1, { paths: ["/x"], visits: true }),
    websiteAliases(1, ["b.example"]),
    goalAdded(1, 1),
    noteAdded(1, 1),
    segmentAdded(1, 1),
    funnelAdded(1, 1),
    subscriptionAdded(1, 1),
    linkAdded(1, "l"),
    invitationAdded(1, "i"),
    tokenAdded("t"),
    sessionStarted("s", { usedStep: 9 }),
  ];
  const disk = new MemoryDisk();
  const clock = new TestClock();
  const open = () => openInMemory(disk, { clock });
  const made = await open();
  for (const record of records) expect(await made.commit(reversed(record))).toBe("done");
  const expected = JSON.stringify(made.registry.save());
  const digest = digestOf(made["recovered"].state, made.appliedSeq);
  // The power goes: nothing but the log is left.
  const read = await open();
  expect(JSON.stringify(read.registry.save())).toBe(expected);
  expect(read.appliedSeq).toBe(made.appliedSeq);
  expect(digestOf(read["recovered"].state, read.appliedSeq)).toBe(digest!);
  await read.stop();
});
