/** Writes the text of `--help` from the tables of commands and settings. */
import { usageOf, type Command } from "../command.ts";
import { settingsTable, variablesOf, type SettingRow } from "../settings/settings.ts";

/** A setting as the help shows it, and as the table of docs/settings.md must; "" for a part that has nothing to show. */
export interface SettingHelp {
  readonly flag: string;
  readonly variables: string;
  readonly fallback: string;
  readonly description: string;
}

const lineCharacters = 100;

const rows: readonly SettingRow<unknown>[] = Object.values(settingsTable);

/** The settings as the help shows them. Exported for tests. */
export const settingsHelp: readonly SettingHelp[] = rows.map(settingHelp);

function settingHelp(row: SettingRow<unknown>): SettingHelp {
  return {
    flag: `--${[row.flag, row.placeholder ?? []].flat().join(" ")}`,
    variables: variablesOf(row).join(", "),
    fallback: row.fallbackText ?? row.fallback ?? "",
    description: row.description,
  };
}

export function helpText(commands: readonly Command[]): string {
  return [
    "Footfall: self-hosted, cookie-free web analytics",
    "",
    "Commands",
    ...entries(commands),
    "",
    "Settings, as flags or from the environment",
    ...settingsHelp.flatMap(settingLines),
    "",
    "  --help, --version; 'footfall COMMAND --help' explains one command and its exit codes",
  ].join("\n");
}

/** Writes the help of commands that begin with the same words. */
export function groupHelp(commands: readonly Command[]): string {
  return [
    ...entries(commands),
    "",
    "  --help after one of them explains it and its exit codes; 'footfall --help' lists all commands",
  ].join("\n");
}

/** Writes the text of a command's `--help`. */
export function commandHelp(command: Command): string {
  const {
    description,
    flags = [],
    details = [],
    exitCodes = { 0: "it is done" },
    settings = ["folder"],
  } = command;
  const explained = flags.flatMap(({ name, placeholder, description: says }) =>
    says === undefined ? [] : entry(`--${[name, placeholder ?? []].flat().join(" ")}`, says),
  );
  return [
    ...wrapped(`footfall ${usageOf(command)}`, "", "    "),
    ...wrapped(description, "  ", "  "),
    "",
    ...(explained.length === 0 ? [] : ["Flags", ...explained, ""]),
    ...(details.length === 0 ? [] : [...details.flatMap(([word, text]) => entry(word, text)), ""]),
    "Exit codes",
    ...Object.entries({ ...exitCodes, 2: "it could not be done: standard error says why" }).map(
      ([code, meaning]) => `  ${code}  ${meaning}`,
    ),
    "",
    ...settings.flatMap((name) => settingLines(settingHelp(settingsTable[name]))),
    "  'footfall --help' lists all settings",
  ].join("\n");
}

function settingLines({ flag, variables, fallback, description }: SettingHelp): string[] {
  return entry(
    [flag, variables].filter(Boolean).join("  or  "),
    description + (fallback && ` (default: ${fallback})`),
  );
}

function entries(commands: readonly Command[]): string[] {
  return commands.flatMap((command) => entry(`footfall ${usageOf(command)}`, command.description));
}

function entry(name: string, description: string): string[] {
  return [...wrapped(name, "  ", "          "), ...wrapped(description, "      ", "      ")];
}

/** Breaks a text between words, so that its lines fit a terminal. */
function wrapped(text: string, first: string, others: string): string[] {
  const lines: string[] = [];
  let line = first;
  for (const word of text.split(" ")) {
    if (line.length + 1 + word.length > lineCharacters && line.trim() !== "") {
      lines.push(line);
      line = others;
    }
    line += line.trim() === "" ? word : ` ${word}`;
  }
  return [...lines, line];
}
