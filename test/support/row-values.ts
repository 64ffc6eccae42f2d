/** The values that a row has, as strings. */
import { columnNames } from "../../src/core/questions/dimension.ts";
import type { Chunk } from "../../src/store/chunks/chunk.ts";
import { columnMembers, type Site, type TupleColumn } from "../../src/store/state/site.ts";

/** Each value of a row, null for overflow. */
export function rowValues(site: Site, chunk: Chunk, row: number): (string | null)[] {
  return columnNames.flatMap((name) => {
    const id = chunk.ids[name].values[row] as number;
    return columnMembers[name].map((dimension, member) => {
      const valueId =
        name === "path" ? id : (site.tuples[name as TupleColumn].members[member]?.[id] as number);
      return valueId === 0 ? null : (site.dictionaries[dimension]?.value(valueId) as string);
    });
  });
}
