/** Takes over the names that an imported month brings along: they get ids of the website. */
import { dimensions } from "../../core/questions/dimension.ts";
import { dimensionIndex, valuesBefore, visitDimension } from "../../core/questions/stored-dimension.ts";
import { sourceNames } from "../../record/month-kinds.ts";
import type { RecordOf } from "../../record/record.ts";
import type { NewIds } from "../columns/renumber.ts";
import { overflowId, type Dictionary } from "../values/dictionary.ts";
import type { ReducedIds } from "./reduced-month.ts";
import { columnMembers, type Site, type TupleColumn } from "./site.ts";

/** Returns the website's ids by those of the month's file. */
export function idsOfImported(
  site: Site,
  { namesOf, sources }: Pick<RecordOf<"monthImported">, "namesOf" | "sources">,
): ReducedIds {
  const byName = new Map(namesOf.map(({ of, values }) => [of, values] as const));
  const values: NewIds[] = [];
  for (const { name } of dimensions)
    for (const own of new Set([name, visitDimension(name)])) {
      const index = dimensionIndex[own];
      values[index] = interned(site.dictionaries[index]!, byName.get(name));
    }
  const tuples = {
    source: tupleIds(site, "source", sources, values),
    origin: tupleIds(site, "origin", sources, values),
  };
  return { values, tuples, propertyNames: interned(site.propertyNames, byName.get("prop_name")) };
}

function interned(dictionary: Dictionary, names: readonly (string | null)[] = []): NewIds {
  return Uint32Array.from([null, ...names], (name) => (name === null ? overflowId : dictionary.intern(name)));
}

/** `sources`: the members of each tuple, in the order of the column's; those that came later have the value from before. */
function tupleIds(
  site: Site,
  column: TupleColumn,
  sources: readonly (number | null)[],
  values: readonly NewIds[],
): NewIds {
  const members = columnMembers[column];
  const known = sourceNames.length;
  const ids = Uint32Array.from(members, (dimension) => {
    const before = valuesBefore[dimension];
    return before === undefined ? overflowId : site.dictionaries[dimension]!.intern(before);
  });
  const newIds = new Uint32Array(1 + sources.length / known);
  for (let tuple = 1; tuple < newIds.length; tuple++) {
    members.slice(0, known).forEach((dimension, member) => {
      ids[member] = values[dimension]![sources[(tuple - 1) * known + member] ?? 0]!;
    });
    newIds[tuple] = site.tuples[column].intern(ids);
  }
  return newIds;
}
