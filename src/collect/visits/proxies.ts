/**
 * Notices where a proxy hides the addresses of visitors: everybody would be one visit there. Either it sends an
 * `X-Forwarded-For` that no setting lets be believed, or nearly all loads of an hour come from one private address. The
 * address of a visitor leaves this file only if it is private, and so most likely that of the proxy.
 */
import { hourMs } from "../../core/hit.ts";
import { isPrivate } from "../../core/addresses/address.ts";
import type { Sender } from "../hit.ts";

/** In an hour of at least this many loads, a private address that sends this share of them is a proxy. */
const loadsMin = 50;
const nearlyAll = 0.95;
/** Anybody can send the header: from public addresses it shows a proxy if at least this share of the loads has it. */
const unnamedShare = 0.5;
/** The most private addresses of a website that are told apart in an hour. */
const addressesMax = 16;

export interface HidingProxy {
  /** "" if it is not private. */
  readonly address: string;
}

interface Hour {
  readonly hour: number;
  loads: number;
  /** Loads with a header that is not believed. */
  unnamed: number;
  /** The private address that such a load came from last; "" for none. */
  unnamedFrom: string;
  readonly fromPrivate: Map<string, number>;
  /** The proxies of the hours before, as long as this one is too young to tell. */
  readonly before: Found;
}

interface Found {
  /** The proxy from which nearly all loads come. */
  readonly all: HidingProxy | undefined;
  readonly unnamed: HidingProxy | undefined;
}

const nothingFound: Found = { all: undefined, unnamed: undefined };

export class Proxies {
  private readonly hours = new Map<number, Hour>();

  /** Notes a hit, and returns the proxy that hides who sent it. */
  note(websiteId: number, sender: Sender, isLoad: boolean, timeMs: number): HidingProxy | undefined {
    const hour = this.hourOf(websiteId, timeMs);
    const { isUnnamedProxy, address } = sender;
    const privateAddress = isPrivate(address) ? address : "";
    if (isLoad) count(hour, privateAddress, isUnnamedProxy);
    return isUnnamedProxy ? { address: privateAddress } : proxyOfAll(hour);
  }

  /** Returns the proxy that hides the visitors of a website; undefined if none is known. */
  of(websiteId: number, timeMs: number): HidingProxy | undefined {
    if (!this.hours.has(websiteId)) return undefined;
    const { all, unnamed } = foundIn(this.hourOf(websiteId, timeMs));
    return all ?? unnamed;
  }

  private hourOf(websiteId: number, timeMs: number): Hour {
    const hour = Math.floor(timeMs / hourMs);
    const known = this.hours.get(websiteId);
    if (known?.hour === hour) return known;
    const before = known === undefined ? nothingFound : foundIn(known);
    const begun = { hour, loads: 0, unnamed: 0, unnamedFrom: "", fromPrivate: new Map(), before };
    this.hours.set(websiteId, begun);
    return begun;
  }
}

function count(hour: Hour, privateAddress: string, isUnnamed: boolean): void {
  hour.loads++;
  if (isUnnamed) hour.unnamed++;
  if (privateAddress === "") return;
  if (isUnnamed) hour.unnamedFrom = privateAddress;
  const { fromPrivate } = hour;
  const known = fromPrivate.get(privateAddress);
  if (known !== undefined || fromPrivate.size < addressesMax)
    fromPrivate.set(privateAddress, (known ?? 0) + 1);
}

function foundIn(hour: Hour): Found {
  const { loads, unnamed, unnamedFrom, before } = hour;
  const isUnnamed = unnamedFrom !== "" || (unnamed > 0 && unnamed >= loads * unnamedShare);
  const own = isUnnamed ? { address: unnamedFrom } : undefined;
  return { all: proxyOfAll(hour), unnamed: loads < loadsMin ? (own ?? before.unnamed) : own };
}

/** Returns the proxy from which nearly all loads come. */
function proxyOfAll({ loads, fromPrivate, before }: Hour): HidingProxy | undefined {
  if (loads < loadsMin) return before.all;
  for (const [address, hits] of fromPrivate) if (hits >= loads * nearlyAll) return { address };
  return undefined;
}
