/**
 * Lives through a clock that is set forth and back by an hour and by a year while the server runs and between its
 * starts, in time zones all around the world: nothing crashes, nothing is dropped, and all have the same answers.
 */
import { dumpLines } from "../../src/engine/dump.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { assert } from "../../src/lib/assert.ts";
import { TestClock } from "../support/clock.ts";
import { hitTo } from "../support/hits.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { noonMs } from "../support/records.ts";
import { randomFrom } from "../support/random.ts";
import { everything, listOf } from "../support/site.ts";
import { addWebsites } from "../support/websites.ts";
import type { Torture } from "./torture.ts";

const zones = [
  ["Pacific/Kiritimati", "Pacific/Chatham", "Asia/Tokyo", "Asia/Kathmandu", "Africa/Cairo", "Europe/Berlin"],
  [
    "UTC",
    "Atlantic/Azores",
    "America/St_Johns",
    "America/New_York",
    "America/Los_Angeles",
    "Pacific/Pago_Pago",
  ],
].flat();
const hourMs = 3_600_000;
const yearMs = 365 * 24 * hourMs;
const turns = 8;
/** No hits are taken before 2025: so many years back it is not. */
const startMs = noonMs + turns * yearMs;
const setBy = [hourMs, -hourMs, yearMs, -yearMs] as const;
const hits = 3;
const visibleMs = 7_000;

/** Page views with their durations and an event, each of which must be taken. */
async function visit(engine: RunningEngine, clock: TestClock, turn: number): Promise<void> {
  for (let at = 0; at < hits; at++) {
    const b = `${turn}-${at}`;
    const u = `https://a.example/${b}`;
    for (const body of [
      { b, u, p: true },
      { b, m: visibleMs },
      { b, d: { signup: "yes" } },
    ]) {
      clock.advance(1_000);
      const answer = await hitTo(engine, body);
      assert(answer.accepted, `${JSON.stringify(body)}: ${JSON.stringify(answer)}`);
    }
  }
}

/** Returns everything that is there at the end, as text. */
async function live(seed: number): Promise<string> {
  const random = randomFrom(seed);
  const disk = new MemoryDisk();
  const clock = new TestClock(startMs);
  const open = () => openInMemory(disk, { clock, checkpointRecords: 15, smallRows: 2, retentionMonths: 3 });
  let engine = await open();
  await addWebsites(engine, "a.example");
  for (let turn = 0; turn < turns; turn++) {
    await visit(engine, clock, turn);
    const isRestart = random() < 0.4;
    if (isRestart) await engine.stop();
    clock.set(clock.nowMs() + (setBy[Math.floor(random() * setBy.length)] as number));
    if (isRestart) engine = await open();
    engine.check();
  }
  const { json } = await engine.ask(1, { ...everything, list: "time", summary: false });
  const times = JSON.parse(json) as { path: string; duration: number }[];
  const wrong = times.filter(({ duration }) => duration !== visibleMs);
  assert(
    times.length === turns * hits && wrong.length === 0,
    `${times.length} of ${turns * hits} pages have a duration`,
  );
  const asked = [listOf("pages"), { ...everything, list: "properties" } as const];
  const summary = {
    ...everything,
    list: "summary",
    previous: false,
    timezone: "Europe/Berlin",
    nowMs: startMs,
  } as const;
  const answers = [...asked, { ...summary, interval: "month" } as const].map((question) =>
    engine.ask(1, question),
  );
  const text = [
    json,
    ...(await Promise.all(answers)).map((answer) => answer.json),
    ...dumpLines(engine["state"]),
  ].join("\n");
  await engine.stop();
  return text;
}

export const clocks: Torture = {
  about: "time zones, and a clock that is set by an hour and by a year",
  rounds: { full: 200, short: 1 },
  run: async ({ rounds, seed }) => {
    const own = process.env["TZ"];
    try {
      for (let round = 0; round < rounds; round++) {
        const texts = new Map<string, string>();
        for (const zone of zones) {
          process.env["TZ"] = zone;
          texts.set(zone, await live(seed + round));
        }
        for (const [zone, text] of texts) assert(text === texts.get("UTC"), `other answers in ${zone}`);
      }
    } finally {
      if (own === undefined) delete process.env["TZ"];
      else process.env["TZ"] = own;
    }
    return `${rounds} lives in each of ${zones.length} zones: nothing is dropped, and the answers are the same`;
  },
};
