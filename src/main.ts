/** The entry point of the program and of the executable. */
import { run } from "./cli/run.ts";
import { systemTerminal } from "./cli/terminal/terminal.ts";

process.exit(await run(Bun.argv.slice(2), process.env, systemTerminal));
