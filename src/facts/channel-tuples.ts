/**
 * Groups tuples that have the same channel under any table of channels (query/names/channels.ts): those with the same
 * referrer, utm_source and utm_medium, all with a campaign or all without. The first tuple of a group stands for all.
 */
import { channelMembers } from "../core/questions/channel.ts";
import {
  derivedColumns,
  dimensionIndex,
  type DerivedName,
  type StoredName,
} from "../core/questions/stored-dimension.ts";
import type { ReadDictionary, ReadSite } from "../store/mirror/read-site.ts";
import { columnMembers } from "../store/state/site.ts";
import { TupleTable } from "../store/values/tuples.ts";

/** Returns, for each tuple of the column that a channel is looked up from, the first tuple of its group. */
export function channelTuples(site: ReadSite, name: DerivedName): Uint32Array {
  const column = derivedColumns[name];
  const { members, size } = site.tuples[column];
  const idsOf = (of: StoredName) => members[columnMembers[column].indexOf(dimensionIndex[of])]!;
  const { referrer, source, medium, campaign } = channelMembers[name];
  const [referrers, sources, mediums] = [idsOf(referrer), idsOf(source), idsOf(medium)];
  const campaigns = idsOf(campaign);
  const noCampaign = idOfNone(site.dictionaries[dimensionIndex[campaign]]!);
  const known = new TupleTable(4);
  const firsts: number[] = [0];
  const ids = new Uint32Array(4);
  return Uint32Array.from({ length: size }, (_, tuple) => {
    if (tuple === 0) return 0;
    ids.set([referrers[tuple]!, sources[tuple]!, mediums[tuple]!, campaigns[tuple] === noCampaign ? 1 : 2]);
    return (firsts[known.intern(ids)] ??= tuple);
  });
}

/** Returns the id of "", or 0: then no tuple is without a value. */
function idOfNone(dictionary: ReadDictionary): number {
  for (let id = 1; id < dictionary.size; id++) if (dictionary.value(id) === "") return id;
  return 0;
}
