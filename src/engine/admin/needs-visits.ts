/** Whether a website has visits. */
import type { Website } from "../../accounts/registry/registry.ts";
import { Refusal, shown } from "../../core/refusal.ts";

/** Throws Refusal 400 for a website whose visits are switched off. `part`: what of the request needs them. */
export function assertHasVisits({ visits, hostname }: Website, part = "visits"): void {
  if (visits) return;
  throw new Refusal(
    400,
    `${part}: expected a website with visits, and ${shown(hostname)} has them off: ` +
      "its set-up page, or PATCH /websites/{hostname}, switches them on",
  );
}
