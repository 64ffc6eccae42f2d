/**
 * The list of the questions that a website's page in the dashboard asks the server. It is made from the dashboard's own
 * tables and paths, so that a new tab is measured without a change here; each way to ask them is a row in `ways`.
 */
import type { Filter } from "../src/core/questions/query.ts";
import type { ServerProcess } from "../test/support/server.ts";
import { comparedPairs, earlierChartPath, listPath, summaryPath } from "../src/web/lib/question/paths.ts";
import { type Question } from "../src/web/lib/question/question.ts";
import type { PeriodChoice } from "../src/web/lib/calendar/period.ts";
import { columnsOf } from "../src/web/website/lists/columns.ts";
import { panelsOf, properties, type Tab } from "../src/web/website/lists/panels.ts";
import { endMs, startMs } from "./data.ts";
import { hostname } from "./folder.ts";

/** The nine rows of a panel, and one that tells whether there are more. */
const limit = 10;
const tabsOfPage = [...panelsOf(false), properties].map(({ tabs }) => tabs);

/** All rows of bench/data.ts: dates, so that a measurement is the same whenever it is run. */
export const wholePeriod = {
  name: "custom",
  from: dateOf(startMs),
  to: dateOf(endMs),
} as const satisfies PeriodChoice;

function dateOf(ms: number) {
  const date = new Date(ms);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** The page shows all twelve months. `compared`: whether with a period of as many rows, which are the same ones. */
export function pageQuestion(filters: readonly Filter[], compared = false): Question {
  return {
    view: "website",
    hostname,
    visits: false,
    period: wholePeriod,
    zone: "UTC",
    interval: undefined,
    compare: compared ? wholePeriod : { name: "none" },
    metric: "visitors",
    filters,
    goal: undefined,
    steps: [],
    tabs: new Map(),
  };
}

/** The tabs whose lists are asked for; with the totals and the chart those of `every` are eighteen answers. */
export const tabsAsked = {
  every: tabsOfPage.flat(),
  open: tabsOfPage.map(([first]) => first),
} as const satisfies Record<string, readonly Tab[]>;

/** Paths of one request each, that are sent at once. */
export type WayToAsk = (question: Question, tabs: readonly Tab[]) => string[];

/** A request for each answer. The map and the table of countries are one list. */
export const singleLists: WayToAsk = (question, tabs) => {
  const compared = comparedPairs(question);
  const lists = tabs.map(({ list, extra }) =>
    listPath(question, list, { ...extra, ...columnsOf(list, question).asked.few, limit, ...compared }),
  );
  const before = earlierChartPath(question);
  return [...new Set([summaryPath(question), ...(before === null ? [] : [before]), ...lists])];
};

/** The same by visit, as the dashboard asks where visits are told apart. */
export const listsByVisit: WayToAsk = (question, tabs) => singleLists({ ...question, visits: true }, tabs);

/** The newest first: a server is asked in the first way that it knows. */
const ways: readonly WayToAsk[] = [listsByVisit, singleLists];

/** Throws if `server` answers 200 in none of the ways. */
export async function wayOf(server: ServerProcess, known = ways): Promise<WayToAsk> {
  for (const way of known) {
    const answers = await Promise.all(way(pageQuestion([]), tabsAsked.every).map((path) => server.get(path)));
    await Promise.all(answers.map((answer) => answer.arrayBuffer()));
    if (answers.every(({ status }) => status === 200)) return way;
  }
  throw new Error("the server answers the questions of a page in no way that is known");
}
