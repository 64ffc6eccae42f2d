/** Websites as they come back from files. */
import { loadChunk, saveChunk, viewChunk } from "../../src/store/files/save-chunk.ts";
import { loadSite, saveSite } from "../../src/store/files/save.ts";
import type { Store } from "../../src/store/state/store.ts";
import { stored } from "./stored-chunk.ts";

/** A checkpoint and a restart; beacons still find their rows. */
export function restart(store: Store): void {
  for (const [websiteId, site] of store.sites) {
    const loaded = loadSite(stored(saveSite(site)));
    for (const chunk of site.chunks.values()) {
      const sections = stored(saveChunk(chunk));
      loaded.restore(chunk.sealed && chunk.sorted ? viewChunk(sections) : loadChunk(sections));
    }
    loaded.lastVisit = site.lastVisit;
    store.sites.set(websiteId, loaded);
  }
}
