/**
 * Names the sources of the last page views. Many tuples have one name: an advertisement may give each click a term or campaign of
 * its own. So the page views are counted by ids of the texts that the names come from, and not by tuples.
 */
import { otherLabel } from "../../../core/questions/dimension.ts";
import type { ReadDictionary, ReadSite } from "../../../store/mirror/read-site.ts";
import { overflowId } from "../../../store/values/dictionary.ts";
import { idsOf } from "../../names/derived.ts";
import { referrerGroup } from "../../names/referrer-groups.ts";
import { textOf } from "../../names/value-text.ts";

export class RecentSources {
  private readonly ofUtm: Uint32Array;
  private readonly utms: ReadDictionary;
  private readonly ofReferrer: Uint32Array;
  private readonly referrers: ReadDictionary;
  /** By id from 1 on: the end of the text of a `utm_source`. */
  private readonly ends: Uint32Array;

  constructor(site: ReadSite) {
    const [utm, referrer] = [idsOf(site, "utm_source"), idsOf(site, "referrer")];
    this.ofUtm = utm.ofColumn!;
    this.utms = utm.dictionary;
    this.ofReferrer = referrer.ofColumn!;
    this.referrers = referrer.dictionary;
    this.ends = utm.dictionary.since(1).ends;
  }

  /** One more than the greatest id. */
  get size(): number {
    return this.utms.size + this.referrers.size;
  }

  /** Returns the id of its `utm_source`, or behind all of these that of its referrer. */
  idOf(tuple: number): number {
    const utm = this.ofUtm[tuple]!;
    return this.isEmpty(utm) ? this.utms.size + this.ofReferrer[tuple]! : utm;
  }

  /** "" is the name for page views that came from nowhere else. */
  nameOf(id: number): string {
    if (id < this.utms.size) return textOf(this.utms, id);
    const referrer = textOf(this.referrers, id - this.utms.size);
    return referrer === otherLabel ? referrer : referrerGroup(referrer);
  }

  private isEmpty(utm: number): boolean {
    return utm !== overflowId && this.ends[utm - 1] === (this.ends[utm - 2] ?? 0);
  }
}
