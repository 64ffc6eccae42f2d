/**
 * The names of values in the language of the page, whose words have them. The server and addresses have English ones, and
 * filters keep them; a name that the words do not have stays.
 */
import { unknownLabel } from "../../../core/questions/dimension.ts";
import type { FilterName } from "../../../core/questions/stored-dimension.ts";
import type { Filter } from "../../../core/questions/query.ts";
import { label } from "../../../core/questions/label.ts";
import { language, namesOf, translated } from "./words.ts";

/** An English name, and that in the language of the page. */
type Name = readonly [english: string, own: string];

/** All values of the dimensions that have few, but for the unknown one. Exported for tests. */
export const fewValues = {
  channel:
    "Search, Social, AI, Video, Email, SMS, Paid search, Paid social, Display, Affiliate, Referral, Direct".split(
      ", ",
    ),
  device: "Desktop, Mobile, Tablet, TV, Console, Wearable".split(", "),
} as const satisfies Readonly<Partial<Record<FilterName, readonly string[]>>>;

type NamedDimension = "country" | "language" | keyof typeof fewValues;

/** Returns whether values of the dimension have another name in the page's language. */
export function isNamed(name: FilterName): name is NamedDimension {
  return language !== "en" && ["country", "language", "channel", "device"].includes(name);
}

/** The parts of a dialect's name: German (Austria). */
const parts = /[^()]+(?=\)| \(|$)/g;

/** Returns the name of a value that the server sends for a dimension. Dialects such as German (Austria) have two. */
export function valueName(name: FilterName, value: string): string {
  if (!isNamed(name)) return label(value === unknownLabel ? translated(value) : value);
  return label(name === "language" ? value.replace(parts, translated) : translated(value));
}

function namesFor(name: NamedDimension): readonly Name[] {
  const few = name === "channel" || name === "device" ? fewValues[name] : [];
  const own = [unknownLabel, ...few].map((value): Name => [value, translated(value)]);
  return name === "country" || name === "language" ? [...own, ...namesOf(name)] : own;
}

/**
 * The most characters of the names of a search, as an address has them: nginx and Apache refuse a request whose first line
 * has over 8,000. The names of all countries have fewer, and so have those of all languages with a code of two letters,
 * which come first.
 */
const searchedMax = 3_400;

/** Returns the English names of those that contain `text`, as many as an address has room for. Exported for tests. */
export function namesLike(text: string, names: readonly Name[]): string[] {
  const wanted = text.toLowerCase();
  let characters = 0;
  return names
    .filter(([, own]) => own.toLowerCase().includes(wanted))
    .map(([english]) => english)
    .filter((english) => (characters += encodeURIComponent(english).length + 1) <= searchedMax);
}

/** Returns the filter for the values that contain `text`: the server knows only their English names. */
export function containing(name: FilterName, text: string): Filter {
  return isNamed(name)
    ? { name, operator: "in", operands: [text, ...namesLike(text, namesFor(name))] }
    : { name, operator: "contains", operands: [text] };
}

/** Returns the value that a person means by its name, in whatever case, or else the text itself. */
export function valueNamed(name: FilterName, text: string): string {
  if (!isNamed(name)) return text;
  const found = englishOf(text, namesFor(name));
  if (found !== undefined || name !== "language") return found ?? text;
  return text.replace(parts, (part) => englishOf(part, [...namesFor(name), ...namesFor("country")]) ?? part);
}

function englishOf(text: string, names: readonly Name[]): string | undefined {
  const wanted = text.toLowerCase();
  return names.find(([, own]) => own.toLowerCase() === wanted)?.[0];
}
