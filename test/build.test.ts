/** The build: whoever has a commit can tell whether an executable is what it makes. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "../bench/idle.ts";
import { useExecutable } from "./support/executable.ts";
import { withFolder } from "./support/folder.ts";
import { longTest } from "./support/long-test.ts";

const root = join(import.meta.dir, "..");

// A build takes five seconds of a processor, which many tests may share.
setDefaultTimeout(180_000);
const executable = useExecutable();

longTest("two builds of one commit are the same, byte for byte", () =>
  withFolder(async (folder) => {
    const again = build(join(folder, "footfall"));
    expect(readFileSync(again).equals(readFileSync(executable))).toBe(true);
  }),
);

test("what is no file and no kind of build is refused, and makes none", () => {
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, "build.ts", "--help"], {
    cwd: root,
    stderr: "pipe",
  });
  expect([exitCode, stderr.toString()]).toEqual([
    1,
    expect.stringContaining("expected --all, --npm or a file"),
  ]);
  expect(existsSync(join(root, "--help"))).toBe(false);
});
