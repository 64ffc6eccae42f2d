/** The use case of removing sums that were imported, because they were the wrong ones. */
import { assertMayChange, type WebsiteCall } from "./caller.ts";
import { purge } from "./purge-files.ts";
import { callersUser } from "./account/users.ts";
import { websiteFor } from "./websites.ts";

/**
 * Removes all months of the caller's website that were imported as sums, and resolves when no file contains them any more.
 * Throws Refusal 401, 403, 404, 500.
 */
export async function removeImported({ engine, caller, hostname }: WebsiteCall): Promise<void> {
  assertMayChange(engine, caller);
  // It waits for a checkpoint, and reads much: whoever was logged out, or is no owner any more, removes nothing.
  const expectAllowed = () => {
    callersUser(engine, caller);
    return websiteFor(engine, caller, hostname, "owner");
  };
  const { websiteId } = expectAllowed();
  // Refused while a file of the website is damaged.
  engine.site(websiteId);
  await engine.monthImport.remove(websiteId, expectAllowed);
  await purge(engine);
}
