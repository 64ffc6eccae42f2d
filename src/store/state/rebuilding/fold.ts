/**
 * Folds names of a website into the overflow: its rows stay, and count as `(other)` where they had one of the names. A
 * record of the log names them by the keyed hash that beacons have too, which takes eight bytes a name and lets no
 * stranger choose a name that is folded with another.
 */
import type { Outcome } from "../../../core/outcome.ts";
import { ownDimension, storedDimensions, type StoredName } from "../../../core/questions/stored-dimension.ts";
import type { RecordOf } from "../../../record/record.ts";
import { columnsOf } from "../../columns/columns.ts";
import type { NewIds } from "../../columns/renumber.ts";
import { dictionariesByKind } from "../../values/dictionaries.ts";
import type { Dictionary } from "../../values/dictionary.ts";
import { rewrittenChunk } from "./rebuild.ts";
import { columnMembers, Site, type TupleColumn } from "../site.ts";

/** Hashes of names by their kind. */
export type FoldedNames = ReadonlyMap<string, ReadonlySet<bigint>>;

/** Returns hashes as text: eight bytes each, little-endian, in base64. */
export function hashesText(hashes: Iterable<bigint>): string {
  return new Uint8Array(BigUint64Array.from(hashes).buffer).toBase64();
}

/** Returns the hashes in such a text. Exported for tests. */
export function hashesOf(text: string): ReadonlySet<bigint> {
  const bytes = Uint8Array.fromBase64(text);
  const whole = bytes.length - (bytes.length % 8);
  return new Set(new BigUint64Array(bytes.slice(0, whole).buffer));
}

function foldedIn(names: RecordOf<"namesFolded">["names"]): FoldedNames {
  return new Map(names.map(({ kind, hashes }) => [kind, hashesOf(hashes)]));
}

/** Applies a record. `hashOf`: as it hashed the names. */
export function foldNames(
  sites: Map<number, Site>,
  { websiteId, names }: RecordOf<"namesFolded">,
  hashOf: (name: string) => bigint,
): Outcome {
  const site = sites.get(websiteId);
  if (site === undefined) return "missing";
  sites.set(websiteId, withoutNames(site, foldedIn(names), hashOf));
  return "done";
}

/**
 * Returns the website with those names folded. Columns in memory get new ids at once; those in files when they are asked
 * for. The old site shares buffers with the new one and must not be used any more. Exported for tests.
 */
export function withoutNames(site: Site, names: FoldedNames, hashOf: (name: string) => bigint): Site {
  const kept = new Site(site.websiteId);
  kept.continueFrom(site);
  const keptDictionaries = dictionariesByKind(kept);
  const newIds = new Map<string, NewIds>();
  for (const [kind, dictionary] of dictionariesByKind(site)) {
    // A visit's value goes with that of the hits it came from.
    const stays = staying(dictionary, names.get(ownDimension(kind as StoredName)), hashOf);
    newIds.set(kind, dictionary.moveUsed(stays, keptDictionaries.get(kind) as Dictionary));
  }
  const idsOf = (kind: string) => newIds.get(kind) as NewIds;
  const ids = {
    columns: columnsOf((name) => (name === "path" ? idsOf("path") : moveTuples(name, site, kept, idsOf))),
    propertyNames: idsOf("property.name"),
    propertyValues: idsOf("property.value"),
  };
  const values = storedDimensions.map(({ name }) => idsOf(name));
  const idsOfMonths = { values, tuples: ids.columns, propertyNames: ids.propertyNames };
  for (const chunk of site.chunks.values()) kept.restore(rewrittenChunk(chunk, { ids }));
  const hasValues = names.keys().some((kind) => !kind.startsWith("property."));
  for (const month of site.reduced.values())
    kept.addMonth(hasValues ? month.folded(idsOfMonths) : month.withIds(idsOfMonths));
  return kept;
}

/** Returns 1 for each id whose name stays. */
function staying(
  dictionary: Dictionary,
  folded: ReadonlySet<bigint> | undefined,
  hashOf: (name: string) => bigint,
): Uint8Array {
  const stays = new Uint8Array(dictionary.size).fill(1);
  if (folded === undefined) return stays;
  for (let id = 1; id < dictionary.size; id++) if (folded.has(hashOf(dictionary.value(id)))) stays[id] = 0;
  return stays;
}

/** Tuples that differed only in folded names become one. */
function moveTuples(column: TupleColumn, site: Site, kept: Site, idsOf: (kind: string) => NewIds): NewIds {
  const { members, size } = site.tuples[column];
  const memberIds = columnMembers[column].map((dimension) => idsOf(storedDimensions[dimension]!.name));
  const newIds = new Uint32Array(size);
  const tuple = new Uint32Array(members.length);
  for (let id = 1; id < size; id++) {
    members.forEach((ids, member) => {
      tuple[member] = memberIds[member]![ids[id]!]!;
    });
    newIds[id] = kept.tuples[column].intern(tuple);
  }
  return newIds;
}
