/** Checkpoints on the real disk: where they are written, and what a clean-up leaves alone. */
import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { DiskError, systemDisk, type Disk } from "../../src/lib/disk/disk.ts";
import { decodeManifest, manifestName } from "../../src/snapshot/manifest.ts";
import { encodeSections, fileChecksum } from "../../src/snapshot/section.ts";
import { removeOthers, writeCheckpoint } from "../../src/snapshot/write-checkpoint.ts";
import { withFolder } from "../support/folder.ts";

const sections = [{ name: "data", data: new Uint8Array(9).fill(7) }];
const bytes = encodeSections(sections);
const names = [
  "0000000000000000.state",
  "chunks/1/0000000000000000.site",
  "beacons/0000000000000000.beacons",
];

/** The real disk, some of whose calls are others. */
const diskWith = (calls: Partial<Disk>): Disk => Object.assign(Object.create(systemDisk), calls);

const write = (disk: Disk, folder: string) =>
  writeCheckpoint(disk, folder, {
    seq: 0,
    folderId: "0".repeat(32),
    files: names.map((name) => ({ name, sections })),
  });

test.each(["data", "data/", "./data", "data//", "other/../data/."])(
  "a checkpoint is written, and each directory synced, where the folder is named %s",
  (spelling) =>
    withFolder(async (top) => {
      const folder = `${top}/${spelling}`;
      systemDisk.makeDirectory(join(top, "other"));
      systemDisk.makeDirectory(folder);
      const synced: string[] = [];
      const disk = diskWith({
        syncDirectory(path) {
          synced.push(relative(join(top, "data"), path));
          systemDisk.syncDirectory(path);
        },
      });
      const manifest = write(disk, folder);
      const name = manifestName(0);
      expect(decodeManifest(systemDisk.read(join(top, "data", name)), name, {})).toEqual(manifest);
      for (const entry of manifest.files) {
        expect(entry).toMatchObject({ bytes: bytes.length, checksum: fileChecksum(bytes) });
        expect(Buffer.from(systemDisk.read(join(top, "data", entry.name))).equals(bytes)).toBeTrue();
      }
      expect(synced.at(-1)).toBe("");
      expect(synced.slice(0, -1).toSorted()).toEqual(["", "beacons", "chunks", "chunks/1"]);
    }),
);

test("a clean-up leaves directories and files that are in use, and removes everything else", () =>
  withFolder(async (folder) => {
    const manifest = write(systemDisk, folder);
    const left = ["chunks/1/@eaDir", "chunks/1/x.chunk", "chunks/1/x.facts", "beacons/.snapshot"];
    for (const name of left) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, "inside"), "");
    }
    const stale = ["0000000000000001.state", "chunks/1/y.chunk", "chunks/1/y.facts", "beacons/y.beacons"];
    for (const name of [...stale, "chunks/1/.nfs0001"]) writeFileSync(join(folder, name), "");
    const failing = (code: string) =>
      diskWith({
        remove(path) {
          if (path.includes(".nfs")) throw new DiskError("remove", path, code);
          systemDisk.remove(path);
        },
      });
    removeOthers(failing("EBUSY"), folder, [manifest], []);
    const files = [...systemDisk.sizesBelow(folder).keys()].sort();
    const inside = left.map((name) => `${name}/inside`);
    expect(files).toEqual([...names, manifestName(0), ...inside, "chunks/1/.nfs0001"].sort());
    for (const code of ["EIO", "EACCES", "EPERM"])
      expect(() => removeOthers(failing(code), folder, [manifest], [])).toThrow(code);
  }));
