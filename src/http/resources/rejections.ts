/** Why hits of a website were not counted, and which hostnames send hits that nobody registered. */
import { Type } from "@sinclair/typebox";
import { dayMs } from "../../core/hit.ts";
import { rejectionNames, rejections } from "../../core/rejection.ts";
import type { SessionRoute } from "../transport/route.ts";
import { websiteOf } from "./websites.ts";

const count = (description: string) => Type.Integer({ minimum: 0, description });

const daySchema = Type.Object({
  date: Type.String({ format: "date", description: "UTC day" }),
  ...Object.fromEntries(rejectionNames.map((name) => [name, count(rejections[name])])),
});

const unknownSchema = Type.Object({
  hostname: Type.String({ description: "As it was sent" }),
  hits: count("Since the server was started"),
});

export const rejectionsRoutes: readonly SessionRoute[] = [
  {
    method: "GET",
    path: "/website/:hostname/rejections",
    access: "session",
    summary: "Why hits were not counted, by UTC day, the latest first",
    description:
      "Days without such hits are left out. `unknown` are the latest hostnames of hits that are no website of this " +
      "server; only the oldest account sees them, for strangers choose them.",
    status: 200,
    answer: Type.Object({ days: Type.Array(daySchema), unknown: Type.Optional(Type.Array(unknownSchema)) }),
    errors: [400, 404],
    handle: (call) => {
      const { websiteId } = websiteOf(call);
      const { engine } = call.services;
      const none = Object.fromEntries(rejectionNames.map((name) => [name, 0]));
      const days = engine
        .rejectionsOf(websiteId)
        .map(([day, counts]) => ({ date: dateOf(day), ...none, ...counts }))
        .toReversed();
      const [oldest] = engine.registry.users.keys();
      const isOwner = call.login.user.userId === oldest;
      return { days, ...(isOwner && { unknown: engine.unknownHostnames }) };
    },
  },
];

function dateOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}
