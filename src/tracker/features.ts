/** What can be in the tracker or not, and what its variants are called. */
import { scriptTypes, type ScriptType } from "../core/scripts.ts";

export type ScriptFeature = Exclude<ScriptType, "default">;
export const scriptFeatures = scriptTypes.filter((type): type is ScriptFeature => type !== "default");

/** One name for a set of features, in whatever order they come; `default` is no feature. */
export function variantName(types: Iterable<string>): string {
  const asked = new Set<string>(types);
  return scriptFeatures.filter((feature) => asked.has(feature)).join(" ");
}

/** Every set of features. */
export function featureSets(): ReadonlySet<ScriptFeature>[] {
  return scriptFeatures.reduce<ReadonlySet<ScriptFeature>[]>(
    (sets, feature) => [...sets, ...sets.map((set) => new Set([...set, feature]))],
    [new Set()],
  );
}
