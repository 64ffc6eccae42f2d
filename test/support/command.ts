/** Runs a command of the program in this process. */
import { run } from "./program.ts";
import { RecordedTerminal } from "./recorded-terminal.ts";

/** Runs the command on a data folder, and returns what it printed, line by line, and its exit code. */
export async function command(folder: string, ...words: string[]) {
  const terminal = new RecordedTerminal();
  terminal.note = terminal.print;
  const exitCode = await run([...words, "--data", folder], {}, terminal);
  return { exitCode, printed: terminal.printed.join("\n") };
}
