/** The places to which the switcher leads: other websites, pages, periods, and filters by what somebody types. */
import type { AnyRow } from "../../../core/questions/answer.ts";
import { displayOf, type Website } from "../api.ts";
import { periodLabels, periodNames } from "../calendar/period.ts";
import { isolated } from "../../../core/questions/label.ts";
import { definitionsHref, installHref, liveHref, settingsHref, websitesHref } from "../routes.ts";
import { filterLabels, questionHref, withFilter, withoutGoal, type Question } from "./question.ts";
import { suggestionsOf, type Suggestion } from "./suggestions.ts";
import { filterText } from "./value-text.ts";
import { t } from "../texts/words.ts";

/** A suggestion whose value is an address. */
export type Destination = Suggestion & { readonly kind: string };

/** The dimensions whose values are offered as filters, with the rows of each that contain what is typed. */
const searchedNames = ["path", "referrer", "country"] as const;
export type Found = Readonly<Record<(typeof searchedNames)[number], readonly AnyRow[]>>;

/** An account may have many websites; who wants another one types more of its name. */
const websitesMax = 50;
const valuesMax = 4;

/**
 * Returns the same question about another website: period, filters and tabs stay. Goals belong to one website, and entry
 * pages are known only where visits are told apart. Exported for tests.
 */
export function ofWebsite(
  question: Question,
  { hostname, visits }: Pick<Website, "hostname" | "visits">,
): Question {
  const { filters, steps, ...rest } = withoutGoal(question);
  return {
    ...rest,
    hostname,
    visits,
    filters: visits ? filters : filters.filter(({ name }) => name !== "entry"),
    steps: steps.filter((step) => !step.startsWith("goal:")),
  };
}

/** Returns the destinations that fit what is typed, the likeliest first: those of which a word begins with it. */
export function destinationsOf(
  question: Question,
  websites: readonly Website[],
  found: Found | undefined,
  typed: string,
): readonly Destination[] {
  const wanted = typed.trim().toLowerCase();
  const fits = ({ text, kind }: Destination) => `${kind} ${text}`.toLowerCase().includes(wanted);
  const fitting = [
    ...websitesOf(question, websites).filter(fits).slice(0, websitesMax),
    ...[...pagesOf(question, websites), ...periodsOf(question)].filter(fits),
  ];
  if (wanted === "") return fitting;
  const all = [...fitting, ...filtersOf(question, found)];
  const ranked = all.toSorted((a, b) => Number(hasWord(b, wanted)) - Number(hasWord(a, wanted)));
  return [...ranked, containing(question, typed.trim())];
}

/** Whether a word of a destination begins with what is typed in lower case. */
function hasWord({ text }: Destination, wanted: string): boolean {
  const lower = text.toLowerCase();
  return [...lower.matchAll(/(?<![\p{L}\p{N}])./gu)].some(({ index }) => lower.startsWith(wanted, index));
}

function websitesOf(question: Question, websites: readonly Website[]): Destination[] {
  return websites
    .filter(({ hostname }) => hostname !== question.hostname)
    .map((website) => ({
      value: questionHref(ofWebsite(question, website)),
      text: displayOf(website),
      kind: t("Website"),
    }));
}

function pagesOf({ hostname: own }: Question, websites: readonly Website[]): Destination[] {
  const hostname = displayOf(websites.find((website) => website.hostname === own) ?? { hostname: own });
  const pages = [
    [websitesHref, t("Websites")],
    [liveHref(own), t("{hostname} now", { hostname })],
    [installHref(own), t("Set up {hostname}", { hostname })],
    [settingsHref, t("Settings")],
    [definitionsHref, t("What the figures mean")],
  ] as const;
  return pages.map(([value, text]) => ({ value, text, kind: t("Open") }));
}

function periodsOf(question: Question): Destination[] {
  return periodNames
    .filter((name) => name !== "custom")
    .map((name) => ({
      value: questionHref({ ...question, period: { name } }),
      text: periodLabels[name],
      kind: t("Period"),
    }));
}

function filtersOf(question: Question, found: Found | undefined): Destination[] {
  return searchedNames.flatMap((name) =>
    suggestionsOf(name, found?.[name] ?? [])
      .slice(0, valuesMax)
      .map(({ value, text, count }) => ({
        value: questionHref(withFilter(question, { name, operator: "eq", operands: [value] })),
        text: t("{dimension} is {value}", { dimension: filterLabels[name], value: isolated(text) }),
        kind: t("Filter"),
        ...(count !== undefined && { count }),
      })),
  );
}

function containing(question: Question, typed: string): Destination {
  const contains = { name: "path", operator: "contains", operands: [typed] } as const;
  return {
    value: questionHref(withFilter(question, contains)),
    text: filterText(question, contains),
    kind: t("Filter"),
  };
}
