/** The endpoint of what just happened on a website: for accounts only, and made at most once a second. */
import { Type } from "@sinclair/typebox";
import { propertiesMax } from "../../../core/hit.ts";
import { goalsMax, type Goal } from "../../../core/website/goal.ts";
import { recentEntriesMax, recentMinutes, recentRowsMax } from "../../../core/questions/recent.ts";
import type { Engine } from "../../../engine/engine.ts";
import { answerRecent } from "../../../query/answers/recent/recent.ts";
import type { Site } from "../../../store/state/site.ts";
import { JsonText, type SessionRoute } from "../../transport/route.ts";
import { named } from "../../parsing/schemas.ts";
import { siteOf, websiteOf } from "../websites.ts";

/** The least time between two answers about a website that differ. */
const leastMs = 1_000;

interface Made {
  readonly text: string;
  readonly of: string;
  readonly goals: readonly Goal[];
  /** By the clock of the process, in milliseconds. */
  readonly atMs: number;
  /** The answer after this one, while it is waited for. */
  next?: Promise<string>;
}

/** The latest answer about each website that was asked about. */
const latest = new WeakMap<Site, Made>();

/** Returns the answer: at once if it is the same, or the latest is old enough; else all who ask wait for the same next one. */
function recentOf(engine: Engine, site: Site, goals: readonly Goal[]): string | Promise<string> {
  const known = latest.get(site);
  if (known === undefined) return make(engine, site, goals);
  if (known.of === stateOf(engine, site) && known.goals === goals) return known.text;
  const waitMs = known.atMs + leastMs - engine.clock.monotonicMs();
  if (waitMs <= 0) return make(engine, site, goals);
  return (known.next ??= Bun.sleep(waitMs).then(() => make(engine, site, goals)));
}

function make(engine: Engine, site: Site, goals: readonly Goal[]): string {
  const text = JSON.stringify(answerRecent(site, goals, engine.nowMs()));
  latest.set(site, { text, of: stateOf(engine, site), goals, atMs: engine.clock.monotonicMs() });
  return text;
}

/** Returns a text that is equal as long as nothing changed and no minute began. */
function stateOf(engine: Engine, site: Site): string {
  let changes = 0;
  for (const { version, sealed } of site.chunks.values()) if (!sealed) changes += version;
  return `${site.chunks.size} ${changes} ${Math.floor(engine.nowMs() / 60_000)}`;
}

const minutesMax = Math.max(...recentMinutes);
const byMinute = Type.Array(Type.Integer({ minimum: 0 }), {
  minItems: 1,
  maxItems: minutesMax,
  description: "Page views by minute, the oldest first",
});
const entry = {
  minute: Type.String({ format: "date-time", description: "The start of its minute" }),
  goals: Type.Array(Type.String(), { maxItems: goalsMax, description: "The goals that it reaches, by name" }),
};
const row = named("RecentRow", Type.Object({ name: Type.String(), pageviews: byMinute }));
const view = named(
  "RecentPageView",
  Type.Object({
    path: Type.String(),
    source: Type.String({ description: "The UTM source, else the group of the referrer; empty for neither" }),
    country: Type.String(),
    device: Type.String(),
    ...entry,
  }),
);
const property = named(
  "RecentProperty",
  Type.Object({
    name: Type.String(),
    value: Type.String(),
    number: Type.Optional(Type.Number({ description: "The value, where it was sent as a number" })),
  }),
);
const event = named(
  "RecentEvent",
  Type.Object({
    properties: Type.Array(property, {
      minItems: 1,
      maxItems: propertiesMax,
      description: "Those that were sent together, in their order",
    }),
    ...entry,
  }),
);

const recent = named(
  "Recent",
  Type.Object({
    start: Type.String({ format: "date-time", description: "The start of the first minute" }),
    pageviews: byMinute,
    pages: Type.Array(row, { maxItems: recentRowsMax, description: "Those with most page views" }),
    sources: Type.Array(row, {
      maxItems: recentRowsMax,
      description: "Those with most page views; page views that came from nowhere else are left out",
    }),
    views: Type.Array(view, {
      maxItems: recentEntriesMax,
      description: "The latest page views, newest first",
    }),
    events: Type.Array(event, { maxItems: recentEntriesMax, description: "The latest events, newest first" }),
  }),
);

export const recentRoutes: readonly SessionRoute[] = [
  {
    method: "GET",
    path: "/website/:hostname/recent",
    access: "session",
    scope: "read",
    summary: "What just happened: the latest page views and events, and the last minutes",
    description:
      `Covers the last ${minutesMax} minutes; fewer where more was logged than can be walked at once. Nothing says which entries ` +
      "belong to one visitor, and times are those of minutes. Answers that differ are made at most once a second: who " +
      "asks earlier waits for the next one. The stream of `live` tells accounts when to ask, by events named `change`.",
    answer: recent,
    errors: [400, 403, 404],
    handle: async (call) => {
      const website = websiteOf(call, "viewer");
      const { engine } = call.services;
      return new JsonText(await recentOf(engine, siteOf(engine, website), website.goals.list));
    },
  },
];
