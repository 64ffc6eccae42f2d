/** Runs a command of the program in this process. */
import { mock } from "bun:test";
import { join } from "node:path";
import { run } from "../../src/cli/run.ts";
import type { Terminal } from "../../src/cli/terminal/terminal.ts";

// A command that lets all others go first would do so for the tests of this process that follow, and what they start.
mock.module(join(import.meta.dir, "../../src/lib/priority.ts"), () => ({ goLast() {} }));

/** Runs the command on a data folder, and returns what it printed, line by line, and its exit code. */
export async function command(folder: string, ...words: string[]) {
  const printed: string[] = [];
  const terminal: Terminal = {
    input: (async function* () {})(),
    watched: false,
    print: (line) => printed.push(line),
    printData: (text) => printed.push(text),
    note: (line) => printed.push(line),
    status: () => {},
    readPassword: async () => "",
  };
  const exitCode = await run([...words, "--data", folder], {}, terminal);
  return { exitCode, printed: printed.join("\n") };
}
