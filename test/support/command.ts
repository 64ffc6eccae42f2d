/** Runs a command of the program in this process. */
import type { Terminal } from "../../src/cli/terminal/terminal.ts";
import { run } from "./program.ts";

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
