/** The table of shortcuts on a website's page: what each does, as an address or as an action. */
import { stepped, type PeriodName } from "../lib/calendar/period.ts";
import { questionHref, type Question } from "../lib/question/question.ts";
import { websitesHref } from "../lib/routes.ts";

export type ActionName = "addFilter" | "customPeriod" | "help";

interface KeyRow {
  readonly key: string;
  readonly does: string;
  /** Returns the address to which the key leads; undefined if there is none. */
  readonly href?: (question: Question, nowMs: number) => string | undefined;
  readonly action?: ActionName;
}

const periodKeys: Readonly<Record<Exclude<PeriodName, "custom">, string>> = {
  today: "t",
  "7d": "w",
  "30d": "m",
  "12mo": "y",
  all: "a",
};

export function keyOfPeriod(name: Exclude<PeriodName, "custom">): string {
  return periodKeys[name];
}

const toPeriod =
  (name: Exclude<PeriodName, "custom">) =>
  (question: Question): string =>
    questionHref({ ...question, period: { name } });

const step =
  (direction: -1 | 1) =>
  (question: Question, nowMs: number): string | undefined => {
    const period = stepped(question.period, question.zone, nowMs, direction);
    return period && questionHref({ ...question, period });
  };

export const keys: readonly KeyRow[] = [
  { key: periodKeys.today, does: "Today", href: toPeriod("today") },
  { key: periodKeys["7d"], does: "Last 7 days", href: toPeriod("7d") },
  { key: periodKeys["30d"], does: "Last 30 days", href: toPeriod("30d") },
  { key: periodKeys["12mo"], does: "Last 12 months", href: toPeriod("12mo") },
  { key: periodKeys.all, does: "All time", href: toPeriod("all") },
  { key: "c", does: "Choose dates", action: "customPeriod" },
  { key: "[", does: "Previous period", href: step(-1) },
  { key: "]", does: "Next period", href: step(1) },
  {
    key: "p",
    does: "Turn comparison with the previous period on or off",
    href: (question) =>
      question.period.name === "all" ? undefined : questionHref({ ...question, compare: !question.compare }),
  },
  { key: "f", does: "Add a filter", action: "addFilter" },
  { key: "x", does: "Clear all filters", href: (question) => questionHref({ ...question, filters: [] }) },
  { key: "g", does: "Go to the websites", href: () => websitesHref },
  { key: "?", does: "Show keyboard shortcuts", action: "help" },
];

export type Stroke = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey" | "repeat">;

/**
 * Returns the row for a key stroke. On many keyboards Alt, or AltGr (on Windows Ctrl and Alt), is needed to type a
 * sign; with a letter it is another program's shortcut. A capital counts only if Caps Lock made it.
 */
export function keyRow({ key, ctrlKey, metaKey, altKey, shiftKey, repeat }: Stroke): KeyRow | undefined {
  const letter = /^[a-z]$/i.test(key);
  if (metaKey || repeat || (letter ? ctrlKey || altKey || shiftKey : ctrlKey && !altKey)) return undefined;
  const plain = letter ? key.toLowerCase() : key;
  return keys.find((row) => row.key === plain);
}
