/**
 * A start refuses two things: folders that a newer program wrote, and files whose bytes are what was written but say what
 * no program writes. Each is refused with the file and what to do, and left as it was, to the byte.
 */
import { describe, expect, test } from "bun:test";
import { Packr } from "msgpackr/pack";
import { FolderRefused } from "../../src/engine/refused.ts";
import { manifestName } from "../../src/snapshot/manifest.ts";
import {
  decodeSections,
  encodeSections,
  fileChecksum,
  snapshotFormat,
  type Section,
} from "../../src/snapshot/section.ts";
import { LogDamage } from "../../src/wal/damage.ts";
import { decodeHeader, encodeFrame, frameBytes, type VerifiedHeader } from "../../src/wal/format.ts";
import { SegmentReader } from "../../src/wal/reader.ts";
import { changeManifest } from "../support/change-manifest.ts";
import { dumpOf } from "../support/dump.ts";
import { goldenDisk, goldenNames, openGolden } from "../support/golden-folder.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { memoryIo } from "../support/memory-io.ts";
import { userAdded, websiteAdded } from "../support/account-records.ts";
import { load } from "../support/records.ts";
import { randomBySeed } from "../support/seed.ts";

const pathOf = (name: string) => `/data/${name}`;
const nameOf = (path: string) => path.slice("/data/".length);

/** The last file of a kind, or one before it. */
function newest(disk: MemoryDisk, pattern: RegExp, before = 0): string {
  const names = [...disk.files.keys()].map(nameOf).filter((name) => pattern.test(name));
  return names.sort().at(-1 - before) as string;
}

const manifest = /\.manifest$/;
const state = /\.state$/;
const site = /^chunks\/1\/.*\.site$/;
const segment = /\.wal$/;

/** Puts changed bytes in the place of a file, and makes the newest manifest say that they are what was written. */
function change(disk: MemoryDisk, name: string, bytes: Uint8Array): void {
  disk.put(pathOf(name), bytes);
  if (manifest.test(name) || segment.test(name)) return;
  changeManifest(disk, pathOf(newest(disk, manifest)), (manifest) => ({
    ...manifest,
    files: manifest.files.map((entry) =>
      entry.name === name ? { ...entry, bytes: bytes.length, checksum: fileChecksum(bytes) } : entry,
    ),
  }));
}

/** The same file with another number of its format. */
function withFormat(disk: MemoryDisk, name: string, format: number): Uint8Array {
  const bytes = disk.read(pathOf(name)).slice();
  const view = new DataView(bytes.buffer);
  view.setUint32(4, format, true);
  const checksumAt = segment.test(name) ? 48 : 12;
  view.setUint32(checksumAt, Bun.hash.crc32(bytes.subarray(0, checksumAt)), true);
  if (!segment.test(name)) view.setUint32(bytes.length - 4, Bun.hash.crc32(bytes.subarray(0, -4)), true);
  return bytes;
}

/** One more frame at the end of a segment, with a record as msgpack says it. */
function withRecord(bytes: Uint8Array, record: unknown[]): Uint8Array {
  const header = decodeHeader(bytes) as VerifiedHeader;
  const reader = new SegmentReader(bytes, header);
  while (reader.next() !== undefined);
  const payload = new Packr({ useRecords: false }).pack([[], record]);
  const longer = new Uint8Array(reader.at + frameBytes(payload.length));
  longer.set(bytes.subarray(0, reader.at));
  const { nextSeq: firstSeq, lastChecksum: previousChecksum } = reader;
  encodeFrame(longer, reader.at, payload, { firstSeq, count: 1, previousChecksum, seed: header.checksum });
  return longer;
}

function filesOf(disk: MemoryDisk): [string, string][] {
  return [...disk.files].map(([path, bytes]) => [
    path,
    new Bun.CryptoHasher("md5").update(bytes).digest("hex"),
  ]);
}

/** The error with which the start is refused. */
async function refusal(disk: MemoryDisk): Promise<Error | undefined> {
  try {
    await openGolden("/data", { io: memoryIo(disk) });
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

const newer = snapshotFormat + 1;
const byFormat = `(format ${newer}, this one knows up to ${snapshotFormat})`;

interface Case {
  readonly what: string;
  readonly message: string;
  readonly edit: (disk: MemoryDisk) => void;
}

const fileOfNewerFormat = (pattern: RegExp) => (disk: MemoryDisk) => {
  const name = newest(disk, pattern);
  change(disk, name, withFormat(disk, name, newer));
};
const withNames = (names: object) => (disk: MemoryDisk) =>
  changeManifest(disk, pathOf(newest(disk, manifest)), (manifest) => ({ ...manifest, names }));
const withLastRecord = (record: unknown[]) => (disk: MemoryDisk) => {
  const name = newest(disk, segment);
  disk.put(pathOf(name), withRecord(disk.read(pathOf(name)), record));
};

const newerCases: readonly Case[] = [
  {
    what: "a manifest",
    message: `.manifest was written by a newer Footfall ${byFormat}`,
    edit: fileOfNewerFormat(manifest),
  },
  {
    what: "the manifest before the newest",
    message: `.manifest was written by a newer Footfall ${byFormat}`,
    edit: (disk) => {
      const name = newest(disk, manifest, 1);
      disk.put(pathOf(name), withFormat(disk, name, newer));
    },
  },
  {
    what: "a manifest older than both",
    message: `.manifest was written by a newer Footfall ${byFormat}`,
    edit: (disk) => {
      const name = newest(disk, manifest, 1);
      disk.put(pathOf(manifestName(0)), withFormat(disk, name, newer));
    },
  },
  {
    what: "a manifest whose files are gone",
    message: `.manifest was written by a newer Footfall ${byFormat}`,
    edit: (disk) => {
      fileOfNewerFormat(manifest)(disk);
      disk.remove(pathOf(newest(disk, state)));
    },
  },
  {
    what: "a .state",
    message: `.state was written by a newer Footfall ${byFormat}`,
    edit: fileOfNewerFormat(state),
  },
  {
    what: "a .site",
    message: `.site was written by a newer Footfall ${byFormat}`,
    edit: fileOfNewerFormat(site),
  },
  {
    what: "a dimension",
    message: "it has screen among its dimensions, this one does not",
    edit: withNames({ dimensions: ["path", "screen"] }),
  },
  {
    what: "a flag",
    message: "it has entry among its flags, this one does not",
    edit: withNames({ flags: ["entry"] }),
  },
  {
    what: "a group of names",
    message: "it has plan among its goals, this one does not",
    edit: withNames({ goals: ["plan"] }),
  },
  {
    what: "a segment of the log",
    message: ".wal was written by a newer Footfall (format 2, this one knows 1)",
    edit: (disk) => {
      const name = newest(disk, segment);
      disk.put(pathOf(name), withFormat(disk, name, 2));
    },
  },
  {
    what: "a kind of record",
    message: "a record of kind 99, where this one knows 1 to 60",
    edit: withLastRecord([99, 1]),
  },
  {
    what: "a field of a record",
    message: "a record of 3 fields, where this one knows 2",
    edit: withLastRecord([14, 1, 1, "more"]),
  },
];

describe("what a newer program wrote is refused as such and left alone:", () => {
  test.each(newerCases)("$what", async ({ message, edit }) => {
    for (const name of goldenNames("folder")) {
      const disk = goldenDisk(name);
      edit(disk);
      // Neither cut nor copied: the log is not this program's to repair.
      const last = pathOf(newest(disk, segment));
      disk.put(last, new Uint8Array([...disk.read(last), 1, 2, 3]));
      const before = filesOf(disk);
      const error = await refusal(disk);
      expect(error).toBeInstanceOf(FolderRefused);
      expect(error?.message).toContain(message);
      expect(error?.message).toContain("start that version, or restore a backup from before the upgrade");
      expect(filesOf(disk)).toEqual(before);
    }
  });
});

describe("what is older goes only when the replay has ended well", () => {
  const stale = "chunks/1/2025-01-1.0000000000000001.chunk";

  const damages: readonly (readonly [what: string, change: (bytes: Uint8Array) => Uint8Array])[] = [
    ["a record of a newer program", (sound) => withRecord(sound, [99, 1])],
    ["a damaged batch that others follow", (sound) => sound.with(sound.length >> 1, 7)],
    ["a damaged header", (sound) => sound.with(10, 7)],
  ];

  test.each(damages)("a start refused for %s removes nothing, the next good one does", async (_, change) => {
    const disk = goldenDisk(`folder-${snapshotFormat}`);
    disk.put(pathOf(stale), new Uint8Array(8));
    const name = newest(disk, manifest);
    disk.put(pathOf(manifestName(9_999_999)), disk.read(pathOf(name)));
    const last = pathOf(newest(disk, segment));
    const sound = disk.read(last);
    disk.put(last, change(sound));
    const before = filesOf(disk);
    const error = await refusal(disk);
    expect(error instanceof FolderRefused || error instanceof LogDamage).toBeTrue();
    expect(filesOf(disk)).toEqual(before);
    disk.put(last, sound);
    expect(await refusal(disk)).toBeUndefined();
    expect(disk.files.has(pathOf(stale))).toBeFalse();
  });
});

describe("a manifest under another's name", () => {
  test("is damaged: the one before it is taken, with more of the log", async () => {
    const disk = goldenDisk(`folder-${snapshotFormat}`);
    const expected = dumpOf(disk);
    const other = disk.read(pathOf(newest(disk, manifest, 1)));
    disk.put(pathOf(manifestName(9_999_999)), other);
    expect(dumpOf(disk)).toEqual(expected);
    expect(await refusal(disk)).toBeUndefined();
    expect(disk.files.has(pathOf(manifestName(9_999_999)))).toBeFalse();
  });

  test("two that were swapped refuse the start, which leaves both and all segments of the log", async () => {
    const disk = goldenDisk(`folder-${snapshotFormat}`);
    const [first, second] = [newest(disk, manifest), newest(disk, manifest, 1)].map(pathOf) as [
      string,
      string,
    ];
    const [a, b] = [disk.read(first), disk.read(second)];
    disk.put(first, b);
    disk.put(second, a);
    const before = filesOf(disk);
    const error = await refusal(disk);
    expect(error).toBeInstanceOf(FolderRefused);
    expect(error?.message).toMatch(
      /\d\.manifest: wrong content \(seq: \d+, so its name should be \d+\.manifest\)/,
    );
    expect(filesOf(disk)).toEqual(before);
  });
});

test("a start and a clean stop with nothing new write no file but the end of the log: an older program goes on", async () => {
  const disk = new MemoryDisk();
  const first = await openInMemory(disk);
  for (const record of [userAdded(1, "ada"), websiteAdded(1, "a.example"), load("b")])
    await first.commit(record);
  await first.stop();
  const isOfLog = ([path]: readonly [string, string]) => path.includes("/wal/");
  const before = filesOf(disk).filter((file) => !isOfLog(file));
  for (let round = 0; round < 10; round++) await (await openInMemory(disk)).stop();
  expect(filesOf(disk).filter((file) => !isOfLog(file))).toEqual(before);
});

describe("a folder that has lost its manifests and its log", () => {
  const isOf = (pattern: RegExp) => (disk: MemoryDisk) =>
    [...disk.files.keys()].filter((path) => pattern.test(path));
  const removed = (disk: MemoryDisk, pattern: RegExp) => {
    for (const path of isOf(pattern)(disk)) disk.remove(path);
  };

  test.each([
    ["with all other files", /\.(manifest|wal)$/, /\.state$/],
    ["with chunks only", /\.(manifest|wal|state)$/, /^chunks\/1\//],
  ] as const)("%s is not taken for a new one: no file is removed", async (_, gone, named) => {
    const disk = goldenDisk("folder-2");
    removed(disk, gone);
    const before = filesOf(disk);
    const error = await refusal(disk);
    expect(error).toBeInstanceOf(FolderRefused);
    expect(error?.message).toContain("neither a manifest nor a log");
    expect(/such as (\S+),/.exec(error?.message ?? "")?.[1]).toMatch(named);
    expect(filesOf(disk)).toEqual(before);
  });

  test("is new where a crash left no more than the state of its first checkpoint", async () => {
    const disk = goldenDisk("folder-2");
    const state = disk.read(isOf(/\.state$/)(disk)[0] as string);
    removed(disk, /./);
    disk.put(pathOf("0000000000000000.state"), state);
    expect(await refusal(disk)).toBeUndefined();
  });
});

/** One thing about the sections of a file that no program writes. */
function spoiled(sections: readonly Section[], random: () => number): Section[] {
  const at = Math.floor(random() * sections.length);
  const { name, data } = sections[at] as Section;
  const cut = data.subarray(0, Math.floor(random() * data.length));
  const others = ["null", "7", "[]", "{}", '"x"'].map((json) => new TextEncoder().encode(json));
  const bytes = [undefined, cut, ...others][Math.floor(random() * (2 + others.length))];
  return bytes === undefined ? sections.toSpliced(at, 1) : sections.toSpliced(at, 1, { name, data: bytes });
}

test("whatever the sections of a file say, a start ends well or is refused with a file, never in an assertion", async () => {
  const random = randomBySeed();
  const folders = goldenNames("folder");
  let refused = 0;
  for (let round = 0; round < 60; round++) {
    const disk = goldenDisk(folders[round % folders.length] as string);
    const names = [...disk.files.keys()].map(nameOf).filter((name) => !segment.test(name));
    const name = names[Math.floor(random() * names.length)] as string;
    const sections = [...decodeSections(disk.read(pathOf(name)), name)].map(([name, data]) => ({
      name,
      data,
    }));
    change(disk, name, encodeSections(spoiled(sections, random)));
    const before = filesOf(disk);
    const error = await refusal(disk);
    if (error === undefined) continue;
    refused++;
    const isKnown = error instanceof FolderRefused || error instanceof LogDamage;
    expect([name, isKnown, isKnown ? "" : error.stack]).toEqual([name, true, ""]);
    expect(error.message).toMatch(/\.(manifest|state|site|chunk|wal)\b/);
    expect(filesOf(disk)).toEqual(before);
  }
  expect(refused).toBeGreaterThan(5);
});
