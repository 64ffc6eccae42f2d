/** The use case of removing sums that were imported, because they were the wrong ones. */
import { assertMayChange, type WebsiteCall } from "./caller.ts";
import { purge } from "./purge-files.ts";
import { websiteStillFor } from "./websites.ts";

/**
 * Removes all months of the caller's website that were imported as sums, and resolves when no file contains them any more.
 * Throws Refusal 401, 403, 404, 500.
 */
export async function removeImported(call: WebsiteCall): Promise<void> {
  const { engine, caller } = call;
  assertMayChange(engine, caller);
  // It waits for a checkpoint, and reads much.
  const expectAllowed = () => websiteStillFor(call, "owner");
  const { websiteId } = expectAllowed();
  // Refused while a file of the website is damaged.
  engine.site(websiteId);
  await engine.monthImport.remove(websiteId, expectAllowed);
  await purge(engine);
}
