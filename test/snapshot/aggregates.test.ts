import { expect, test } from "bun:test";
import {
  chunkAggregatesName,
  monthAggregatesName,
  removeOtherAggregates,
} from "../../src/snapshot/aggregates.ts";
import type { FileEntry, Manifest } from "../../src/snapshot/manifest.ts";
import { MemoryDisk } from "../support/memory-disk.ts";

const chunk = (name: string, checksum = 7): FileEntry => ({
  name: `chunks/${name}.chunk`,
  bytes: 1,
  checksum,
});
const march = chunk("1/2026-03-4.0000000000000012");
const april = chunk("1/2026-04-5.0000000000000012");

test("names tell of which bytes they were made", () => {
  expect(chunkAggregatesName(march)).toBe("2026-03-4.0000000000000012.7-2.rollups");
  expect(chunkAggregatesName({ ...march, checksum: 8 })).not.toBe(chunkAggregatesName(march));
  const month = monthAggregatesName([march, april].map(chunkAggregatesName));
  expect(month).toMatch(/^2026-03\.[0-9a-f]{16}\.month$/);
  expect(monthAggregatesName([march].map(chunkAggregatesName))).not.toBe(month);
});

test("only those of chunks and months that a manifest has stay", () => {
  const disk = new MemoryDisk();
  const stay = [
    `1/${chunkAggregatesName(march)}`,
    `1/${chunkAggregatesName(march)}.new`,
    `1/${monthAggregatesName([chunkAggregatesName(march)])}`,
    `1/${chunkAggregatesName(april)}`,
  ];
  const go = [
    `1/${chunkAggregatesName(chunk("1/2026-03-4.0000000000000013"))}`,
    `1/${chunkAggregatesName(chunk("1/2026-03-44.0000000000000012"))}`,
    "1/2026-02.0123456789abcdef.month",
    `2/${chunkAggregatesName(march)}`,
    "2/2026-03.0123456789abcdef.month",
    "1/something else",
  ];
  for (const name of [...stay, ...go]) disk.put(`/data/aggregates/${name}`, Uint8Array.of(1));
  const site = { name: "chunks/2/0000000000000012.site", bytes: 1, checksum: 1 };
  const manifest: Manifest = { seq: 12, folderId: "00", files: [march, site] };
  removeOtherAggregates(disk, "/data", [manifest, { ...manifest, files: [april] }]);
  const left = [...disk.files.keys()].map((path) => path.slice("/data/aggregates/".length));
  expect(left.sort()).toEqual(stay.sort());
});

test("a folder without any is left alone", () => {
  const disk = new MemoryDisk();
  disk.put("/data/LOCK", new Uint8Array(0));
  removeOtherAggregates(disk, "/data", []);
  expect([...disk.files.keys()]).toEqual(["/data/LOCK"]);
});
