import { expect, test } from "bun:test";
import { scrub, type DamagedFile, type ScrubJob } from "../../src/snapshot/scrub.ts";
import { encodeSections, fileChecksum } from "../../src/snapshot/section.ts";
import { TestClock } from "../support/clock.ts";
import { MemoryDisk } from "../support/memory-disk.ts";

function emptyFolder(): MemoryDisk {
  const disk = new MemoryDisk();
  disk.makeDirectory("/data/wal");
  return disk;
}

function fileOf(length: number): Uint8Array {
  return encodeSections([{ name: "data", data: new Uint8Array(length).fill(7) }]);
}

function put(disk: MemoryDisk, name: string, bytes: Uint8Array) {
  disk.put(`/data/${name}`, bytes);
  return { name, bytes: bytes.length, checksum: fileChecksum(bytes) };
}

async function run(disk: MemoryDisk, job: Partial<ScrubJob>, clock = new TestClock()) {
  const found: DamagedFile[] = [];
  const sleep = async (ms: number) => clock.advance(ms);
  const onDamaged = (damaged: DamagedFile) => found.push(damaged);
  await scrub(
    disk,
    { folder: "/data", folderId: new Uint8Array(16), bytesPerSecond: 1e9, files: [], ...job },
    { clock, sleep, onDamaged },
  );
  return found;
}

test("files are read in pieces, and never more bytes a second than it is told", async () => {
  const disk = emptyFolder();
  const files = [put(disk, "a", fileOf(3_000_000)), put(disk, "b", fileOf(500_000))];
  const clock = new TestClock();
  const startMs = clock.monotonicMs();
  expect(await run(disk, { files, bytesPerSecond: 100_000 }, clock)).toEqual([]);
  expect(clock.monotonicMs() - startMs).toBeWithin(34_990, 35_010);
  expect(disk.history.filter((call) => call === "read /data/a")).toHaveLength(3);
});

test("every flipped bit is found, with its place, but in the last four bytes, which repeat what the manifest has", async () => {
  const disk = emptyFolder();
  const whole = fileOf(50);
  const entry = put(disk, "a", whole);
  for (let bit = 0; bit < whole.length * 8; bit++) {
    const damaged = whole.with(bit >> 3, (whole[bit >> 3] as number) ^ (1 << (bit & 7)));
    disk.put("/data/a", damaged);
    const expected =
      bit < (whole.length - 4) * 8 ? [{ file: "a", error: expect.stringContaining("a: ") }] : [];
    expect([bit, await run(disk, { files: [entry] })]).toEqual([bit, expected]);
    const own = [{ file: "a", error: expect.stringContaining("a: ") }];
    expect([bit, await run(disk, { files: [{ name: "a" }] })]).toEqual([bit, own]);
  }
});

test("a file that is short, missing, unreadable or another one is found; the others are compared too", async () => {
  const disk = emptyFolder();
  const names = ["short", "missing", "other", "empty", "last"];
  const files = names.map((name, at) => put(disk, name, fileOf(100 + at)));
  disk.put("/data/short", fileOf(100).subarray(0, 60));
  disk.remove("/data/missing");
  disk.put("/data/other", fileOf(107));
  disk.put("/data/empty", new Uint8Array());
  disk.put("/data/last", fileOf(104).with(60, 1));
  const found = await run(disk, { files: [...files, { name: "never" }] });
  expect(found.map(({ file }) => file)).toEqual(names);
  expect(found[4]?.error).toContain("wrong section checksum at byte 16");
  // A device that fails once says nothing about later files.
  disk.failAt({ call: 2, code: "EIO" });
  expect((await run(disk, { files: [files[4]!, put(disk, "sound", fileOf(9))] })).length).toBe(1);
  disk.failAt({ call: 2, code: "EMFILE" });
  expect(run(disk, { files })).rejects.toThrow("EMFILE");
});
