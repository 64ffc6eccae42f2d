/** The table of shortcuts on a website's page: what each does, as an address or as an action. */
import { usualComparison } from "../../lib/calendar/comparison.ts";
import { periodLabels, stepped, type PeriodName } from "../../lib/calendar/period.ts";
import { questionHref, type Question } from "../../lib/question/question.ts";
import { liveHref, websitesHref } from "../../lib/routes.ts";
import { t } from "../../lib/texts/words.ts";

export type ActionName = "addFilter" | "customPeriod" | "switcher" | "help";

interface KeyRow {
  readonly key: string;
  readonly does: string;
  /** Returns the address to which the key leads; undefined if there is none. */
  readonly href?: (question: Question, nowMs: number) => string | undefined;
  readonly action?: ActionName;
  /** Whether a page that was opened by a link does not have it. */
  readonly ofAccounts?: true;
}

type Named = Exclude<PeriodName, "custom">;

const periodKeys = {
  today: "t",
  yesterday: "e",
  "24h": "h",
  "7d": "w",
  "30d": "m",
  "12mo": "y",
  all: "a",
} as const satisfies Readonly<Partial<Record<Named, string>>>;

/** Returns the key that leads to a period; undefined if it has none. */
export function keyOfPeriod(name: Named): string | undefined {
  return name in periodKeys ? periodKeys[name as keyof typeof periodKeys] : undefined;
}

const toPeriod =
  (name: Named) =>
  (question: Question): string =>
    questionHref({ ...question, period: { name } });

const step =
  (direction: -1 | 1) =>
  (question: Question, nowMs: number): string | undefined => {
    const period = stepped(question.period, question.zone, nowMs, direction);
    return period && questionHref({ ...question, period });
  };

export const keys: readonly KeyRow[] = [
  ...(Object.keys(periodKeys) as (keyof typeof periodKeys)[]).map((name) => ({
    key: periodKeys[name],
    does: periodLabels[name],
    href: toPeriod(name),
  })),
  { key: "c", does: t("Choose dates"), action: "customPeriod" },
  { key: "[", does: t("Previous period"), href: step(-1) },
  { key: "]", does: t("Next period"), href: step(1) },
  {
    key: "p",
    does: t("Turn the comparison on or off"),
    href: (question) =>
      question.period.name === "all"
        ? undefined
        : questionHref({
            ...question,
            compare: question.compare.name === "none" ? usualComparison : { name: "none" },
          }),
  },
  {
    key: "k",
    does: t("Switch to another website, filter, or open a page"),
    action: "switcher",
    ofAccounts: true,
  },
  { key: "/", does: t("The same"), action: "switcher", ofAccounts: true },
  { key: "f", does: t("Add a filter"), action: "addFilter" },
  { key: "x", does: t("Clear all filters"), href: (question) => questionHref({ ...question, filters: [] }) },
  {
    key: "l",
    does: t("Show what happens now"),
    href: ({ hostname }) => liveHref(hostname),
    ofAccounts: true,
  },
  { key: "g", does: t("Go to the websites"), href: () => websitesHref, ofAccounts: true },
  { key: "?", does: t("Show keyboard shortcuts"), action: "help" },
];

export function keysFor({ shared }: Question): readonly KeyRow[] {
  return shared === undefined ? keys : keys.filter(({ ofAccounts }) => ofAccounts !== true);
}

export type Stroke = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey" | "repeat">;

/**
 * Returns the row for a key stroke. On many keyboards Alt, or AltGr (on Windows Ctrl and Alt), is needed to type a
 * sign; with a letter it is another program's shortcut. A capital counts only if Caps Lock made it.
 */
export function keyRow(
  { key, ctrlKey, metaKey, altKey, shiftKey, repeat }: Stroke,
  rows = keys,
): KeyRow | undefined {
  const letter = /^[a-z]$/i.test(key);
  if (metaKey || repeat || (letter ? ctrlKey || altKey || shiftKey : ctrlKey && !altKey)) return undefined;
  const plain = letter ? key.toLowerCase() : key;
  return rows.find((row) => row.key === plain);
}
