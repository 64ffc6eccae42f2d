/** The endpoint that removes an entry of one of a website's lists. */
import { removeListed } from "../../../engine/admin/website/listed-entries.ts";
import type { SessionRoute } from "../../transport/route.ts";
import { websiteCall } from "../websites.ts";

export function removalOf(list: Parameters<typeof removeListed>[1], summary: string): SessionRoute {
  return {
    method: "DELETE",
    path: `/website/:hostname/${list}/:id`,
    access: "session",
    scope: "admin",
    summary,
    status: 204,
    errors: [400, 403, 404],
    handle: (call) => removeListed(websiteCall(call), list, call.params["id"] ?? ""),
  };
}
