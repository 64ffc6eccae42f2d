/** The program, run in this process: its commands take arguments and a terminal, and return an exit code. */
import { mock } from "bun:test";
import { join } from "node:path";

export { run } from "../../src/cli/run.ts";

// A command that lets all others go first would do so for the tests of this process that follow, and what they start.
mock.module(join(import.meta.dir, "../../src/lib/threads/priority.ts"), () => ({ goLast() {} }));
