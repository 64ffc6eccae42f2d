/**
 * Admits hits to the log: a hit has to be within the budget of its network, `NameAdmission` decides about its names, and
 * `VisitAdmission` gives it its visit.
 * Everything here is in memory only, and nothing of it is needed to replay the log.
 */
import type { Registry } from "../../accounts/registry/registry.ts";
import type { Fact } from "../../collect/fact.ts";
import { sentNetwork, type Sender } from "../../collect/hit.ts";
import { isPrivate } from "../../core/addresses/address.ts";
import { pageViewOpenMs } from "../../core/hit.ts";
import { Refusal } from "../../core/refusal.ts";
import type { PastLoad, RecordOf } from "../../record/record.ts";
import { hitBytes, idBytes, propertiesBytes } from "../../store/state/early.ts";
import type { Store } from "../../store/state/store.ts";
import { Crowding } from "./crowding.ts";
import { NetworkBuckets, ofDay } from "./floods.ts";
import { NameAdmission } from "./names.ts";
import { OpenRows } from "./open-rows.ts";
import { VisitAdmission, type CountedHit } from "./visit-admission.ts";
import type { EngineOptions } from "../options/options.ts";

/**
 * A network may send the loads of this many seconds at once: carriers and relays put thousands of people behind one.
 */
const burstSeconds = 60;
/**
 * All visitors behind a proxy that no setting names look like one network. They share this many times the budget of
 * one: there must be a limit, because anybody can claim to be such a proxy.
 */
const unnamedProxyFactor = 10;
/**
 * The bytes that a network's hits may take in memory while they wait for their load, for each load a second that it
 * may send, within the seconds for which they wait.
 */
const earlyBytesOfLoad = 40_000;
const earlySeconds = 600;

/**
 * The most page views of one beacon while it is known: a search for one of them looks at all. Medama's tracker uses one
 * beacon for all pages that somebody opens without a reload; this is one page every half minute for eight hours.
 * Exported for tests.
 */
export const loadsOfBeaconMax = 1_000;

/** The share of FOOTFALL_MEMORY that full chunks may take which hits may still change: questions have the rest. */
const openRowsShare = 1 / 2;

/**
 * The ids of events that are remembered for a network at once, and as many again a day. It takes 53 networks to fill one of
 * two generations at once, and have older ids forgotten before their time (`idsMax` of store/state/event-ids.ts).
 */
const idsOfNetwork = 10_000;
/** Everybody may come from a private address, and a server sends for all its visitors. */
const idsOfMany = 10 * idsOfNetwork;

const importText =
  "page views of the last day take more memory than FOOTFALL_MEMORY allows beside those of visitors: import the rest once " +
  "they are a day old, or raise --memory; nothing is taken twice";

const fullText = "names take more memory than FOOTFALL_NAMES allows: new ones are counted as (other)";

type OfEngine = "nameBytes" | "loadsPerNetwork" | "memoryBytes" | "clock" | "logger" | "random";

export interface AdmissionOptions extends Pick<EngineOptions, OfEngine> {
  readonly registry: Registry;
  readonly store: Store;
  readonly nowMs: () => number;
  /** Called where no memory is left for rows: a checkpoint may seal some. */
  readonly onFull: () => void;
}

export class Admission {
  readonly names: NameAdmission;
  readonly visits: VisitAdmission;
  private readonly rows: OpenRows;
  private readonly loads: NetworkBuckets;
  private readonly loadsOfProxies: NetworkBuckets;
  private readonly early: NetworkBuckets;
  private readonly crowding = new Crowding();
  private readonly ids = new NetworkBuckets(ofDay(idsOfNetwork));
  private readonly idsOfMany = new NetworkBuckets(ofDay(idsOfMany));

  constructor(private readonly options: AdmissionOptions) {
    const { nameBytes, loadsPerNetwork: rate, store, logger, registry } = options;
    const proxies = rate * unnamedProxyFactor;
    this.names = new NameAdmission({
      bytes: nameBytes,
      sites: store.sites,
      ownerOf: (websiteId) => registry.ownerOf(websiteId),
    });
    this.rows = new OpenRows({
      ...options,
      sites: store.sites,
      bytesMax: options.memoryBytes * openRowsShare,
    });
    this.loads = new NetworkBuckets({ rate, burst: rate * burstSeconds });
    this.loadsOfProxies = new NetworkBuckets({ rate: proxies, burst: proxies * burstSeconds });
    const earlyBytes = rate * earlyBytesOfLoad;
    this.early = new NetworkBuckets({ rate: earlyBytes / earlySeconds, burst: earlyBytes });
    this.visits = new VisitAdmission(options);
    const needed = this.names.bytes;
    const bytes = nameBytes();
    if (needed > bytes) logger.warn(fullText, { bytes, needed });
  }

  /**
   * Returns whether a hit exceeds what its network may send, what its beacon may have, or what the memory holds. An unload of a
   * page view that is known never exceeds anything, and an event that goes to one only the room that there is. One that comes with
   * a token, without a visitor's address, is in no budget of loads.
   */
  isFlood({ hit, websiteId, sender, timeMs, atMs, isSent, pageView }: CountedHit): boolean {
    const { network, isUnnamedProxy, address, account } = sender;
    // Anybody may say to be a proxy; one before this server has a private address, or a token.
    const isShared = isUnnamedProxy && (isPrivate(address) || isSent);
    if (hit.kind !== "unload") {
      const { length } = hit.properties;
      if (this.rows.isFull(isShared ? undefined : network, length, timeMs, isSent)) return true;
      const open = () => this.options.store.sites.get(websiteId)?.openChunk(atMs);
      const chunk = pageView?.takesEvents === true ? pageView.chunk : open();
      // Everybody may come from a private address: from an office, or through a proxy that names nobody.
      const isOfMany = isShared || isPrivate(address);
      if (!isOfMany && this.crowding.isFull(chunk, network, length, timeMs)) return true;
    }
    if (pageView !== undefined && (hit.kind !== "event" || pageView.takesEvents)) return false;
    const loads = isUnnamedProxy ? this.loadsOfProxies : this.loads;
    const isOverBudget = () => !(isSent && address === "") && !loads.take(network, timeMs);
    if (hit.kind === "load")
      return this.options.store.beacons.countOf(hit.beacon) >= loadsOfBeaconMax || isOverBudget();
    if (hit.kind === "event" && hit.page !== null && isOverBudget()) return true;
    // An event whose page view takes no more of them waits for none.
    if (pageView !== undefined) return false;
    const ofId = hit.kind === "event" && hit.eventId !== "" ? idBytes : 0;
    const bytes = hitBytes + ofId + (hit.kind === "event" ? propertiesBytes(hit.properties) : 0);
    if (account === undefined) return !this.early.take(network, timeMs, bytes);
    // Some networks together may fill all that waits, and a token can name any number: its account is one network here.
    return hit.beacon !== "" && !this.early.take(sentNetwork(account, ""), timeMs, bytes);
  }

  /**
   * Returns whether the id of an event is remembered. Past what its network may have, an event counts as one without an id: it
   * is not lost, and others keep theirs.
   */
  remembersId({ hit, sender, timeMs }: CountedHit): boolean {
    if (hit.kind !== "event" || hit.eventId === "") return false;
    const { network, account, address } = sender;
    if (account !== undefined) return this.idsOfMany.take(sentNetwork(account, ""), timeMs);
    return (isPrivate(address) ? this.idsOfMany : this.ids).take(network, timeMs);
  }

  /**
   * Returns the fact as it is logged: with null for each name that is not kept apart. `websiteId`: the website whose
   * names they are; 0 where nobody can tell before the load of an event comes.
   */
  admit(fact: Fact, websiteId: number, { network }: Sender): Fact {
    if (fact.kind === "unload") return fact;
    const site = this.options.store.sites.get(websiteId);
    if (site !== undefined) return this.names.admit(fact, site, network, fact.timeMs);
    return fact.kind === "event" ? { ...fact, isAdmitted: false } : fact;
  }

  /**
   * Admits page views that the owner imports, as `admit` does hits: only the budget limits their names, and they have
   * their visits already. Throws Refusal 400 for rows of the last day that would leave no memory to visitors.
   */
  admitPast(record: RecordOf<"import">): RecordOf<"import"> {
    const site = this.options.store.sites.get(record.websiteId);
    if (site === undefined) return record;
    const open = record.loads.filter(({ timeMs }) => record.timeMs - timeMs <= pageViewOpenMs);
    const properties = open.reduce((sum, load) => sum + propertiesOf(load), 0);
    if (open.length > 0 && this.rows.isFullForImport(open.length, properties))
      throw new Refusal(400, importText);
    const loads = this.names.admitPast(record.loads, site, record.timeMs);
    return this.visits.admitPast({ ...record, loads }, this.options.registry.websites.get(record.websiteId));
  }
}

function propertiesOf({ properties = [] }: PastLoad): number {
  return properties.reduce((sum, own) => sum + own.properties.length, 0);
}
