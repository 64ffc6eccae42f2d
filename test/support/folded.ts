/** Folds some of the names of random traffic, in a store and in the model. */
import { dimensions } from "../../src/core/questions/dimension.ts";
import { hashesText } from "../../src/store/state/rebuilding/fold.ts";
import type { Store } from "../../src/store/state/store.ts";
import type { Model } from "./model.ts";
import { pools, propertyNames, propertyValues, websiteIds } from "./traffic.ts";

const kinds: readonly (readonly [kind: string, names: readonly string[]])[] = [
  ...dimensions.map(({ name }) => [name, pools[name]] as const),
  ["property.name", propertyNames],
  ["property.value", propertyValues],
];

/** `random`: numbers from 0 up to 1. */
export function foldSome(store: Store, model: Model, random: () => number, timeMs: number): void {
  const websiteId = websiteIds[random() < 0.7 ? 0 : 1];
  const some = kinds.filter(() => random() < 0.4);
  const folded = new Map(
    some.map(([kind, names]) => [kind, names.filter((name) => name !== "" && random() < 0.15)]),
  );
  const names = Array.from(folded, ([kind, own]) => {
    return { kind, hashes: hashesText(own.map((name) => store.beacons.hashOf(name))) };
  });
  store.apply({ kind: "namesFolded", timeMs, websiteId, names });
  model.fold(websiteId, (kind, name) => folded.get(kind)?.includes(name) === true);
}
