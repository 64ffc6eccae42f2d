/** The website that an import goes to. */
import type { Website } from "../../accounts/registry/registry.ts";
import { parseHostname } from "../../core/addresses/hostname.ts";
import { Refusal, shown } from "../../core/refusal.ts";
import { fieldsOf, requiredText } from "../../engine/admin/fields.ts";
import type { Engine } from "../../engine/engine.ts";

/** All that readers of files have to know of it. */
export type ImportTarget = Pick<Website, "rules" | "aliases">;

/** Returns the website that takes what was for this hostname. */
export function websiteForHit({ registry }: Engine, input: unknown): Website {
  const asked = requiredText(fieldsOf(input), "hostname");
  const website = registry.websiteForHit(parseHostname(asked) ?? "");
  if (website !== undefined) return website;
  throw new Refusal(404, `there is no website ${shown(asked)}: add it with 'footfall website add HOST'`);
}
