/** A restore takes what the list of a backup names, and nothing else. */
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { restoreInto } from "../../src/cli/backup/restoration.ts";
import { withFolder } from "../support/folder.ts";

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
