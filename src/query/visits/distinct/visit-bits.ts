/**
 * Remembers which groups each visit was seen in, where groups are few: a bit for each. A row takes a third of the time
 * that it takes with lists (groups-of-visits.ts), because no branch depends on its visit.
 */
import { pageOf, pageVisits } from "../../../facts/visits.ts";
import { scratch } from "../../../lib/memory/scratch.ts";
import { blockRows } from "../../rows/block.ts";
import type { SharedVisits } from "./shared-visits.ts";

/** With more groups than this, the bits of a visit would take more memory than a list. */
export const bitGroupsMax = 255;
/**
 * The most pages, which is twice what the greatest chunk has of new visits: 64 MB. After a purge few visits may be left of
 * each page, and those of more pages take a list. Exported for tests.
 */
export const visitPagesMax = 2_048;

const noPage = new Int32Array(0) as Int32Array;
const left = new Uint32Array(blockRows);

export class VisitBits {
  /** The number of visits that were seen. */
  size = 0;
  /**
   * By number of the page: `words` words for each of its visits; none for one too many. The first bit says that the visit was
   * seen.
   */
  private readonly pages = new Map<number, Int32Array>();
  /** Pages that were cleared, for the next visits. */
  private readonly unused: Int32Array[] = [];
  private readonly words: number;

  /** `groups`: at most `bitGroupsMax`. */
  constructor(groups: number) {
    this.words = Math.ceil((groups + 1) / 32);
  }

  /**
   * Adds groups to the first `count` visits, and one to the count of each group that is new. Returns the indexes of those
   * that it left out: visits in pages that have shared ones, in pages too many, or in the one of visit 0, which is none.
   */
  addEach(
    visits: Uint32Array,
    groups: Uint32Array,
    count: number,
    counts: Uint32Array,
    shared: SharedVisits,
  ): Uint32Array {
    const { words } = this;
    let page = noPage;
    let [number, found, leftOut] = [-1, 0, 0];
    // The loop below is: for each visit, counts[its group] += 1 unless it has the bit of the group, which it gets.
    for (let at = 0; at < count; at++) {
      const visit = visits[at]! | 0;
      if (pageOf(visit) !== number) {
        number = pageOf(visit);
        page = number === 0 || shared.isIn(number) ? noPage : this.page(number);
      }
      if (page === noPage) {
        left[leftOut++] = at;
        continue;
      }
      const group = groups[at]! | 0;
      const first = Math.imul(visit & (pageVisits - 1), words);
      const seen = page[first]! | 0;
      found = (found + 1 - (seen & 1)) | 0;
      page[first] = seen | 1;
      const place = (first + ((group + 1) >>> 5)) | 0;
      const before = page[place]! | 0;
      counts[group] = (counts[group]! + ((~before >>> (group + 1)) & 1)) | 0;
      page[place] = before | (1 << (group + 1));
    }
    this.size += found;
    return left.subarray(0, leftOut);
  }

  /** Forgets all visits. */
  clear(): void {
    for (const page of this.pages.values()) if (page !== noPage) this.unused.push(page.fill(0));
    this.pages.clear();
    this.size = 0;
  }

  private page(number: number): Int32Array {
    const known = this.pages.get(number);
    if (known !== undefined) return known;
    const page = this.pages.size < visitPagesMax ? (this.unused.pop() ?? this.newPage()) : noPage;
    this.pages.set(number, page);
    return page;
  }

  private newPage(): Int32Array {
    const length = pageVisits * this.words;
    scratch.need(4 * length);
    return new Int32Array(length);
  }
}
