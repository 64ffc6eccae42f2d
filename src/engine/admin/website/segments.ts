/** The use cases of a website's segments: save filters under a name, and remove them. */
import {
  segmentFiltersCharactersMax,
  segmentNameCharactersMax,
  segmentsMax,
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
  { engine, caller, hostname }: WebsiteCall,
  body: unknown,
  checked: (filters: string) => string,
): Promise<Segment> {
  const { websiteId } = websiteToChange(engine, caller, hostname, "editor");
  const fields = fieldsOf(body);
  const name = limitedText("name", requiredText(fields, "name").trim(), segmentNameCharactersMax);
  const given = limitedText("filters", requiredText(fields, "filters"), segmentFiltersCharactersMax);
  const filters = checked(given);
  return addListed(engine, { websiteId, hostname, list: "segments", max: segmentsMax }, (segmentId) => ({
    kind: "segmentAdded",
    websiteId,
    segmentId,
    name,
    filters,
  }));
}
