/** The use case of removing page views and events that should not have been counted. */
import type { Selection } from "../../core/questions/query.ts";
import { Refusal } from "../../core/refusal.ts";
import type { RemovedCounts } from "../../store/state/removal/removed-values.ts";
import type { WebsiteCall } from "./caller.ts";
import { purge } from "./purge-files.ts";
import { websiteFor, websiteStillFor, websiteToChange } from "./websites.ts";

/**
 * Returns what would go of the caller's website; with `isDryRun` false removes it, and resolves when no file contains it
 * any more. `signal` gives it up before anything is removed. Throws Refusal 400, 401, 403, 404, 500.
 */
export async function removeRows(
  call: WebsiteCall,
  selection: Selection,
  isDryRun: boolean,
  signal?: AbortSignal,
): Promise<RemovedCounts> {
  const { engine } = call;
  const { websiteId } = isDryRun ? websiteFor(call, "owner") : websiteToChange(call, "owner");
  if (!isDryRun && selectsAll(selection))
    throw new Refusal(
      400,
      "filters: expected a filter, a start or an end, got none: remove the website instead",
    );
  // It waits for a checkpoint, and reads much.
  const expectAllowed = () => void websiteStillFor(call, "owner");
  const counts = await engine.removeRows(websiteId, selection, isDryRun, signal, expectAllowed);
  if (!isDryRun) await purge(engine);
  return counts;
}

function selectsAll({ filters, period: { startMs, endMs } }: Selection): boolean {
  return filters.length === 0 && startMs === -Infinity && endMs === Infinity;
}
