/** Removes the sums that a website imported, for the command line. */
import { removeImported } from "../../engine/admin/remove-imported.ts";
import type { Engine } from "../../engine/engine.ts";
import { importedSums, type ImportedSums } from "../../store/state/reduced-month.ts";
import type { Website } from "../../accounts/registry/registry.ts";
import type { WebsiteCall } from "../../engine/admin/caller.ts";

/** Returns what there was of them; null if there was nothing. With `isDryRun` it stays. Throws Refusal. */
export async function removeImportedSums(
  engine: Engine,
  { asked, website }: { readonly asked: WebsiteCall; readonly website: Website },
  isDryRun: boolean,
): Promise<ImportedSums | null> {
  const sums = importedSums(engine.site(website.websiteId)?.reduced.values() ?? []);
  if (sums !== undefined && !isDryRun) await removeImported(asked);
  return sums ?? null;
}
