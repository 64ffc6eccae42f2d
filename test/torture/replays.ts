/**
 * Replays random traffic: the same log twice, and the log alone against checkpoints and the log after them. The state is
 * the same, line by line of its dump, and so are the answers.
 */
import type { RunningEngine } from "../../src/engine/running.ts";
import { assert } from "../../src/lib/assert.ts";
import { dumpLines } from "../../src/engine/dump.ts";
import { userAdded, websiteAdded } from "../support/account-records.ts";
import { TestClock } from "../support/clock.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { Questions } from "../support/questions.ts";
import { randomFrom } from "../support/random.ts";
import { Traffic, trafficStartMs, websiteIds } from "../support/traffic.ts";
import type { Torture } from "./torture.ts";

const records = 150;
const questions = 10;
const pastMs = 91 * 86_400_000;

/** The state and the answers of an engine, as text. */
async function told(engine: RunningEngine, traffic: Traffic, seed: number): Promise<string> {
  engine.check();
  const asked = new Questions(randomFrom(seed), { startMs: trafficStartMs - pastMs, endMs: traffic.timeMs });
  const answers: string[] = [];
  for (let at = 0; at < questions; at++) {
    const { kind, query } = asked.next();
    const list = kind === "list" ? query.list : kind;
    const question = { nowMs: traffic.timeMs, ...query, list } as Parameters<RunningEngine["ask"]>[1];
    answers.push((await engine.ask(1 + (at % 2), question)).json);
  }
  // A stop adds what was refused and is not logged before.
  const lines = [...dumpLines(engine["state"])].filter((line) => !line.startsWith('{"kind":"rejected"'));
  return [...lines, ...answers].join("\n");
}

/** Opens the disk of a power cut, and leaves it as it is found. */
async function replayed(disk: MemoryDisk, traffic: Traffic, seed: number): Promise<string> {
  const engine = await openInMemory(disk.clone(), { clock: new TestClock(traffic.timeMs) });
  const text = await told(engine, traffic, seed);
  await engine.stop();
  return text;
}

async function replay(seed: number): Promise<void> {
  const random = randomFrom(seed);
  const traffic = new Traffic(random);
  const accounts = [userAdded(1, "ada"), ...websiteIds.map((id) => websiteAdded(id, `${id}.example`))];
  const all = accounts.map((record) => ({ ...record, timeMs: trafficStartMs }));
  // Dropping months needs what only the engine reads before it.
  const sent = [...traffic.thatStay(records)];
  const minimums = { fileMinimums: { beaconRunMin: 5, openRowsMin: 10, basedRowsMin: 15 } };
  const texts = new Map<string, string>();
  const kinds = { "the log alone": Infinity, "checkpoints and the log": 20 + Math.floor(random() * 60) };
  for (const [kind, checkpointRecords] of Object.entries(kinds)) {
    const disk = new MemoryDisk();
    const clock = new TestClock(trafficStartMs);
    const engine = await openInMemory(disk, { checkpointRecords, clock, ...minimums });
    for (const record of [...all, ...sent]) {
      clock.set(Math.max(trafficStartMs, record.timeMs));
      await engine.commit(record);
    }
    texts.set(`${kind}, in memory`, await told(engine, traffic, seed));
    const found = disk.clone();
    for (const time of ["once", "twice"])
      texts.set(`${kind}, replayed ${time}`, await replayed(found, traffic, seed));
    await engine.stop();
    texts.set(`${kind}, after a clean stop`, await replayed(disk, traffic, seed));
  }
  const [first] = texts.values();
  for (const [what, text] of texts) assert(text === first, `${what} is another state, with --seed ${seed}`);
}

export const replays: Torture = {
  about: "the same log replayed twice, and with checkpoints",
  rounds: { full: 1_000, short: 3 },
  run: async ({ rounds, seed }) => {
    for (let round = 0; round < rounds; round++) await replay(seed + round);
    return `${rounds} seeds: the same dump and the same answers, by the log alone and by checkpoints`;
  },
};
