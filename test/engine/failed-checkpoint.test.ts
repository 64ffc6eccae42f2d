/** A checkpoint that fails in its Worker is logged with the same words as a failure of the disk elsewhere. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { TestClock } from "../support/clock.ts";
import { withFolder } from "../support/folder.ts";
import { linesOf } from "../support/log-lines.ts";
import { openFolder } from "../support/open-folder.ts";
import { load, noonMs } from "../support/records.ts";
import { addWebsites } from "../support/websites.ts";

test("a checkpoint that the disk refuses is logged as a failure of the disk", () =>
  withFolder(async (folder) => {
    const { lines, logger } = linesOf();
    const engine = await openFolder(folder, { clock: new TestClock(noonMs), logger });
    await addWebsites(engine, "a.example");
    await engine.commit(load("a"));
    // The folder of the files cannot be made where a file has its name.
    writeFileSync(join(folder, "chunks"), "");
    expect(await engine["checkpointer"].make().catch(String)).toContain("DiskError: cannot ");
    expect(lines.join("\n")).toMatch(
      /a checkpoint failed; what is newer .* is in the log only.*"?DiskError: cannot /,
    );
    await engine.stop().catch(() => undefined);
  }));
