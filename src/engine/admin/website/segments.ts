/** The use cases of a website's segments: save filters under a name, and remove them. */
import {
  segmentFiltersCharactersMax,
  segmentNameCharactersMax,
  type Segment,
} from "../../../core/website/segment.ts";
import type { WebsiteCall } from "../caller.ts";
import { fieldsOf, limitedText, requiredText } from "../fields.ts";
import { addListed } from "./listed-entries.ts";
import { websiteToChange } from "../websites.ts";

/**
 * Adds a segment. Takes `{name, filters}`, and `checked`, which returns the filters as they are stored or throws Refusal
 * 400. Throws Refusal 400, also for one too many, 403, 404.
 */
export async function addSegment(
  call: WebsiteCall,
  body: unknown,
  checked: (filters: string) => string,
): Promise<Segment> {
  const { websiteId } = websiteToChange(call, "editor");
  const fields = fieldsOf(body);
  const name = limitedText("name", requiredText(fields, "name").trim(), segmentNameCharactersMax);
  const given = limitedText("filters", requiredText(fields, "filters"), segmentFiltersCharactersMax);
  const filters = checked(given);
  return addListed(call, websiteId, "segments", (segmentId) => ({
    kind: "segmentAdded",
    websiteId,
    segmentId,
    name,
    filters,
  }));
}
