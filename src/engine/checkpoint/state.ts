/**
 * The whole state of a data folder and the one `apply` that changes it: pure, synchronous, and the same at replay as
 * while serving. It passes each record to the part that owns its kind. A kind without a case is an error of types, here
 * and in the part.
 */
import { isOfRegistry, type RegistryRecord } from "../../accounts/records.ts";
import type { Registry } from "../../accounts/registry.ts";
import { assert } from "../../lib/assert.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { LogRecord } from "../../record/record.ts";
import type { Store, StoreRecord } from "../../store/state/store.ts";

export class State {
  constructor(
    readonly registry: Registry,
    readonly store: Store,
  ) {}

  apply(record: LogRecord): Outcome {
    if (isOfRegistry(record))
      return this.both(record, () =>
        record.kind === "import" ? this.store.apply(record satisfies StoreRecord) : this.followWebsites(),
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
        return this.store.apply(record satisfies StoreRecord);
      case "closed":
        return "done";
      default:
        record satisfies never;
        assert(false, "every kind of record has its case");
    }
  }

  check(): void {
    this.registry.check();
    this.store.check();
    const { websites } = this.registry;
    assert(websites.size === this.store.sites.size, "as many websites as sites");
    for (const websiteId of websites.keys())
      assert(this.store.sites.has(websiteId), `website ${websiteId} has a site`);
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
    for (const websiteId of sites.keys()) if (!websites.has(websiteId)) this.store.removeSite(websiteId);
    for (const websiteId of websites.keys()) if (!sites.has(websiteId)) this.store.addSite(websiteId);
  }
}
