/** The entry point of the program and of the executable. */
import { run } from "./cli/run.ts";
import { systemTerminal } from "./cli/terminal/terminal.ts";

// Not awaited here: while the first module waits, Bun 1.4.5 prints an error that nothing catches and goes on, also where nothing
// of the command is left.
void run(Bun.argv.slice(2), process.env, systemTerminal).then((code) => process.exit(code));
