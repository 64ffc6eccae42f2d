/**
 * The values of dimensions as questions see them: those that are stored, and those that are looked up from the members
 * of a column. A derived dimension has a dictionary too, and an id in it for each tuple of its column.
 */
import { channelMembers } from "../../core/questions/channel.ts";
import type { ColumnName } from "../../core/questions/dimension.ts";
import {
  columnOf,
  derivedColumns,
  dimensionIndex,
  isDerived,
  type DerivedName,
  type RowName,
  type StoredName,
} from "../../core/questions/stored-dimension.ts";
import { channelChecksum } from "../../facts/channel-sums.ts";
import type { ChannelCheck } from "../../facts/facts.ts";
import { once } from "../../lib/lazy.ts";
import { roomFor, scratch, type Holder } from "../../lib/memory/scratch.ts";
import { grown } from "../../store/columns/column.ts";
import type { ReadDictionary, ReadSite, ReadTuples } from "../../store/mirror/read-site.ts";
import { columnMembers } from "../../store/state/site.ts";
import { Dictionary, overflowId } from "../../store/values/dictionary.ts";
import {
  channelNames,
  channelOf,
  mediumOf,
  siteOfReferrer,
  siteOfSource,
  type Channel,
  type MediumKind,
  type SiteKind,
} from "./channels.ts";
import { groupsBy } from "./labels.ts";

export interface DimensionIds {
  readonly dictionary: ReadDictionary;
  /** By id of the column, the id of the value; undefined where they are the same. */
  readonly ofColumn: Uint32Array | undefined;
}

/** Returns the dictionary of a dimension, and which of its values each id of its column has. */
export function idsOf(site: ReadSite, name: RowName): DimensionIds {
  if (isDerived(name)) return { dictionary: channelDictionary(), ofColumn: channelsOf(site, name) };
  return { dictionary: dictionaryOf(site, name), ofColumn: memberOf(site, name) };
}

const channelDictionary = once(() => {
  const dictionary = new Dictionary();
  for (const name of channelNames) dictionary.intern(name);
  return dictionary;
});

const cache = new WeakMap<ReadTuples, TupleChannels>();

/** Returns the id of the channel of each tuple of a source, whether a row's own or its visit's; 0 is overflow. */
export function channelsOf(site: ReadSite, name: DerivedName): Uint32Array {
  return tupleChannels(site, name).extend(site);
}

/** Returns whether tuples have the channels now that they had when facts were made. */
export function isChannelCheck(site: ReadSite, name: DerivedName, check: ChannelCheck): boolean {
  return tupleChannels(site, name).isStill(site, check);
}

function tupleChannels(site: ReadSite, name: DerivedName): TupleChannels {
  const table = site.tuples[derivedColumns[name]];
  return cache.getOrInsertComputed(table, () => new TupleChannels(name));
}

const noIds = new Uint32Array(0);

/** The channel of each tuple. Looked up again if its memory was freed between questions. */
class TupleChannels implements Holder {
  readonly isDear = true;
  private ids = noIds;
  private known = 0;
  /** Checksums of the channels of the first tuples, by their number: one for each chunk that was asked for. */
  private readonly checksums = new Map([[0, 0]]);

  constructor(private readonly name: DerivedName) {}

  isStill(site: ReadSite, { tuples, checksum }: ChannelCheck): boolean {
    const ids = this.extend(site);
    if (tuples > this.known) return false;
    let from = 0;
    for (const before of this.checksums.keys()) if (before <= tuples) from = Math.max(from, before);
    const own = channelChecksum(ids, from, tuples, this.checksums.get(from));
    this.checksums.set(tuples, own);
    return own === checksum;
  }

  extend(site: ReadSite): Uint32Array {
    const { size } = site.tuples[derivedColumns[this.name]];
    if (this.ids.length < size) this.ids = grown(this.ids, new Uint32Array(roomFor(size)));
    scratch.hold(this, this.ids.byteLength);
    if (this.known === size) return this.ids;
    const { referrer, source, medium, campaign } = channelMembers[this.name];
    const referrers = kindsOf(site, referrer, siteOfReferrer);
    const sources = kindsOf(site, source, siteOfSource);
    const mediums = kindsOf(site, medium, mediumOf);
    const campaigns = kindsOf(site, campaign, campaignOf);
    const table = channelTable(referrers.kinds, sources.kinds, mediums.kinds, campaigns.kinds);
    for (let tuple = this.known; tuple < size; tuple++) {
      let at = kindAt(referrers, tuple);
      at = at * sources.kinds.length + kindAt(sources, tuple);
      at = at * mediums.kinds.length + kindAt(mediums, tuple);
      at = at * campaigns.kinds.length + kindAt(campaigns, tuple);
      this.ids[tuple] = table[at]!;
    }
    this.known = size;
    return this.ids;
  }

  letGo(): void {
    this.ids = noIds;
    this.known = 0;
  }
}

const channelId = Object.fromEntries(channelNames.map((name, at) => [name, at + 1])) as Record<
  Channel,
  number
>;

const campaignOf = (campaign: string) => (campaign === "" ? "none" : "some");

/** The kinds of the values of a dimension, each value judged once. */
interface Kinds<K> {
  /** The kinds that there are; the first, of overflow, is null. */
  readonly kinds: readonly (K | null)[];
  /** By value: the place of its kind. */
  readonly ofValue: Uint32Array;
  /** By tuple: the value. */
  readonly values: Uint32Array;
}

function kindsOf<K extends string>(site: ReadSite, name: StoredName, kindOf: (value: string) => K): Kinds<K> {
  const { ofId, labels } = groupsBy(dictionaryOf(site, name), kindOf);
  const kinds = labels.map((label, group) => (group === 0 ? null : (label as K)));
  return { kinds, ofValue: ofId, values: memberOf(site, name) as Uint32Array };
}

function kindAt({ ofValue, values }: Kinds<string>, tuple: number): number {
  return ofValue[values[tuple]!]!;
}

/** Returns the ids of the channels of all combinations, those of the last argument next to each other. */
function channelTable(
  referrers: Kinds<SiteKind>["kinds"],
  sources: Kinds<SiteKind>["kinds"],
  mediums: Kinds<MediumKind>["kinds"],
  campaigns: Kinds<string>["kinds"],
): Uint8Array {
  const ids = referrers.flatMap((referrer) =>
    sources.flatMap((source) =>
      mediums.flatMap((medium) =>
        campaigns.map((campaign) => {
          const channel = channelOf({ referrer, source, medium, hasCampaign: campaign !== "none" });
          return channel === null ? overflowId : channelId[channel];
        }),
      ),
    ),
  );
  return Uint8Array.from(ids);
}

function dictionaryOf(site: ReadSite, name: StoredName): ReadDictionary {
  return site.dictionaries[dimensionIndex[name]]!;
}

/** Returns the id of the value by tuple of the column; undefined for a column that has no tuples. */
function memberOf(site: ReadSite, name: StoredName): Uint32Array | undefined {
  const column = columnOf(name) as ColumnName;
  return column === "path"
    ? undefined
    : site.tuples[column].members[columnMembers[column].indexOf(dimensionIndex[name])];
}
