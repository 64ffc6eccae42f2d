/**
 * A check of a folder with every kind of damage: flipped bits, and files that are gone, swapped, there twice, or of
 * another folder. Each is reported, or is said to be harmless; what nobody can see changes nothing but the log's end.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkFolder } from "../../src/engine/check-folder.ts";
import { systemDisk } from "../../src/lib/disk.ts";
import { aligned, headBytes, sectionBytes } from "../../src/snapshot/section.ts";
import { decodeFrame, headerBytes, headerChecksum } from "../../src/wal/format.ts";
import { randomFrom } from "../support/random.ts";
import { seed } from "../support/seed.ts";
import { dumpOf, filesIn, makeSoundFolder } from "../support/sound-folder.ts";
import { testTimeoutMs } from "../support/timeout.ts";

setDefaultTimeout(testTimeoutMs);

/** The bits of each region of each file that are flipped; `FOOTFALL_DAMAGE_BITS=all` flips all of them. */
const given = process.env["FOOTFALL_DAMAGE_BITS"] ?? "3";
const bitsMax = given === "all" ? Infinity : Number(given);

const top = mkdtempSync(join(tmpdir(), "footfall-damage-"));
const [sound, other, folder] = ["sound", "other", "folder"].map((name) => join(top, name)) as [
  string,
  string,
  string,
];
let dump: readonly string[] = [];
beforeAll(async () => {
  await Promise.all([makeSoundFolder(sound), makeSoundFolder(other, 8)]);
  cpSync(sound, folder, { recursive: true });
  dump = dumpOf(sound);
});
afterAll(() => rmSync(top, { recursive: true }));

const chance = randomFrom(seed());

interface Found {
  readonly faults: readonly string[];
  /** Says that something is harmless: a torn end of the log, files that nothing needs. */
  readonly harmless: boolean;
}

function check(): Found {
  const faults: string[] = [];
  const onFault = (fault: string) => faults.push(fault);
  const disk = systemDisk;
  const { isTorn, unnamed } = checkFolder({ disk, folder, files: undefined, onFault, onProgress() {} });
  return { faults, harmless: isTorn || unnamed.length > 0 };
}

/** Checks the folder while `damage` is done; `names` are the files that it changes or makes. */
function checkWith(names: readonly string[], damage: () => void): Found & { readonly sameDump: boolean } {
  damage();
  try {
    const found = check();
    return { ...found, sameDump: found.faults.length > 0 || Bun.deepEquals(dumpOf(folder), dump) };
  } finally {
    for (const name of names) {
      rmSync(join(folder, name), { force: true });
      if (filesIn(sound).includes(name)) cpSync(join(sound, name), join(folder, name));
    }
  }
}

/** Expects that a damage is reported or said to be harmless, or was none. */
function expectSaid(what: string, names: readonly string[], damage: () => void): void {
  const { faults, harmless, sameDump } = checkWith(names, damage);
  const isSaid = faults.length > 0 || harmless;
  expect({ what, fine: isSaid || sameDump, faults }).toEqual({ what, fine: true, faults: [...faults] });
  // Each fault says what to do.
  for (const fault of faults) expect(fault).toMatch(/; \S/);
}

type Regions = Readonly<Record<"header" | "table" | "data", readonly number[]>>;

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
}

/** The bytes of the header and the footer, those of the heads and names of sections, and all others. */
function regionsOfSections(bytes: Uint8Array): Regions {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const table: number[] = [];
  const data: number[] = [];
  let at = headBytes;
  for (let count = view.getUint32(8, true); count > 0; count--) {
    const dataAt = at + sectionBytes + aligned(view.getUint32(at, true));
    const next = dataAt + aligned(view.getUint32(at + 4, true));
    table.push(...range(at, dataAt));
    data.push(...range(dataAt, next));
    at = next;
  }
  return { header: [...range(0, headBytes), ...range(at, bytes.length)], table, data };
}

const frameHeadBytes = 28;

/** The same of a segment: its header, the heads of frames, and their payloads. */
function regionsOfSegment(bytes: Uint8Array): Regions {
  const table: number[] = [];
  const data: number[] = [];
  for (let at = headerBytes; at < bytes.length;) {
    const end = decodeFrame(bytes, at, headerChecksum(bytes))?.end ?? bytes.length;
    table.push(...range(at, at + frameHeadBytes));
    data.push(...range(at + frameHeadBytes, end));
    at = end;
  }
  return { header: range(0, headerBytes), table, data };
}

/** Some bits of these bytes, or all of them. */
function bitsOf(bytes: readonly number[]): (readonly [at: number, bit: number])[] {
  if (bytes.length * 8 <= bitsMax) return bytes.flatMap((at) => range(0, 8).map((bit) => [at, bit] as const));
  return range(0, bitsMax).map(() => {
    const at = bytes[Math.floor(chance() * bytes.length)] as number;
    return [at, Math.floor(chance() * 8)] as const;
  });
}

test("a sound folder is sound, and has a file of each kind", () => {
  expect(check()).toEqual({ faults: [], harmless: false });
  const kinds = new Set(filesIn(sound).map((name) => name.split(".").at(-1)));
  expect([...kinds].sort()).toEqual(
    ["beacons", "changes", "chunk", "facts", "manifest", "site", "state", "wal"].sort(),
  );
});

describe("flipped bits", () => {
  test.each(["header", "table", "data"] as const)("in the %s of any file", (region) => {
    for (const name of filesIn(sound)) {
      const bytes = readFileSync(join(sound, name));
      const isLog = name.endsWith(".wal");
      const regions = isLog ? regionsOfSegment(bytes) : regionsOfSections(bytes);
      for (const [at, bit] of bitsOf(regions[region])) {
        const what = `${name}: bit ${bit} of byte ${at}`;
        const { faults, harmless } = checkWith([name], () =>
          writeFileSync(join(folder, name), bytes.with(at, (bytes[at] as number) ^ (1 << bit))),
        );
        // The last batch of the log cannot be told from one that a crash left.
        const isNoticed = faults.some((fault) => fault.includes(name)) || (isLog && harmless);
        expect({ what, isNoticed, faults }).toEqual({ what, isNoticed: true, faults: [...faults] });
      }
    }
  });
});

describe("files", () => {
  const kindOf = (name: string) => name.split(".").at(-1) as string;
  const newest = () => filesIn(sound).findLast((name) => name.endsWith(".wal")) as string;

  test("that are gone: all but facts, which are made again, and the newest segment of the log", () => {
    for (const name of filesIn(sound)) {
      const { faults, sameDump } = checkWith([name], () => rmSync(join(folder, name)));
      const isFacts = name.endsWith(".facts");
      // Without its last segment, a log is that of a server that stopped before; one older manifest is as good as two.
      const isUnseen = isFacts || name === newest() || name.endsWith(".manifest");
      expect({ name, isSeen: faults.length > 0 || isUnseen }).toEqual({ name, isSeen: true });
      expect({ name, sameDump: sameDump || name === newest() }).toEqual({ name, sameDump: true });
    }
  });

  test("that are swapped with another of their kind, or overwritten by one of another kind", () => {
    const names = filesIn(sound);
    for (const name of names) {
      for (const second of names.filter((file) => kindOf(file) === kindOf(name) && file > name))
        expectSaid(`${name} and ${second} swapped`, [name, second], () => {
          cpSync(join(sound, name), join(folder, second));
          cpSync(join(sound, second), join(folder, name));
        });
      const stranger = names.find((file) => kindOf(file) > kindOf(name)) ?? (names[0] as string);
      expectSaid(`${stranger} as ${name}`, [name], () => cpSync(join(sound, stranger), join(folder, name)));
    }
  });

  test("that are there twice, under a later and an earlier number", () => {
    for (const name of filesIn(sound))
      for (const number of ["0000000000000001", "0000000000000999"]) {
        const copy = name.replace(/\d{16}/, number);
        expectSaid(`${name} also as ${copy}`, [copy], () => cpSync(join(sound, name), join(folder, copy)));
      }
  });

  test("of another folder", () => {
    for (const name of filesIn(other))
      expectSaid(`${name} of another folder`, [name], () => cpSync(join(other, name), join(folder, name)));
  });
});
