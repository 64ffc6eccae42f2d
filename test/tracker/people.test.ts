/**
 * Scripted people in a real browser, each with an address of their own, on a website with visits: what it shows of them
 * is what their scripts say, to the last one. A whole run has 24 people, and FOOTFALL_PEOPLE says how many others.
 */
import { expect, setDefaultTimeout, test } from "bun:test";
import type { Chromium } from "../support/chromium.ts";
import { longTest } from "../support/long-test.ts";
import { describeWith } from "../support/needs.ts";
import { figuresOf, type Diary } from "../support/person-diary.ts";
import { minutesOf, paidPath, paths, provider, Scripts } from "../support/person-script.ts";
import { isWhole } from "../support/rounds.ts";
import { ScriptedPerson } from "../support/scripted-person.ts";
import { randomBySeed } from "../support/seed.ts";
import { testTimeoutMs } from "../support/timeout.ts";
import { useTracked, type TrackedServer } from "../support/tracked.ts";
import { until } from "../support/until.ts";

const people = Number(process.env["FOOTFALL_PEOPLE"] ?? (isWhole ? 24 : 0));
/** People who are there on the same days, and those of them who do something at the same time. */
const companyMax = 12;
const atOnce = 4;

setDefaultTimeout(testTimeoutMs * Math.max(1, Math.ceil(people / companyMax)));

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const hostname = "shop.example";

type Rows = readonly Readonly<Record<string, string | number>>[];

let tracked: TrackedServer;
let browser: Chromium;

/** Each person has a network of their own. A browser changes the address within its IPv6 network now and then. */
function addressesOf(person: number): () => string {
  let requests = 0;
  if (person % 2 === 0) return () => `198.51.${Math.floor(person / 250)}.${person % 250}`;
  return () => `2001:db8:0:${person.toString(16)}::${(++requests).toString(16)}`;
}

/** Plays the scripts of some people, who come on two days, and returns what they remember. */
async function play(scripts: Scripts, company: readonly number[]): Promise<Diary[]> {
  const { clock } = tracked.server;
  const minutes = minutesOf(scripts.random);
  const members = company.map((person) => {
    const addressOf = addressesOf(person);
    return {
      rounds: scripts.next(minutes),
      person: new ScriptedPerson({ browser, tracked, hostname, addressOf }),
    };
  });
  const beginMs = clock.nowMs();
  for (const minute of minutes.flat()) {
    clock.advance(beginMs + minute * minuteMs - clock.nowMs());
    const todo = members.flatMap(({ person, rounds }) =>
      rounds.filter((round) => round.minute === minute).map((round) => () => person.play(round)),
    );
    const work = async () => {
      for (let next = todo.pop(); next !== undefined; next = todo.pop()) await next();
    };
    await Promise.all(Array.from({ length: atOnce }, work));
  }
  clock.advance(beginMs + minutes.length * dayMs - clock.nowMs());
  await Promise.all(members.map(({ person }) => person.stop()));
  return members.map(({ person }) => person.diary);
}

/** The figures of a list, by the value that its rows are of. */
async function column(question: string, key: string, figure = "visits"): Promise<Record<string, unknown>> {
  const rows = await tracked.get<Rows>(hostname, question);
  return Object.fromEntries(rows.map((row) => [row[key], row[figure]]));
}

async function shown(): Promise<ReturnType<typeof figuresOf>> {
  const named = "visitors,visits,pageviews,bounce_percentage,time_total";
  const signedUp = "by=visit&metrics=visits&prop_name[eq]=signup";
  const total = await tracked.get<{ current: object }>(hostname, `summary?by=visit&metrics=${named}`);
  const pages = await tracked.get<Rows>(hostname, "pages?metrics=visitors,visits,pageviews");
  const events = await tracked.get<Rows>(hostname, "properties");
  return {
    total: total.current,
    pages: Object.fromEntries(pages.map(({ path, ...figures }) => [path, figures])),
    entries: await column("entries", "path"),
    bounces: await column("entries?by=visit&metrics=bounce_percentage", "path", "bounce_percentage"),
    exits: await column("exits", "path"),
    channels: await column("channels?by=visit&metrics=visits", "channel"),
    referrers: await column("referrers?by=visit&metrics=visits", "referrer"),
    referrersOfPricing: await column("referrers?by=visit&metrics=visits&path[eq]=/pricing", "referrer"),
    campaigns: await column("campaigns?by=visit&metrics=visits", "campaign"),
    signups: await column(`campaigns?${signedUp}`, "campaign"),
    signupChannels: await column(`channels?${signedUp}`, "channel"),
    events: events[0]?.["events"],
  } as ReturnType<typeof figuresOf>;
}

describeWith("chromium", "people", () => {
  useTracked((its) => ({ tracked, browser } = its));

  const shownAsTheyWere = people === 0 ? longTest : test;
  shownAsTheyWere("people are shown as they were", async () => {
    await shop();
    const scripts = new Scripts(randomBySeed());
    const diaries: Diary[] = [];
    for (let first = 1; first <= people; first += companyMax) {
      const size = Math.min(companyMax, people + 1 - first);
      const company = Array.from({ length: size }, (_, at) => first + at);
      diaries.push(...(await play(scripts, company)));
      expect(await shown()).toEqual(figuresOf(diaries));
    }
    const { total } = figuresOf(diaries);
    console.log(`${people} people, everything done ${scripts.timesDone} times: ${JSON.stringify(total)}`);
    if (people >= companyMax) expect(scripts.timesDone).toBeGreaterThan(0);
  });

  test("nobody knows where somebody came from who goes on in a page after a long pause", async () => {
    const host = await tracked.site("pause.example", {}, true);
    const tab = await tracked.arrive(browser, host);
    await tracked.shows(host, 1, 1);
    tracked.server.clock.advance(31 * minuteMs);
    await tab.evaluate("history.pushState({}, '', '/next')");
    await tracked.shows(host, 2, 1);
    const channels = await tracked.get<Rows>(host, "channels?by=visit&metrics=visits");
    expect(new Set(channels.map(({ channel }) => channel))).toEqual(new Set(["Direct", "Unknown"]));
    await tab.close();
  });

  test("whoever leaves pages before the ping is answered, and returns, is one visitor of one visit", async () => {
    const host = await tracked.site("impatient.example", {}, true);
    const tab = await tracked.arrive(browser, host);
    await tracked.shows(host, 1, 1);
    for (const [views, next] of [
      [3, "location.assign('/next')"],
      [5, undefined],
    ] as const) {
      const held = Promise.withResolvers<void>();
      const end = tracked.abandoned + 2;
      let waiting = 0;
      tracked.hold = ({ pathname }) => (pathname === "/event/ping" ? (waiting++, held.promise) : undefined);
      await tab.evaluate("location.assign('/slow')");
      await until(() => waiting >= 2, "the pings come");
      await (next === undefined ? tab.go(tracked.urlOf(host, "/again")) : tab.evaluate(next));
      await until(() => tracked.abandoned >= end, "the pings are given up");
      tracked.hold = () => undefined;
      held.resolve();
      await tracked.shows(host, views, 1);
      // The browser forgot that it was here.
      expect(tracked.hits.findLast(({ u }) => u !== undefined)).toMatchObject({ p: true });
    }
    expect(await tracked.get<Rows>(host, "entries")).toMatchObject([{ path: "/", visits: 1 }]);
    await tab.close();
  });
});

/** Makes the website that people visit, and the payment provider. */
async function shop(): Promise<void> {
  const link = (url: string) => `<a href="${url}">${url}</a> `;
  const links = [...paths.map((path) => tracked.urlOf(hostname, path)), tracked.urlOf(provider)];
  await tracked.site(hostname, { body: links.map(link).join("") }, true);
  tracked.alias(provider, { body: link(tracked.urlOf(hostname, paidPath)), attributes: null });
}
