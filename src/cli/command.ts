/** What a command is: how it is called, in words that the parser and the help text share, and what it does. */
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { Settings } from "./settings.ts";
import type { Terminal } from "./terminal.ts";

export interface CommandFlag {
  readonly name: string;
  /** What stands for its value in the help. */
  readonly placeholder: string;
  readonly required: boolean;
}

export interface Command {
  /** What it is called by, such as `user add`; the one without words runs when there is no word. */
  readonly words: readonly string[];
  /** What stands for each operand in the help; all are required. */
  readonly operands: readonly string[];
  readonly flags: readonly CommandFlag[];
  readonly description: string;
  /** Throws what failure.ts explains. */
  run(call: Call): Promise<void>;
}

/** One call of a command. */
export interface Call {
  readonly settings: Settings;
  /** As many as the command has. */
  readonly operands: readonly string[];
  /** Those of the command that were given, by name. */
  readonly flags: ReadonlyMap<string, string>;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly random: Random;
}

/** `import access-log FILE --website HOST`. */
export function usageOf({ words, operands, flags }: Command): string {
  const shown = flags.map(({ name, placeholder, required }) => {
    const flag = `--${name} ${placeholder}`;
    return required ? flag : `[${flag}]`;
  });
  return [...words, ...operands, ...shown].join(" ");
}
