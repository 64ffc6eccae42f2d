/**
 * The figures that a website has to show of scripted people, from their scripts alone: visits are written down one after
 * the other, as a person would tell them, and counted.
 */
import { within, type Act, type Round, type Shown } from "./person-script.ts";

const pauseMinutes = 30;
const dayMinutes = 24 * 60;
const bounceSeconds = 10;

interface View {
  readonly path: string;
  /** Nobody of that day saw the page before: it is the person's first view of it. */
  readonly isFirst: boolean;
  seconds: number;
  /** Its time has ended, and so was sent. */
  isLeft: boolean;
}

interface Visit {
  readonly referrer: string;
  readonly campaign: string;
  readonly channel: string;
  readonly views: View[];
  signups: number;
}

/** The names of referrers and campaigns, and the channels that they make. */
const called: Readonly<Record<string, readonly [name: string, channel: string]>> = {
  "": ["", "Direct"],
  "https://www.google.com/": ["Google", "Search"],
  "https://news.ycombinator.com/item?id=1": ["Hacker News", "Social"],
  "https://blog.example/best-tools": ["blog.example", "Referral"],
  "pay.example": ["pay.example", "Referral"],
  [within]: ["Unknown", "Unknown"],
  may: ["", "Email"],
  spring: ["", "Paid search"],
};

export class Diary {
  readonly visits: Visit[] = [];
  readonly views: View[] = [];
  signups = 0;
  /** The days on which the person came. */
  readonly days = new Set<number>();
  private lastMinute = -Infinity;
  private readonly seen = new Set<string>();

  /** Writes down what was done. */
  add({ minute }: Round, act: Act): void {
    const view = this.views.at(-1);
    if ("shows" in act) {
      if (view !== undefined) view.isLeft = true;
      this.show(minute, act.shows, "hastes" in act && act.hastes);
    }
    if (view === undefined) return;
    if (act.does === "stay") view.seconds += act.seconds;
    if (act.does === "leave") view.isLeft = true;
    if (act.does === "sign up") this.signUp(minute, view);
  }

  /** An event belongs to the visit of its page, though that is over. */
  private signUp(minute: number, view: View): void {
    this.signups++;
    for (const visit of this.visits) if (visit.views.includes(view)) visit.signups++;
    if (minute - this.lastMinute <= pauseMinutes) this.lastMinute = minute;
  }

  private show(minute: number, { path, campaign, referrer }: Shown, hastes: boolean): void {
    const day = Math.floor(minute / dayMinutes);
    const isNew = !this.days.has(day);
    this.days.add(day);
    const last = this.visits.at(-1);
    const isOther = campaign !== "" && campaign !== last?.campaign;
    if (last === undefined || minute - this.lastMinute > pauseMinutes || isOther) {
      const [name = "", channel = ""] = called[campaign === "" ? referrer : campaign] ?? [];
      this.visits.push({ referrer: name, campaign, channel, views: [], signups: 0 });
    }
    this.lastMinute = minute;
    // The browser forgets a page that is left too soon.
    const page = `${day} ${path}`;
    const view = { path, isFirst: hastes ? isNew : !this.seen.has(page), seconds: 0, isLeft: false };
    if (hastes) this.seen.delete(page);
    else this.seen.add(page);
    this.views.push(view);
    this.visits.at(-1)?.views.push(view);
  }
}

/** Returns the figures that the website has to show, once all visits are over. */
export function figuresOf(diaries: readonly Diary[]) {
  const visits = diaries.flatMap((diary) => diary.visits);
  const views = visits.flatMap((visit) => visit.views);
  const signedUp = visits.filter(({ signups }) => signups > 0);
  const ofPage = (path: string, of: readonly Visit[]) =>
    of.filter((visit) => visit.views.some((view) => view.path === path));
  const pages = tally(views, ({ path }) => path);
  return {
    total: {
      visitors: sum(diaries, ({ days }) => days.size),
      visits: visits.length,
      pageviews: views.length,
      bounce_percentage: bounceOf(visits),
      time_total: sum(views, ({ seconds }) => seconds * 1_000),
    },
    pages: mapped(pages, (path, pageviews) => ({
      visitors: views.filter((view) => view.path === path && view.isFirst).length,
      visits: ofPage(path, visits).length,
      pageviews,
    })),
    entries: tally(visits, ({ views: [first] }) => first?.path ?? ""),
    bounces: mapped(
      tally(visits, ({ views: [first] }) => first?.path ?? ""),
      (path) => bounceOf(visits.filter(({ views: [first] }) => first?.path === path)),
    ),
    exits: tally(visits, ({ views: all }) => all.at(-1)?.path ?? ""),
    channels: tally(visits, ({ channel }) => channel),
    referrers: tally(visits, ({ referrer }) => referrer),
    referrersOfPricing: tally(ofPage("/pricing", visits), ({ referrer }) => referrer),
    campaigns: tally(
      visits.filter(({ campaign }) => campaign !== ""),
      ({ campaign }) => campaign,
    ),
    signups: tally(
      signedUp.filter(({ campaign }) => campaign !== ""),
      ({ campaign }) => campaign,
    ),
    signupChannels: tally(signedUp, ({ channel }) => channel),
    events: sum(visits, ({ signups }) => signups),
  };
}

/** The share of visits with one page view that was not looked at for long, and without an event, with two decimals. */
function bounceOf(visits: readonly Visit[]): number {
  const bounced = visits.filter(
    ({ views, signups }) =>
      signups === 0 && views.length === 1 && sum(views, ({ seconds }) => seconds) < bounceSeconds,
  );
  return Math.round((bounced.length * 10_000) / visits.length) / 100;
}

function tally<T>(all: readonly T[], nameOf: (one: T) => string): Record<string, number> {
  return mapped(Object.groupBy(all, nameOf), (_, group) => group?.length ?? 0);
}

function mapped<V, W>(
  values: Readonly<Record<string, V>>,
  of: (name: string, value: V) => W,
): Record<string, W> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, of(name, value)]));
}

function sum<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}
