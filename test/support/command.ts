/** Runs a command of the program in this process. */
import { run } from "../../src/cli/run.ts";
import type { Terminal } from "../../src/cli/terminal.ts";

/** Runs the command on a data folder, and returns what it printed, line by line, and its exit code. */
export async function command(folder: string, ...words: string[]) {
  const printed: string[] = [];
  const terminal: Terminal = {
    input: (async function* () {})(),
    watched: false,
    print: (line) => printed.push(line),
    note: (line) => printed.push(line),
    status: () => {},
    readPassword: async () => "",
  };
  const exitCode = await run([...words, "--data", folder], {}, terminal);
  return { exitCode, printed: printed.join("\n") };
}
