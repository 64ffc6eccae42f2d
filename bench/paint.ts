/**
 * Measures how long a person waits for a website's page in a real Chromium, from a server that was started on a data
 * folder as a server leaves it. Each change of period, tab and filter is measured the first time after a start, and
 * again in a page that was opened anew, so that the server has been asked before and the page has not. A new filter is
 * measured in a server at work, too: after a start the runtime has not compiled all that answers it.
 */
import { join } from "node:path";
import { withFolder } from "../test/support/folder.ts";
import { Chromium, chromiumPath, type Tab } from "../test/support/chromium.ts";
import type { ServerProcess } from "../test/support/server.ts";
import type { Filter } from "../src/core/questions/query.ts";
import { usualComparison } from "../src/web/lib/calendar/comparison.ts";
import { questionHref, withTab, type Question } from "../src/web/lib/question/question.ts";
import { settingsHref } from "../src/web/lib/routes.ts";
import { rowsOfSmallMemory, startsInTurn, withBuilds, type BuildOptions } from "./builds.ts";
import { Times, timesTable, type TimesRow, type Turn } from "./measure.ts";
import { pageQuestion, wholePeriod } from "./page-questions.ts";

export interface PaintOptions extends BuildOptions {
  /** How often each server is measured. */
  readonly starts: number;
  /** Pages that are opened anew after each start, in which each change is made again. */
  readonly again: number;
  /** Whether the page compares, as it does unless somebody chooses otherwise: with the period before. */
  readonly compared: boolean;
}

type Kind = "tiles" | "figures" | "period" | "tab" | "filter";

interface Change {
  readonly kind: Kind;
  readonly what: string;
  readonly question: Question;
}

const whole = pageQuestion([]);
/** A person reads the first figures before the first click, while the server rehearses filters. */
const readMs = 1_000;

function filtered(
  what: string,
  ...filters: readonly (readonly [Filter["name"], Filter["operator"], string])[]
): Change {
  const all = filters.map(([name, operator, operand]) => ({ name, operator, operands: [operand] }));
  return { kind: "filter", what, question: pageQuestion(all) };
}

/** Each is made from the page of all twelve months without filters; the shares are those of the rows of bench/data.ts. */
export const changes: readonly Change[] = [
  {
    kind: "period",
    what: "the last month",
    question: { ...whole, period: { name: "custom", from: day(10, 1), to: day(10, 31) } },
  },
  {
    kind: "period",
    what: "from the middle of a month to that of another",
    question: { ...whole, period: { name: "custom", from: day(3, 10), to: day(6, 20) } },
  },
  { kind: "tab", what: "time on page", question: withTab(whole, "pages", "time") },
  { kind: "tab", what: "campaigns", question: withTab(whole, "sources", "campaigns") },
  filtered("a browser, 33 % of the rows", ["browser", "eq", "Chrome"]),
  filtered("a page, 5 %", ["path", "eq", "/docs/page-1"]),
  filtered("pages that contain a word, 29 %", ["path", "contains", "blog"]),
  filtered("two, 9 %", ["os", "eq", "Windows"], ["country", "eq", "Germany"]),
  filtered("two, 53 %", ["device", "neq", "Mobile"], ["country", "neq", "Germany"]),
];

/** Filters by values that nobody asked for, in a server that was asked for all of the above. */
export const further: readonly Change[] = [
  filtered("another browser, 19 % of the rows", ["browser", "eq", "Safari"]),
  filtered("another page, 8 %", ["path", "eq", "/"]),
  filtered("pages that contain another word, 29 %", ["path", "contains", "page-1"]),
];

/** The last six months with the six before them, which have as many rows together as the whole. */
function withPeriodBefore(question: Question): Question {
  const lastHalf = { name: "custom", from: day(5, 1), to: day(10, 31) } as const;
  const period = question.period === wholePeriod ? lastHalf : question.period;
  return { ...question, period, compare: usualComparison };
}

function day(month: number, day: number) {
  return { year: 2026, month, day };
}

/** Milliseconds, by the page views from which on they hold. */
const goals: readonly (readonly [rows: number, Partial<Record<Kind, TimesRow["goals"]>>])[] = [
  [rowsOfSmallMemory, { figures: { first: 400, again: 150 }, filter: { first: 1_000, again: 300 } }],
  [
    0,
    {
      tiles: { first: 400 },
      figures: { first: 400, again: 120 },
      period: { first: 100, again: 60 },
      tab: { first: 100, again: 50 },
      filter: { first: 120, again: 60 },
    },
  ],
];

/**
 * `settled()` waits until everything that was asked for has been answered and drawn; `changeTo()` clicks on a link, as
 * the page's own links are clicked on. Both return milliseconds.
 */
const inPage = `
  pending = 0;
  const original = fetch;
  fetch = async (...asked) => {
    pending++;
    try {
      const answer = await original(...asked);
      // The stream of the live figure does not end.
      const isStream = answer.headers.get("content-type") === "text/event-stream";
      if (isStream) pending--;
      else void answer.clone().arrayBuffer().catch(() => undefined).finally(() => { pending--; });
      return answer;
    } catch (error) {
      pending--;
      throw error;
    }
  };
  settled = async () => {
    const turn = () => new Promise((resolve) => setTimeout(resolve));
    const busy = () =>
      pending > 0 ||
      document.querySelector(".panels") === null ||
      document.querySelector("[aria-busy=true], .loading") !== null;
    do {
      await turn();
      await turn();
    } while (busy());
    await new Promise(requestAnimationFrame);
    await turn();
    const trouble = document.querySelector("[role=alert]");
    if (trouble !== null) throw new Error(trouble.textContent);
    if (document.querySelector(".panels tbody tr") === null) throw new Error("the lists are empty");
    return performance.now();
  };
  tiles = async () => {
    while (document.querySelector(".figures:not([aria-busy=true])") === null)
      await new Promise(requestAnimationFrame);
    return performance.now();
  };
  changeTo = async (href) => {
    const link = Object.assign(document.createElement("a"), { href });
    document.querySelector(".panels").append(link);
    const startMs = performance.now();
    link.click();
    link.remove();
    return (await settled()) - startMs;
  };
  if (location.pathname.startsWith("/dashboard/websites/")) [begun, opened] = [tiles(), settled()];`;

/** Undefined where there is no browser. */
export async function benchPaint(options: PaintOptions): Promise<Times | undefined> {
  if (chromiumPath === undefined) return undefined;
  const path = chromiumPath;
  return withFolder((profile) =>
    withBuilds(options, async (builds) => {
      const browser = await Chromium.start(path, join(profile, "profile"));
      try {
        const tab = await browser.open();
        await tab.call("Page.enable");
        await tab.call("Emulation.setTimezoneOverride", { timezoneId: whole.zone });
        await tab.call("Page.addScriptToEvaluateOnNewDocument", { source: inPage });
        const times = new Times(builds.map(({ name }) => name));
        await startsInTurn(builds, options.starts, (server, { name }) =>
          measured(tab, server, options, (kind, what, turn, ms) =>
            times.row(what, goalsOf(kind, options.rows)).note(name, turn, ms),
          ),
        );
        return times;
      } finally {
        await browser.stop();
      }
    }),
  );
}

function goalsOf(kind: Kind, rows: number): TimesRow["goals"] {
  return goals.find(([from]) => rows >= from)?.[1][kind] ?? {};
}

type Note = (kind: Kind, what: string, turn: Turn, ms: number) => void;

async function measured(
  tab: Tab,
  server: ServerProcess,
  { again, compared }: PaintOptions,
  note: Note,
): Promise<void> {
  const asked = compared ? withPeriodBefore : (question: Question) => question;
  const opened = asked(whole);
  const changedTo = async (question: Question) => {
    const changeTo = (to: Question) => tab.evaluate<number>(`changeTo(${JSON.stringify(questionHref(to))})`);
    const ms = await changeTo(asked(question));
    await changeTo(opened);
    return ms;
  };
  const [name = "", value = ""] = server.cookie.split("=");
  await tab.call("Network.setCookie", { url: server.url("/"), name, value });
  // The browser has the program from here on; no figure has been asked for.
  await tab.go(server.url(settingsHref));
  for (let page = 0; page <= again; page++) {
    const turn = page === 0 ? "first" : "again";
    await tab.go(server.url(questionHref(opened)));
    note("tiles", "the first figures", turn, await tab.evaluate<number>("begun"));
    note("figures", "all figures", turn, await tab.evaluate<number>("opened"));
    if (page === 0) await Bun.sleep(readMs);
    for (const { kind, what, question } of changes)
      note(kind, `${kind === "filter" ? "new filter" : kind}: ${what}`, turn, await changedTo(question));
  }
  for (const { kind, what, question } of further)
    note(kind, `new filter in a server at work: ${what}`, "first", await changedTo(question));
  // The live stream would hold up the end of the server.
  await tab.go("about:blank");
}

export function paintTable(times: Times): string {
  return timesTable("a website's page", times);
}
