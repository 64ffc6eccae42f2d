/**
 * Flips bits of each kind of file: all those of headers, tables and names in the full run, and random ones of the data.
 * Each is reported by a check, and by a start and its questions if it touches them; none changes a figure silently.
 */
import { aligned, headBytes, sectionBytes } from "../../src/snapshot/section.ts";
import { assert } from "../../src/lib/assert.ts";
import { decodeFrame, headerBytes, headerChecksum } from "../../src/wal/format.ts";
import { randomFrom } from "../support/random.ts";
import { expectSaid, judge, sound, type Sound } from "./damage.ts";
import type { Torture } from "./torture.ts";

/** Bytes of a file: those that say where everything is, and all others. */
interface Regions {
  readonly heads: readonly number[];
  readonly data: readonly number[];
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
}

/** Headers, footers, and heads and names of sections. */
function regionsOfSections(bytes: Uint8Array): Regions {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const heads = range(0, headBytes);
  const data: number[] = [];
  let at = headBytes;
  for (let count = view.getUint32(8, true); count > 0; count--) {
    const dataAt = at + sectionBytes + aligned(view.getUint32(at, true));
    const next = dataAt + aligned(view.getUint32(at + 4, true));
    heads.push(...range(at, dataAt));
    data.push(...range(dataAt, next));
    at = next;
  }
  return { heads: [...heads, ...range(at, bytes.length)], data };
}

const frameHeadBytes = 28;

/** The header of a segment and the heads of its frames. */
function regionsOfSegment(bytes: Uint8Array): Regions {
  const heads = range(0, headerBytes);
  const data: number[] = [];
  for (let at = headerBytes; at < bytes.length;) {
    const end = decodeFrame(bytes, at, headerChecksum(bytes))?.end ?? bytes.length;
    heads.push(...range(at, at + frameHeadBytes));
    data.push(...range(at + frameHeadBytes, end));
    at = end;
  }
  return { heads, data };
}

type Bit = readonly [path: string, at: number, bit: number];

/** All bits of the heads of the newest file of each kind, and those of the data of all files. */
function bitsOf({ disk }: Sound): {
  readonly heads: Bit[];
  readonly data: readonly (readonly [string, readonly number[]])[];
} {
  const heads: Bit[] = [];
  const data: (readonly [string, readonly number[]])[] = [];
  const newest = new Map([...disk.files.keys()].sort().map((path) => [path.split(".").at(-1), path]));
  for (const [path, bytes] of disk.files) {
    const regions = path.endsWith(".wal") ? regionsOfSegment(bytes) : regionsOfSections(bytes);
    data.push([path, regions.data]);
    if (![...newest.values()].includes(path)) continue;
    for (const at of regions.heads) for (let bit = 0; bit < 8; bit++) heads.push([path, at, bit]);
  }
  return { heads, data };
}

async function expectFlipSaid(whole: Sound, [path, at, bit]: Bit): Promise<void> {
  const disk = whole.disk.clone();
  const bytes = disk.read(path);
  disk.put(path, bytes.with(at, (bytes[at] as number) ^ (1 << bit)));
  const judged = await judge(disk);
  const isLog = path === whole.newestLog;
  const name = path.slice("/data/".length);
  const isChecked = judged.faults.some((fault) => fault.includes(name)) || (isLog && judged.isHarmless);
  assert(isChecked, `the check says nothing of ${name}`);
  await expectSaid(judged, whole, isLog, name.endsWith(".facts"));
}

/** Some of them, all different, or all. */
function some<T>(all: readonly T[], count: number, random: () => number): readonly T[] {
  if (all.length <= count) return all;
  const chosen = [...all];
  for (let at = 0; at < count; at++) {
    const other = at + Math.floor(random() * (chosen.length - at));
    [chosen[at], chosen[other]] = [chosen[other] as T, chosen[at] as T];
  }
  return chosen.slice(0, count);
}

export const flippedBits: Torture = {
  about: "flipped bits of every kind of file",
  rounds: { full: 10_000, short: 20 },
  run: async ({ rounds, seed, isFull }) => {
    const random = randomFrom(seed);
    const whole = await sound();
    const { heads, data } = bitsOf(whole);
    const chosen = isFull ? heads : some(heads, rounds, random);
    const pick = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)] as T;
    const ofData = Array.from({ length: rounds }, (): Bit => {
      const [path, bytes] = pick(data);
      return [path, pick(bytes), Math.floor(random() * 8)];
    });
    for (const flip of [...chosen, ...ofData])
      await expectFlipSaid(whole, flip).catch((cause: unknown) => {
        throw new Error(`bit ${flip[2]} of byte ${flip[1]} of ${flip[0]}`, { cause });
      });
    return `${chosen.length} of ${heads.length} bits of headers, tables and names, ${ofData.length} of the data: none is silent`;
  },
};
