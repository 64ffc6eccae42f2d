/**
 * The budget of bytes for the names of all websites. Half of it is divided equally between accounts, and the part of each
 * between the websites of which it is the first owner: every website has a part of its own, which no other account can make
 * smaller by adding websites. The other half is for whoever needs it first: one website may fill it, and the others still
 * have their parts. So websites that are added to a full budget exceed it until names of the large ones are folded
 * (`upkeep/folding.ts`).
 */
import { columnMembers, tupleColumns, type Site, type TupleColumn } from "../../store/state/site.ts";
import { allDictionaries } from "../../store/values/dictionaries.ts";

/** The bytes that a name takes in memory besides its UTF-8: its end, its hash and two slots of the table. */
export const nameBytes = 24;

/** The bytes that a tuple takes: its members and four slots. */
export function tupleBytes(column: TupleColumn): number {
  return 4 * (columnMembers[column].length + 4);
}

/** Returns the bytes that the names of a website take in memory. */
export function bytesOf(site: Site): number {
  const names = allDictionaries(site).reduce(
    (sum, { bytes, size }) => sum + bytes + nameBytes * (size - 1),
    0,
  );
  return tupleColumns.reduce(
    (sum, column) => sum + tupleBytes(column) * (site.tuples[column].size - 1),
    names,
  );
}

export interface NameBudgetOptions {
  /** Returns the budget for the names of all websites, which the other nodes of a cluster may change. */
  readonly bytes: () => number;
  readonly sites: ReadonlyMap<number, Site>;
  /** Returns the account that is the first owner of a website. */
  readonly ownerOf: (websiteId: number) => number | undefined;
}

/** The bytes of each website at a moment, and those that are added after that, or taken away. */
export class NameBudget {
  private readonly used = new Map<number, number>();
  /** The websites of each account. */
  private readonly byOwner: ReadonlyMap<number | undefined, readonly number[]>;
  /** The bytes that websites use beyond their parts. */
  private overShares = 0;

  constructor(private readonly options: NameBudgetOptions) {
    const { sites, ownerOf } = options;
    this.byOwner = Map.groupBy(sites.keys(), ownerOf);
    for (const site of sites.values()) this.add(site.websiteId, bytesOf(site));
  }

  get websiteIds(): Iterable<number> {
    return this.used.keys();
  }

  usedBy(websiteId: number): number {
    return this.used.get(websiteId) ?? 0;
  }

  /** Returns the most bytes that a website may have while the others have what they have. */
  mostFor(websiteId: number): number {
    const ofOthers = this.overShares - this.beyondShare(websiteId, this.usedBy(websiteId));
    return this.shareOf(websiteId) + Math.max(0, this.options.bytes() / 2 - ofOthers);
  }

  add(websiteId: number, bytes: number): void {
    const before = this.usedBy(websiteId);
    this.used.set(websiteId, before + bytes);
    this.overShares += this.beyondShare(websiteId, before + bytes) - this.beyondShare(websiteId, before);
  }

  /** Returns the part that a website has of its own. */
  private shareOf(websiteId: number): number {
    const { bytes, ownerOf } = this.options;
    // An account or a website that was added since makes the parts of others smaller once the bytes are counted again.
    const websites = this.byOwner.get(ownerOf(websiteId))?.length ?? 1;
    return bytes() / 2 / Math.max(1, this.byOwner.size) / websites;
  }

  private beyondShare(websiteId: number, used: number): number {
    return Math.max(0, used - this.shareOf(websiteId));
  }
}
