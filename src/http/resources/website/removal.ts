/** The endpoint that removes an entry of one of a website's lists. */
import { removeListed } from "../../../engine/admin/website/listed-entries.ts";
import { callerOf } from "../../callers/session.ts";
import type { SessionRoute } from "../../transport/route.ts";
import { hostnameOf } from "../websites.ts";

export function removalOf(list: Parameters<typeof removeListed>[3], summary: string): SessionRoute {
  return {
    method: "DELETE",
    path: `/website/:hostname/${list}/:id`,
    access: "session",
    scope: "admin",
    summary,
    status: 204,
    errors: [400, 403, 404],
    handle: (call) =>
      removeListed(call.services.engine, callerOf(call), hostnameOf(call), list, call.params["id"] ?? ""),
  };
}
