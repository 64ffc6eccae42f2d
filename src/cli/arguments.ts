/**
 * Parses the command line into a command and its values. Flags may be anywhere, as `--port 9000` or `--port=9000`.
 * After `--` nothing is a flag, and `-` alone never is one.
 */
import { Refusal, shown } from "../core/refusal.ts";
import { bareHostname } from "../core/addresses/pasted-hostname.ts";
import { usageOf, type Call, type Command } from "./command.ts";
import { nearest } from "./terminal/nearest.ts";
import { parseSwitch } from "./settings/values.ts";
import { settingsTable, type Flags, type SettingName } from "./settings/settings.ts";

export interface ParsedCall extends Pick<Call, "operands" | "flags" | "lists"> {
  readonly command: Command;
  readonly settingFlags: Flags;
}

/** The command whose own help is asked for. */
export interface HelpCall {
  readonly help: Command;
}

/** The commands that begin with the words that were given alone, such as `user`. */
export interface GroupCall {
  readonly group: readonly Command[];
}

/**
 * The words for a hostname in the help: an address counts as the hostname in it. One of a page does not: who removes that means
 * the page.
 */
const hostWords: readonly (string | undefined)[] = ["HOST", "TO"];

/** The value of a switch, which is given without one. */
const switchedOn = "true";

interface Split {
  readonly words: readonly string[];
  /** Values by the name of the flag, in their order. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
}

/** Parses the arguments. Throws Refusal for anything that no command understands. */
export function parseArguments(
  argv: readonly string[],
  commands: readonly Command[],
): ParsedCall | HelpCall | GroupCall | "help" | "version" {
  const given = split(argv, switchesAndFlags(commands));
  const { flags } = given;
  const asksHelp = given.words[0] === "help";
  const words = asksHelp ? given.words.slice(1) : given.words;
  const group = groupOf(words, commands);
  if (isOn("help", flags.get("help")) || asksHelp) {
    if (group.length > 0) return { group };
    return words.length === 0 ? "help" : { help: commandOf(words, commands) };
  }
  if (isOn("version", flags.get("version"))) return "version";
  if (group.length > 0) return { group };
  const command = commandOf(words, commands);
  const { operands: named = [], flags: own = [] } = command;
  const operands = words
    .slice(command.words.length)
    .map((word, at) => (hostWords.includes(named[at]) ? bareHostname(word) : word));
  const surplus = operands.length - named.length;
  const surplusMax = command.takesMore ? Infinity : command.optional === undefined ? 0 : 1;
  if (surplus < 0 || surplus > surplusMax) throw misused(command);
  const settingFlags: Flags = {};
  const found = new Map<string, string>();
  const lists = new Map<string, readonly string[]>();
  for (const [name, values] of flags) {
    const setting = settingOf.get(name);
    const flag = own.find((known) => known.name === name);
    // The last one counts, where one is expected.
    const value = values.at(-1)!;
    if (setting !== undefined) settingFlags[setting] = value;
    else if (flag?.repeats) lists.set(name, values);
    else if (flag !== undefined && flag.placeholder === undefined) {
      if (isOn(name, values)) found.set(name, switchedOn);
    } else if (flag !== undefined)
      found.set(name, hostWords.includes(flag.placeholder) ? bareHostname(value) : value);
    else throw new Refusal(400, `--${name} does not belong to this command; ${usageText(command)}`);
  }
  if (own.some(({ name, required }) => required && !found.has(name) && !lists.has(name)))
    throw misused(command);
  return { command, operands, flags: found, lists, settingFlags };
}

/** Returns whether a switch is given, and not as `--name=false`; the last one counts. Throws Refusal for any other value. */
function isOn(name: string, values: readonly string[] = []): boolean {
  const value = values.at(-1);
  return value !== undefined && parseSwitch(value, `--${name}`);
}

const settingOf = new Map<string | null, SettingName>(
  (Object.keys(settingsTable) as SettingName[]).map((name) => [settingsTable[name].flag, name]),
);

/** Returns whether each known flag takes a value, by name. */
function switchesAndFlags(commands: readonly Command[]): ReadonlyMap<string, boolean> {
  const known = new Map([
    ["help", false],
    ["version", false],
  ]);
  for (const row of Object.values(settingsTable)) known.set(row.flag, "placeholder" in row);
  for (const { name, placeholder } of commands.flatMap(({ flags = [] }) => flags))
    known.set(name, placeholder !== undefined);
  return known;
}

function split(argv: readonly string[], known: ReadonlyMap<string, boolean>): Split {
  const words: string[] = [];
  const flags = new Map<string, string[]>();
  const rest = argv.values();
  for (const argument of rest) {
    if (argument === "--") return { words: [...words, ...rest], flags };
    if (argument === "-" || !argument.startsWith("-")) {
      words.push(argument);
      continue;
    }
    const equals = argument.indexOf("=");
    const flag = equals < 0 ? argument : argument.slice(0, equals);
    const name = flag === "-h" ? "help" : flag.startsWith("--") ? flag.slice(2) : "";
    const takesValue = known.get(name);
    if (takesValue === undefined)
      throw unknown(
        "flag",
        flag,
        nearest(
          flag,
          [...known.keys()].map((each) => `--${each}`),
        ),
      );
    const next = () => (takesValue ? rest.next().value : switchedOn);
    const value = equals < 0 ? next() : argument.slice(equals + 1);
    if (!value) throw new Refusal(400, `${flag} needs a value; see footfall --help`);
    flags.set(name, [...(flags.get(name) ?? []), value]);
  }
  return { words, flags };
}

/** Returns the command with the most words among those with which the line begins. */
function commandOf(words: readonly string[], commands: readonly Command[]): Command {
  if (words.length === 0) return commands[0]!;
  const found = knownCommand(words, commands);
  if (found !== undefined) return found;
  const meant = nearestCommand(words, commands);
  throw unknown("command", words.join(" "), meant?.words.join(" "));
}

/** Returns the command whose words are most like those with which the line begins, in their number. */
function nearestCommand(words: readonly string[], commands: readonly Command[]): Command | undefined {
  const lengths = [...new Set(commands.map((command) => command.words.length))].sort((a, b) => b - a);
  for (const length of lengths) {
    const known = commands.filter((command) => command.words.length === length);
    const text = (command: Command) => command.words.join(" ");
    const meant = nearest(words.slice(0, length).join(" "), known.map(text));
    if (meant !== undefined) return known.find((command) => text(command) === meant);
  }
  return undefined;
}

function unknown(what: string, given: string, meant: string | undefined): Refusal {
  const suggested = meant === undefined ? "" : ` (did you mean ${meant}?)`;
  return new Refusal(400, `unknown ${what} ${shown(given)}${suggested}; see footfall --help`);
}

/** Returns the commands that begin with these words; none if the words are none, or a command. */
function groupOf(words: readonly string[], commands: readonly Command[]): readonly Command[] {
  if (words.length === 0 || knownCommand(words, commands) !== undefined) return [];
  return commands.filter((command) => words.every((word, at) => command.words[at] === word));
}

function knownCommand(words: readonly string[], commands: readonly Command[]): Command | undefined {
  return commands
    .filter((command) => command.words.every((word, at) => words[at] === word))
    .sort((a, b) => b.words.length - a.words.length)[0];
}

function misused(command: Command): Refusal {
  return new Refusal(400, usageText(command));
}

function usageText(command: Command): string {
  return `usage: footfall ${usageOf(command)}`;
}
