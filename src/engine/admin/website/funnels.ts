/** The use cases of a website's saved funnels: save steps under a name, and remove them. */
import type { Website } from "../../../accounts/registry/registry.ts";
import {
  funnelNameCharactersMax,
  funnelStepsCharactersMax,
  type Funnel,
} from "../../../core/website/funnel.ts";
import { badInput } from "../../../core/refusal.ts";
import type { WebsiteCall } from "../caller.ts";
import { fieldsOf, limitedText, optionalList, requiredText } from "../fields.ts";
import { assertHasVisits } from "../needs-visits.ts";
import { addListed } from "./listed-entries.ts";
import { websiteToChange } from "../websites.ts";

/**
 * Adds a funnel. Takes `{name, steps}`, and `check`, which throws Refusal 400 for steps that the question about a funnel
 * does not take. Throws Refusal 400, also for one too many and for a website without visits, 403, 404.
 */
export async function addFunnel(
  call: WebsiteCall,
  body: unknown,
  check: (website: Website, steps: readonly string[]) => void,
): Promise<Funnel> {
  const website = websiteToChange(call, "editor");
  assertHasVisits(website);
  const { websiteId } = website;
  const fields = fieldsOf(body);
  const name = limitedText("name", requiredText(fields, "name").trim(), funnelNameCharactersMax);
  const steps = (optionalList(fields, "steps") ?? []).map(stepText);
  check(website, steps);
  const { length } = steps.map((step) => `step=${encodeURIComponent(step)}`).join("&");
  if (length > funnelStepsCharactersMax)
    throw badInput("steps", length, `at most ${funnelStepsCharactersMax} characters`);
  return addListed(call, websiteId, "funnels", (funnelId) => ({
    kind: "funnelAdded",
    websiteId,
    funnelId,
    name,
    steps,
  }));
}

function stepText(value: unknown): string {
  if (typeof value !== "string" || value.length > funnelStepsCharactersMax)
    throw badInput("steps", value, `texts of at most ${funnelStepsCharactersMax} characters`);
  return value.toWellFormed();
}
