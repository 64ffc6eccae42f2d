/** The rules of a website as texts of a form: one entry a line. */
import { valueName, valueNamed } from "../texts/names.ts";
import { languages } from "../texts/words.ts";
import { isLocal } from "./snippet.ts";

/** The rules as the API has them. */
export interface Rules {
  readonly blocked_networks: readonly string[];
  readonly blocked_countries: readonly string[];
  readonly blocked_paths: readonly string[];
  readonly blocked_referrers: readonly string[];
  readonly count_crawlers: boolean;
  readonly count_referrer_spam: boolean;
  readonly ignored_referrers: readonly string[];
}

export const ruleLists = [
  "blocked_networks",
  "blocked_countries",
  "blocked_paths",
  "blocked_referrers",
  "ignored_referrers",
] as const;
export type RuleList = (typeof ruleLists)[number];
export type ListTexts = Readonly<Record<RuleList, string>>;

export const countNames = ["count_crawlers", "count_referrer_spam"] as const;
export type CountName = (typeof countNames)[number];
/** The rules as a form has them: lists as texts. */
export type RuleFields = ListTexts & Pick<Rules, CountName>;

export function fieldsOf(rules: Rules): RuleFields {
  return {
    count_crawlers: rules.count_crawlers,
    count_referrer_spam: rules.count_referrer_spam,
    blocked_networks: rules.blocked_networks.join("\n"),
    blocked_countries: rules.blocked_countries.map((name) => valueName("country", name)).join("\n"),
    blocked_paths: rules.blocked_paths.map(readablePath).join("\n"),
    blocked_referrers: rules.blocked_referrers.join("\n"),
    ignored_referrers: rules.ignored_referrers.join("\n"),
  };
}

/** Returns the lines of a text that are not empty. */
export function entriesOf(text: string): string[] {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/**
 * Returns the fields that are others than `kept`, as the API takes them: others may have changed the rest meanwhile. Of a
 * list, what they have added and removed since `kept` stays so. `now`: the rules of this moment.
 */
export function changesOf(kept: RuleFields, fields: RuleFields, now: Rules): Partial<Rules> {
  const others = fieldsOf(now);
  const lists = ruleLists.map(
    (name) => [name, entriesFor(name, mergedLines(kept[name], fields[name], others[name]))] as const,
  );
  const counts = countNames.map((name) => [name, fields[name]] as const);
  return Object.fromEntries([...lists, ...counts].filter(([name]) => fields[name] !== kept[name]));
}

/** Returns the lines of `typed` with what others have changed, from `before` to `now`. */
export function mergedLines(before: string, typed: string, now: string): string[] {
  const [was, own, is] = [before, typed, now].map(entriesOf) as [string[], string[], string[]];
  const isRemoved = (line: string) => was.includes(line) && !is.includes(line);
  const isAdded = (line: string) => is.includes(line) && !was.includes(line) && !own.includes(line);
  return [...own.filter((line) => !isRemoved(line)), ...is.filter(isAdded)];
}

/** Returns the entries of a list as the API takes them: countries by their English names. */
function entriesFor(list: RuleList, entries: readonly string[]): readonly string[] {
  return list === "blocked_countries" ? entries.map((name) => countryNamed(name)) : entries;
}

/**
 * Returns the English name or the code of the country that a person means by its name in any language of the page, such as
 * Deutschland; else the text itself, for the server to judge. `codes`: the languages. Exported for tests.
 */
export function countryNamed(text: string, codes = languages): string {
  const own = valueNamed("country", text);
  if (own !== text) return own;
  const wanted = text.toLowerCase();
  for (const code of codes) {
    const names = new Intl.DisplayNames(code, { type: "region", fallback: "none" });
    const found = regions.find((region) => names.of(region)?.toLowerCase() === wanted);
    if (found !== undefined) return found;
  }
  return text;
}

const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
/** The codes of regions, without those of the past, which have the names of others. */
const regions = letters
  .flatMap((first) => letters.map((second) => first + second))
  .filter((region) => Intl.getCanonicalLocales(`und-${region}`)[0] === `und-${region}`);

/** Returns a path decoded, if the server would encode it to the same path again. */
function readablePath(path: string): string {
  try {
    const readable = decodeURI(path);
    return new URL(`http://website${readable}`).pathname === path ? readable : path;
  } catch {
    return path;
  }
}

/** Returns the address of a website's first page with a fragment for the tracker. */
export function trackerHref(hostname: string, mode: "ignore" | "count" | "debug"): string {
  return `${isLocal(hostname) ? "http" : "https"}://${hostname}/#footfall-${mode}`;
}
