/**
 * The whole state of a data folder and the one `apply` that changes it: pure, synchronous, and the same at replay as
 * while serving. It passes each record to the part that owns its kind. A kind without a case is an error of types, here
 * and in the part.
 */
import type { Registry } from "../../accounts/registry/registry.ts";
import { assert } from "../../lib/assert.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { LogRecord } from "../../record/record.ts";
import { isOfRegistry, traitsOf, type RegistryRecord } from "../../record/traits.ts";
import type { FileEntry } from "../../snapshot/manifest.ts";
import { bytesAbout } from "../../wal/queue.ts";
import { monthFiles } from "../../store/state/months.ts";
import type { Store, StoreRecord } from "../../store/state/store.ts";

export class State {
  /**
   * The websites whose files are damaged, each with about how many bytes of the log wait for it. Their statistics are
   * empty here. Their records change nothing: a start that finds the files whole again replays them (open.ts).
   */
  readonly unavailable = new Map<number, number>();
  /**
   * The files of all months without rows that a record named which was applied, or waits. While websites are unavailable,
   * checkpoints have them: a later start that finds the websites whole replays these records again.
   */
  readonly loggedMonths: FileEntry[] = [];

  constructor(
    readonly registry: Registry,
    readonly store: Store,
  ) {}

  apply(record: LogRecord): Outcome {
    if (isOfRegistry(record))
      return this.both(record, () =>
        record.kind === "import" ? this.applyToStore(record) : this.followWebsites(),
      );
    switch (record.kind) {
      case "load":
      case "unload":
      case "event":
      case "monthsDropped":
      case "namesFolded":
      case "checkpoint":
      case "rejected":
      case "rowsRemoved":
      case "importedSumsRemoved":
        return this.applyToStore(record);
      case "monthReduced":
      case "monthImported": {
        const { name, bytes, checksum } = record;
        this.loggedMonths.push({ name, bytes, checksum, mapped: true });
        return this.applyToStore(record);
      }
      case "closed":
        return "done";
      default:
        record satisfies never;
        assert(false, "every kind of record has its case");
    }
  }

  /**
   * The files that records of the log name, and that the newest checkpoint may not name yet. While websites are
   * unavailable, a start goes back to records of before.
   */
  get namedFiles(): FileEntry[] {
    return [...monthFiles(this.store.sites), ...(this.unavailable.size > 0 ? this.loggedMonths : [])];
  }

  check(): void {
    this.registry.check();
    this.store.check();
    const { websites } = this.registry;
    assert(websites.size === this.store.sites.size, "as many websites as sites");
    for (const websiteId of websites.keys())
      assert(this.store.sites.has(websiteId), `website ${websiteId} has a site`);
  }

  /** Returns the website of a record; 0 where it is about none, or nobody can tell. */
  websiteOf(record: LogRecord): number {
    const websiteId = "websiteId" in record ? record.websiteId : 0;
    if (websiteId !== 0 || !("beacon" in record)) return websiteId;
    return this.store.pageViewOf(record.beacon, 0, record.timeMs)?.websiteId ?? 0;
  }

  private applyToStore(record: StoreRecord): Outcome {
    return this.waits(record) ? "done" : this.store.apply(record);
  }

  /** Returns whether the record is for a website that is unavailable, and takes note of it then. */
  private waits(record: StoreRecord): boolean {
    if (this.unavailable.size === 0 || traitsOf(record).ofOneWebsite !== true) return false;
    const websiteId = this.websiteOf(record);
    const bytes = this.unavailable.get(websiteId);
    if (bytes === undefined) return false;
    this.unavailable.set(websiteId, bytes + bytesAbout(record));
    const site = this.store.sites.get(websiteId);
    // Visits go on to be numbered.
    if (site !== undefined && "visit" in record) site.lastVisit = Math.max(site.lastVisit, record.visit ?? 0);
    return true;
  }

  private both(record: RegistryRecord, then: () => Outcome | void): Outcome {
    const outcome = this.registry.apply(record);
    return outcome === "done" ? (then() ?? "done") : outcome;
  }

  /**
   * Makes the store have a site for exactly the websites that the registry knows: a removed account takes its websites
   * with it.
   */
  private followWebsites(): void {
    const { sites } = this.store;
    const { websites } = this.registry;
    for (const websiteId of sites.keys()) {
      if (websites.has(websiteId)) continue;
      this.store.removeSite(websiteId);
      this.unavailable.delete(websiteId);
    }
    for (const websiteId of websites.keys()) if (!sites.has(websiteId)) this.store.addSite(websiteId);
  }
}
