/** The endpoint that streams how many visitors a website has right now, as events. */
import { Type } from "@sinclair/typebox";
import { visitorsIn } from "../../../query/answers/answer.ts";
import { visitsSince } from "../../../query/rows/visits-since.ts";
import { liveStreamsOfAccountMax, liveWindowMs, type LiveSource } from "../../transport/live-streams.ts";
import type { SessionCall, SessionRoute } from "../../transport/route.ts";
import { siteOf, websiteOf } from "../websites.ts";

function live(call: SessionCall): Response {
  const { engine, live } = call.services;
  const website = websiteOf(call);
  const { sessionId, userId } = call.login.session;
  const source: LiveSource = {
    count: () => {
      const nowMs = engine.nowMs();
      const site = siteOf(engine, website);
      if (engine.registry.websites.get(website.websiteId)?.visits === true)
        return visitsSince(site, nowMs - liveWindowMs).size;
      return visitorsIn(site, { startMs: nowMs - liveWindowMs + 1, endMs: nowMs });
    },
    allowed: () =>
      engine.registry.sessions.has(sessionId) &&
      engine.registry.websites.get(website.websiteId)?.userId === userId,
    watch: (onChange) => engine.watch(website.websiteId, onChange),
  };
  const stream = live.open(source, userId);
  // A buffering proxy would delay the events; nginx obeys this header.
  call.headers["x-accel-buffering"] = "no";
  return new Response(stream);
}

export const liveRoutes: readonly SessionRoute[] = [
  {
    method: "GET",
    path: "/website/:hostname/live",
    access: "session",
    summary: "Visitors of the last five minutes, as they come",
    description:
      "Where the website has visits, those with a sign of life in these minutes. " +
      'Events of one kind, `data: {"visitors":3}`: one at once, then each change. An account can have ' +
      `${liveStreamsOfAccountMax} streams open; one more is 500 with Retry-After.`,
    status: 200,
    answer: Type.String(),
    media: "text/event-stream",
    errors: [400, 404],
    handle: live,
  },
];
