/** The types of a command: its name, operands and flags, which the parser and the help text share, and its function. */
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { Environment, Settings } from "./settings/settings.ts";
import type { Terminal } from "./terminal/terminal.ts";

export interface CommandFlag {
  readonly name: string;
  /** The word for its value in the help; missing for a switch, which has none. */
  readonly placeholder?: string;
  /** Whether the command needs it. */
  readonly required?: boolean;
  /** Whether it may be given several times: its values are in `lists`. */
  readonly repeats?: true;
  /** Says in the command's own help what the flag does. */
  readonly description?: string;
}

export interface Command {
  /** The words that call it, such as `user add`. The command without words runs if none is given. */
  readonly words: readonly string[];
  /** The word for each operand in the help; all of them are required. It has none by default. */
  readonly operands?: readonly string[];
  /** The word for one more that may be missing. */
  readonly optional?: string;
  /** Whether the last operand may be given several times. */
  readonly takesMore?: true;
  readonly flags?: readonly CommandFlag[];
  readonly description: string;
  /** Further lines of the command's own help: pairs of a word and what it stands for. */
  readonly details?: readonly (readonly [word: string, text: string])[];
  /** The settings that its own help shows: by default the data folder. */
  readonly settings?: readonly (keyof Settings)[];
  /** The meaning of its exit codes, besides 2 for what could not be done. */
  readonly exitCodes?: Readonly<Record<number, string>>;
  /** Runs the command, and returns an exit code other than 0. Throws errors that failure.ts explains. */
  run(call: Call): Promise<number | void>;
}

/** One call of a command. */
export interface Call {
  readonly settings: Settings;
  /** The settings that are variables are read of it, and what else it has. */
  readonly environment: Environment;
  /** The words that are no flags: as many as the command has operands, or more. */
  readonly operands: readonly string[];
  /** The given flags of the command, by name. */
  readonly flags: ReadonlyMap<string, string>;
  /** All values of the given flags that may be repeated, by name. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly random: Random;
}

/** Returns the usage line, such as `import HOST FILE... [--format NAME]`. */
export function usageOf({ words, operands = [], optional, takesMore, flags = [] }: Command): string {
  const shown = flags.map(({ name, placeholder, required, repeats }) => {
    const flag = placeholder === undefined ? `--${name}` : `--${name} ${placeholder}`;
    return (required ? flag : `[${flag}]`) + (repeats ? "..." : "");
  });
  const more = takesMore ? "..." : optional === undefined ? "" : ` [${optional}]`;
  return [[...words, ...operands].join(" ") + more, ...shown].join(" ");
}
