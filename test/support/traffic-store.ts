import { Beacons } from "../../src/store/beacons/beacons.ts";
import { Store } from "../../src/store/state/store.ts";
import type { TrafficRecord } from "./model.ts";
import { seed } from "./seed.ts";
import { websiteIds } from "./traffic.ts";

/** A store of the websites of the traffic, with what these records say of them. */
export function storeOf(records: Iterable<TrafficRecord> = []): Store {
  const store = new Store(new Beacons(BigInt(seed())));
  for (const websiteId of websiteIds) store.addSite(websiteId);
  for (const record of records) store.apply(record);
  return store;
}
