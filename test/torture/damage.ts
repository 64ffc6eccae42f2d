/**
 * Judges a data folder that somebody has damaged: a start refuses it and leaves it alone, or its answers are the right
 * ones, or there is none and the log says why. No figure is another one silently.
 */
import type { Question } from "../../src/core/questions/query.ts";
import { checkFolder } from "../../src/engine/opening/check-folder.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { assert } from "../../src/lib/assert.ts";
import { once } from "../../src/lib/lazy.ts";
import { decodeFrame, headerBytes, headerChecksum } from "../../src/wal/format.ts";
import { linesOf } from "../support/log-lines.ts";
import type { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { noonMs } from "../support/records.ts";
import { everything, filter, listOf } from "../support/site.ts";
import { soundDisk } from "../support/sound-folder.ts";

const summary = { list: "summary", previous: false, timezone: "UTC", nowMs: noonMs } as const;
const questions: readonly Question[] = [
  listOf("pages"),
  { ...everything, ...summary, interval: "month" },
  { ...everything, list: "time", summary: false },
  listOf("browsers", { filters: [filter("path", "contains", "1")] }),
];
const websiteIds = [1, 2];

export interface Judged {
  /** The answers, undefined for none; undefined if the start was refused. */
  readonly answers: readonly (string | undefined)[] | undefined;
  /** Everything that the start and the questions logged, and why the start was refused. */
  readonly lines: readonly string[];
  /** The faults that a check names, and whether it says that something is harmless. */
  readonly faults: readonly string[];
  readonly isHarmless: boolean;
}

export function check(disk: MemoryDisk): Pick<Judged, "faults" | "isHarmless"> {
  const faults: string[] = [];
  const onFault = (fault: string) => faults.push(fault);
  const { isTorn, unnamed } = checkFolder({
    disk,
    folder: "/data",
    files: undefined,
    onFault,
    onProgress() {},
  });
  return { faults, isHarmless: isTorn || unnamed.length > 0 };
}

async function answersOf(engine: RunningEngine): Promise<(string | undefined)[]> {
  const answers: (string | undefined)[] = [];
  for (const websiteId of websiteIds)
    for (const question of questions)
      answers.push((await engine.ask(websiteId, question).catch(() => undefined))?.json);
  return answers;
}

/** Starts on the disk, asks, lets facts be made, and stops; nothing if the start is refused. */
export async function judge(disk: MemoryDisk): Promise<Judged> {
  const checked = check(disk);
  const { lines, logger } = linesOf();
  const before = new Map(disk.files);
  let engine: RunningEngine;
  try {
    engine = await openInMemory(disk, { logger, smallRows: 100 });
  } catch (error) {
    const isLeft =
      disk.files.size === before.size && [...disk.files].every(([path, bytes]) => before.get(path) === bytes);
    assert(isLeft, "a start that was refused has changed the folder");
    return { answers: undefined, lines: [...lines, String(error)], ...checked };
  }
  const answers = await answersOf(engine);
  for (let calls = -1; calls !== disk.history.length; await new Promise((resolve) => setImmediate(resolve)))
    calls = disk.history.length;
  await engine.stop();
  return { answers, lines, ...checked };
}

/** A sound folder, its answers, and those after each earlier batch of its newest segment: nobody can tell these apart. */
export interface Sound {
  readonly disk: MemoryDisk;
  readonly newestLog: string;
  readonly answers: readonly string[];
  readonly earlier: () => Promise<readonly Judged["answers"][]>;
}

export async function sound(): Promise<Sound> {
  const disk = await soundDisk();
  const newestLog = [...disk.files.keys()]
    .filter((path) => path.endsWith(".wal"))
    .sort()
    .at(-1) as string;
  const whole = await judge(disk.clone());
  assert(whole.faults.length === 0 && whole.lines.length === 0, "a sound folder is sound");
  const answers = whole.answers as string[];
  return { disk, newestLog, answers, earlier: once(() => answersBefore(disk, newestLog)) };
}

async function answersBefore(disk: MemoryDisk, log: string): Promise<Judged["answers"][]> {
  const bytes = disk.read(log);
  const earlier = [];
  for (const end of [0, ...frameEnds(bytes)]) {
    const cut = disk.clone();
    cut.put(log, bytes.subarray(0, end));
    earlier.push((await judge(cut)).answers);
  }
  return earlier;
}

/** Returns where the header of a segment and each of its batches ends. */
export function frameEnds(bytes: Uint8Array): number[] {
  const ends = [headerBytes];
  for (let at = headerBytes; at < bytes.length; ends.push(at))
    at = decodeFrame(bytes, at, headerChecksum(bytes))?.end ?? bytes.length;
  return ends;
}

/**
 * Asserts that nothing of a damage is silent: what is not answered as before is refused, or missing with a line that says
 * why. `isLog`: the newest segment was touched, whose end nobody knows. `canBeMade`: all files can be made again.
 */
export async function expectSaid(
  { answers, lines, faults, isHarmless }: Judged,
  sound: Sound,
  isLog: boolean,
  canBeMade: boolean,
): Promise<void> {
  for (const fault of faults) assert(/[;:] [a-z]\S/.test(fault), `a fault does not say what to do: ${fault}`);
  if (answers === undefined) {
    assert(!canBeMade, `the start is refused: ${lines.at(-1)}`);
    assert(faults.length > 0, `the check finds nothing, and the start is refused: ${lines.at(-1)}`);
    return;
  }
  if (Bun.deepEquals(answers, sound.answers)) return;
  if (isLog && (await sound.earlier()).some((earlier) => Bun.deepEquals(earlier, answers))) return;
  answers.forEach((answer, at) => {
    assert(answer === undefined || answer === sound.answers[at], `another answer to question ${at}`);
  });
  assert(!canBeMade, "questions fail, though the file can be made again");
  assert(lines.length > 0, "questions fail, and no line says why");
  assert(faults.length > 0 || isHarmless, "questions fail, and the check finds nothing");
}
