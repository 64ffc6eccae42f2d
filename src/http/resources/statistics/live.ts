/** The endpoint that streams how many visitors a website has right now, as events. */
import { Type } from "@sinclair/typebox";
import type { Question } from "../../../core/questions/query.ts";
import { visitorsIn } from "../../../query/answers/summary.ts";
import { visitsSince } from "../../../query/rows/visits-since.ts";
import type { LiveSource } from "../../transport/live-count.ts";
import { liveStreamsOfOneMax, liveWindowMs } from "../../transport/live-streams.ts";
import type { ReaderCall, ReaderRoute } from "../../transport/route.ts";
import { siteOf } from "../websites.ts";
import { filtersOfLink } from "./answer.ts";

function live(call: ReaderCall): Response {
  const { engine, live } = call.services;
  const { website, filters } = call.reader;
  // The stream of a website that is unavailable is refused before it begins.
  siteOf(engine, website);
  const source: LiveSource = {
    key: JSON.stringify([website.websiteId, filters]),
    count: () => {
      const nowMs = engine.nowMs();
      const visits = engine.registry.websites.get(website.websiteId)?.visits === true;
      if (filters.length > 0) return selectedNow(call, visits);
      const site = siteOf(engine, website);
      if (visits) return visitsSince(site, nowMs - liveWindowMs, nowMs).size;
      return visitorsIn(site, { startMs: nowMs - liveWindowMs + 1, endMs: nowMs });
    },
    watch: (onChange) => engine.watch(website.websiteId, onChange),
  };
  const stream = live.open(source, call.reader);
  // A buffering proxy would delay the events; nginx obeys this header.
  call.headers["x-accel-buffering"] = "no";
  return new Response(stream);
}

/** Returns how many visits, or visitors, the filters of a link select: a question like any other. */
async function selectedNow({ services, reader }: ReaderCall, visits: boolean): Promise<number> {
  // Equal questions of many streams are one.
  const endMs = Math.ceil(services.engine.nowMs() / 1_000) * 1_000;
  const metric = visits ? "visits" : "visitors";
  const question: Question = {
    list: "summary",
    period: { startMs: endMs - liveWindowMs, endMs },
    filters: filtersOfLink({ visits }, reader.filters),
    previous: false,
    timezone: "UTC",
    metrics: [metric],
    nowMs: endMs,
    ...(visits && { by: "visit" }),
  };
  const { json } = await services.engine.ask(reader.website.websiteId, question, undefined, true);
  const { current } = JSON.parse(json) as { current: Partial<Record<string, number>> };
  return current[metric] ?? 0;
}

export const liveRoutes: readonly ReaderRoute[] = [
  {
    method: "GET",
    path: "/website/:hostname/live",
    access: "reader",
    summary: "Visitors of the last five minutes, as they come",
    description:
      "Where the website has visits, those with a sign of life in these minutes; through a link with filters, those with " +
      "a page view that they select. " +
      'Events of one kind, `data: {"visitors":3}`: one at once, then each change. Where the number is the same but something was recorded, an account gets an ' +
      "event named `change`: it is time to ask `recent` again. Both come at most once a second. An account can have " +
      `${liveStreamsOfOneMax} streams open, and the links of the websites of one first owner as many; one more is 500 with Retry-After.`,
    answer: Type.String(),
    media: "text/event-stream",
    errors: [400, 404],
    handle: live,
  },
];
