/**
 * The digests of some pages in months without rows. They are kept for as long as no others are asked for: a list asks
 * for the same pages again, or for fewer of them.
 */
import type { Digests } from "../../facts/months/digest.ts";
import { bytesIn } from "../../facts/months/reduced-facts.ts";
import { extent } from "../../lib/extent.ts";
import { firstAtLeast } from "../../lib/search.ts";
import type { ReducedMonth } from "../../store/state/reduced-month.ts";
import type { QueryContext } from "../cache/context.ts";
import type { DigestQuantiles } from "./digest-quantiles.ts";

/** The digests of a month that are kept, and the ids of the pages whose they are. */
interface OfPages {
  readonly pages: ReadonlySet<number>;
  readonly digests: Digests;
}

export class PageDigests {
  /** In the order of months. */
  private readonly digests: readonly Digests[];

  /** `pages`: ids of paths. Throws what reading the months throws. */
  constructor(months: readonly ReducedMonth[], pages: ReadonlySet<number>, context: QueryContext) {
    // A list far behind the first pages asks for all of them.
    const [, last] = extent(pages.size === 0 ? [0] : pages);
    const isAsked = new Uint8Array(last + 1);
    for (const page of pages) isAsked[page] = 1;
    this.digests = months.map((month) => {
      const name = "digests of pages";
      const known = context.cache.find<OfPages>(month, 0, name);
      if (known !== undefined && pages.isSubsetOf(known.pages)) return known.digests;
      const digests = context.factsOf(month).pages(isAsked);
      context.cache.keep(month, 0, name, { pages, digests }, bytesIn(digests));
      return digests;
    });
  }

  /** Returns how many durations of a page are digested. */
  countOf(page: number): number {
    let sum = 0;
    for (const { keys, counts } of this.digests)
      for (let group = firstAtLeast(keys, page); keys[group] === page; group++) sum += counts[group]!;
    return sum;
  }

  addTo(quantiles: DigestQuantiles, page: number): void {
    for (const own of this.digests) {
      const from = firstAtLeast(own.keys, page);
      let to = from;
      while (own.keys[to] === page) to++;
      quantiles.add(own, from, to);
    }
  }
}
