/** A start on a disk whose device cannot read a file of a checkpoint any more: the other checkpoint is there for that. */
import { expect, test } from "bun:test";
import { DiskError } from "../../src/lib/disk/disk.ts";
import { createLogger } from "../../src/lib/log.ts";
import { TestClock } from "../support/clock.ts";
import { dumpOf } from "../support/dump.ts";
import type { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { noonMs } from "../support/records.ts";
import { soundDisk } from "../support/sound-folder.ts";

function heard() {
  const lines: string[] = [];
  const write = (line: string) => lines.push(line);
  return { lines, logger: createLogger({ level: "warn", format: "text", nowMs: () => 0, write }) };
}

/** The names of the files of a kind at the top of the folder, the oldest first. */
const named = (disk: MemoryDisk, pattern: RegExp) =>
  disk
    .list("/data")
    .filter((name) => pattern.test(name))
    .toSorted();

function makeUnreadable(disk: MemoryDisk, isBad: (path: string) => boolean): void {
  const read = disk.read.bind(disk);
  disk.read = (path, ...range) => {
    if (isBad(path)) throw new DiskError("read", path, "EIO");
    return read(path, ...range);
  };
}

const open = (disk: MemoryDisk, logger = heard().logger) =>
  openInMemory(disk, { clock: new TestClock(noonMs + 3_600_000), logger });

test.each([
  ["the newest manifest", /manifest$/, -1, true],
  ["the newest state", /state$/, -1, true],
  ["the older manifest", /manifest$/, 0, false],
] as const)("where %s cannot be read, nothing is lost", async (_, pattern, at, isTold) => {
  const disk = await soundDisk();
  const sound = dumpOf(disk);
  const bad = named(disk, pattern).at(at)!;
  makeUnreadable(disk, (path) => path === `/data/${bad}`);
  const { lines, logger } = heard();
  const engine = await open(disk, logger);
  const told = lines.filter((line) => line.includes(`cannot read /data/${bad}: the device failed`));
  expect(told).toHaveLength(isTold ? 1 : 0);
  await engine.stop();
  expect(dumpOf(disk)).toEqual(sound);
});

test.each([
  ["manifest", /manifest$/],
  ["state", /state$/],
])(
  "where the newest %s cannot be read and the log ends before it, the start is refused",
  async (_, pattern) => {
    const disk = await soundDisk();
    const [older, newest] = named(disk, /manifest$/).map((name) => Number.parseInt(name, 10)) as [
      number,
      number,
    ];
    const segments = disk.list("/data/wal").map((name) => `/data/wal/${name}`);
    const whole = disk.read(segments.toSorted()[0]!);
    for (const path of segments) disk.take(path);
    disk.put(segments.toSorted()[0]!, whole.slice(0, Math.floor(whole.length * 0.6)));
    const bad = named(disk, pattern).at(-1)!;
    makeUnreadable(disk, (path) => path === `/data/${bad}`);
    const before = [...disk.files.keys()];
    const error: unknown = await open(disk).catch((reason: unknown) => reason);
    const [, last] = /the log ends with record (\d+)/.exec(String(error)) ?? [];
    expect(String(error)).toContain(`but a checkpoint has ${newest}`);
    expect(Number(last)).toBeWithin(older, newest);
    expect([...disk.files.keys()]).toEqual(before);
  },
);

test("where no checkpoint can be read, the start says so, and changes nothing", async () => {
  const disk = await soundDisk();
  const before = [...disk.files.keys()];
  makeUnreadable(disk, (path) => path.endsWith(".state"));
  await expect(open(disk)).rejects.toThrow(
    /cannot read .*state: the device failed: .*copy what can be read to another disk.*: no checkpoint in \/data is whole/,
  );
  expect([...disk.files.keys()]).toEqual(before);
});
