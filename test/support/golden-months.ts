/**
 * A golden folder (golden-folder.ts) whose websites have goals and whose older months gave up their rows, and the questions
 * that only such a folder is asked: conversions by value and by span, and the figures of goals.
 */
import { dimensions } from "../../src/core/questions/dimension.ts";
import { dayMs } from "../../src/core/hit.ts";
import type { Question } from "../../src/core/questions/query.ts";
import type { Target } from "../../src/core/website/goal.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { goalAdded } from "./account-records.ts";
import { TestClock } from "./clock.ts";
import { answersTo, goldenAnswers, goldenFiles, openGolden, type KeptAnswer } from "./golden-folder.ts";
import { MemoryDisk } from "./memory-disk.ts";
import { memoryIo } from "./memory-io.ts";
import { trafficStartMs, websiteIds } from "./traffic.ts";

const goals: readonly Target[] = [
  { page: [{ operator: "contains", operands: ["blog"] }] },
  { page: [{ operator: "eq", operands: ["/about"] }] },
  { event: { propName: "plan", propValue: null, amount: null } },
  { event: { propName: "Plan", propValue: null, amount: "Plan" } },
];

/** The files of such a folder, by their paths in it. The rows of the last month stay. */
export async function goldenMonthFiles(): Promise<Map<string, Uint8Array>> {
  const disk = new MemoryDisk();
  for (const [path, bytes] of await goldenFiles()) disk.put(`/data/${path}`, bytes);
  const clock = new TestClock();
  const engine = await openGolden("/data", { io: memoryIo(disk), clock, rowsMonths: 1 });
  for (const websiteId of websiteIds)
    for (const [at, target] of goals.entries()) {
      const own = "page" in target ? { page: target.page } : { page: [], ...target.event };
      await engine.commit(goalAdded(websiteId, at + 1, own));
    }
  await engine.purge();
  // The clock has gone right for a day.
  clock.advance(dayMs + 1);
  await engine["intake"]["upkeep"]?.reduction?.round();
  await engine.stop();
  return new Map([...disk.files].map(([path, bytes]) => [path.slice("/data/".length), bytes]));
}

/** Asks the engine what every folder is asked, and about goals. */
export async function goldenMonthAnswers(engine: RunningEngine): Promise<KeptAnswer[]> {
  const asked = websiteIds.flatMap((websiteId) =>
    goalQuestions().map((question) => ({ websiteId, question })),
  );
  return [...(await goldenAnswers(engine)), ...(await answersTo(engine, asked))];
}

function goalQuestions(): Question[] {
  const dayOf = (days: number) => Math.floor(trafficStartMs / dayMs + days) * dayMs;
  const everything = { startMs: dayOf(-200), endMs: dayOf(200) - 1 };
  // From the day of the first page views on, which is in the middle of a month.
  const someDays = { startMs: dayOf(0), endMs: dayOf(60) - 1 };
  const page = { filters: [], limit: 12, offset: 0, summary: false, grouped: false, locale: false };
  const metrics = ["visits", "conversions"] as const;
  const summary = { filters: [], previous: false, timezone: "UTC", nowMs: 0, interval: "month" } as const;
  const named = goals.map((target, at) => ({ id: at + 1, name: `goal ${at + 1}`, target }));
  return [
    ...[everything, someDays].map((period) => ({ list: "goals", goals: named, filters: [], period })),
    ...dimensions.map(({ list }) => ({ ...page, list, by: "visit", period: someDays })),
    ...goals.flatMap((goal) => [
      ...["pages", "entries", "exits", "browsers", "referrers"].map((list) => ({
        ...page,
        list,
        goal,
        metrics,
        period: everything,
      })),
      { ...summary, list: "summary", goal, metrics, period: everything },
    ]),
  ] as unknown as Question[];
}
