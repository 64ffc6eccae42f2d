/** A restore takes what the list of a backup names, and nothing else. */
import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { restoreInto } from "../../src/cli/backup/restoration.ts";
import { storedNames } from "../../src/engine/checkpoint/checkpoint-names.ts";
import { filesAtRest } from "../../src/engine/pinned-files.ts";
import { systemDisk } from "../../src/lib/disk/disk.ts";
import { restoringName } from "../../src/engine/opening/new-folder.ts";
import { listFiles } from "../../src/snapshot/backup-list.ts";
import { command } from "../support/command.ts";
import { withFolder } from "../support/folder.ts";
import { testWith } from "../support/needs.ts";
import { makeSoundFolder } from "../support/sound-folder.ts";

test("a file that the list does not name is refused, and nothing of the backup stays", () =>
  withFolder(async (folder) => {
    const target = join(folder, "restored");
    const list = { folderId: "0".repeat(32), seq: 0, madeMs: 0, files: [] };
    const restored = restoreInto(target, async (put) => {
      put("0000000000000009.manifest", new Uint8Array(1));
      return list;
    });
    expect(restored).rejects.toThrow("a file that its list does not name: 0000000000000009.manifest");
    await restored.catch(() => {});
    expect(readdirSync(folder)).toEqual([]);
  }));

test("a backup whose log is damaged is refused, with what can be done with it", () =>
  withFolder(async (folder) => {
    const [source, target] = [join(folder, "source"), join(folder, "restored")];
    await makeSoundFolder(source);
    const files = filesAtRest(systemDisk, source);
    const segment = join(source, "wal", files.log.at(-1)!.name);
    const bytes = readFileSync(segment);
    writeFileSync(segment, bytes.fill((bytes[200] as number) ^ 4, 200, 201));
    const list = listFiles(systemDisk, source, files, storedNames, 0);
    const restored = restoreInto(target, async (put) => {
      for (const entry of list.files)
        put(entry.name, readFileSync(join(source, entry.name)).subarray(0, entry.bytes));
      return list;
    });
    // No advice for a folder that is not there.
    await expect(restored).rejects.toThrow(
      /^the backup cannot be restored: \S+\.wal at byte \d+: [^;]* is damaged; restore another one, or unpack it [^;]*'footfall repair' can keep$/,
    );
    expect(readdirSync(folder)).toEqual(["source"]);
  }));

testWith(
  "mount",
  "what an interrupted restore left and cannot be removed is named, with the system's reason",
  () =>
    withFolder(async (folder) => {
      const mounted = join(folder, restoringName, "mounted");
      mkdirSync(mounted, { recursive: true });
      const run = (...command: string[]) => expect(Bun.spawnSync(command).exitCode).toBe(0);
      run("mount", "--bind", mounted, mounted);
      try {
        expect(await command(folder, "restore", join(folder, "backup.tar"))).toEqual({
          exitCode: 2,
          printed: expect.stringMatching(/^footfall: cannot remove \S+: .+ \(EBUSY\)$/),
        });
      } finally {
        run("umount", mounted);
      }
    }),
);
