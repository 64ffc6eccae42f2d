/** The command line of a program beside the tests: parsing and `--help` follow from one table of its options. */
import { parseArgs } from "node:util";

export interface Option {
  /** One sentence. */
  readonly about: string;
  /** The word for its value: `N` is a whole number, which may end in k or m. Without it the option is a switch. */
  readonly value?: string;
  readonly fallback?: string;
  /** Its value is some of these words, with commas between them. */
  readonly words?: readonly string[];
}

export type OptionTable = Readonly<Record<string, Option>>;

type ValueOf<O extends Option> = O extends { readonly value: string }
  ? O extends { readonly fallback: string }
    ? string
    : string | undefined
  : boolean;

export type OptionValues<T extends OptionTable> = { readonly [K in keyof T]: ValueOf<T[K]> };

export interface Program {
  /** The command, such as `npm run bench`. */
  readonly name: string;
  readonly about: string;
  readonly table: OptionTable;
}

/** Returns the values of a command line, its `--help`, or what is wrong with it in one line. */
export function parseOptions<T extends OptionTable>(
  program: Program & { readonly table: T },
  argv: readonly string[],
): { values: OptionValues<T> } | { help: string } | { wrong: string } {
  const { table, name } = program;
  const options = Object.fromEntries([
    ["help", { type: "boolean" as const }],
    ...Object.entries<Option>(table).map(([option, { value }]) => [
      option,
      { type: value === undefined ? ("boolean" as const) : ("string" as const) },
    ]),
  ]) as Record<string, { type: "string" | "boolean" }>;
  const wrong = (text: string) => ({ wrong: `${text}; see ${name} -- --help` });
  let given: Record<string, unknown>;
  try {
    given = parseArgs({ args: [...argv], options }).values;
  } catch (error) {
    if (!String((error as { code?: unknown }).code).startsWith("ERR_PARSE_ARGS")) throw error;
    // Its second sentence is about words that are no options, which none of these programs takes.
    return wrong((error as Error).message.split(/\.\s/)[0] as string);
  }
  if (given["help"]) return { help: helpOf(program) };
  for (const [option, { value, words }] of Object.entries<Option>(table)) {
    const text = given[option];
    if (text === undefined) continue;
    if (value === "N") {
      const number = numberIn(String(text));
      if (number === undefined)
        return wrong(
          `--${option}: got ${JSON.stringify(text)}, expected a whole number such as 5000, 100k or 1m`,
        );
      given[option] = String(number);
    }
    const unknown =
      words &&
      String(text)
        .split(",")
        .find((word) => !words.includes(word));
    if (unknown !== undefined)
      return wrong(`--${option}: got ${JSON.stringify(unknown)}, expected some of ${words?.join(", ")}`);
  }
  const values = Object.entries<Option>(table).map(([option, { value, fallback }]) => [
    option,
    given[option] ?? fallback ?? (value === undefined ? false : undefined),
  ]);
  return { values: Object.fromEntries(values) as OptionValues<T> };
}

/** Returns the values of the process's command line. It ends the process for `--help`, or with code 2 for what is wrong. */
export function optionsOf<T extends OptionTable>(program: Program & { readonly table: T }): OptionValues<T> {
  const parsed = parseOptions(program, process.argv.slice(2));
  if ("values" in parsed) return parsed.values;
  if ("help" in parsed) console.log(parsed.help);
  else console.error(parsed.wrong);
  process.exit("help" in parsed ? 0 : 2);
}

/** Returns undefined for anything but digits, and thousands (k) or millions (m). */
function numberIn(text: string): number | undefined {
  const [, digits, unit = ""] = /^(\d{1,12})([km]?)$/i.exec(text) ?? [];
  if (digits === undefined) return undefined;
  return Number(digits) * { "": 1, k: 1_000, m: 1_000_000 }[unit.toLowerCase() as "" | "k" | "m"];
}

function helpOf({ name, about, table }: Program): string {
  return [
    `${name} [-- OPTIONS]`,
    `  ${about}`,
    "",
    ...Object.entries(table).flatMap(([option, { about: says, value, fallback, words }]) => [
      `  --${option}${value === undefined ? "" : ` ${value}`}`,
      `      ${says}${fallback === undefined ? "" : ` (default: ${fallback})`}`,
      ...(words === undefined ? [] : [`      ${words.join(", ")}`]),
    ]),
  ].join("\n");
}
