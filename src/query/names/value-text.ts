/** The values of a dictionary as texts. */
import { otherLabel } from "../../core/questions/dimension.ts";
import type { ReadDictionary } from "../../store/mirror/read-site.ts";
import { overflowId } from "../../store/values/dictionary.ts";

/** Returns the value of an id, and the name of those that are not kept apart for theirs. */
export function textOf(dictionary: ReadDictionary, id: number): string {
  return id === overflowId ? otherLabel : dictionary.value(id);
}
