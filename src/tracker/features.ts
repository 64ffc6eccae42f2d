/** The variants of the tracker, and their names. */
import { scriptFeatures, type ScriptFeature } from "../core/scripts.ts";

/** Returns one name for a set of features, in whatever order they come; `default` is no feature. */
export function featuresName(types: Iterable<string>): string {
  const asked = new Set<string>(types);
  return scriptFeatures.filter((feature) => asked.has(feature)).join(" ");
}

export function featureSets(): ReadonlySet<ScriptFeature>[] {
  return scriptFeatures.reduce<ReadonlySet<ScriptFeature>[]>(
    (sets, feature) => [...sets, ...sets.map((set) => new Set([...set, feature]))],
    [new Set()],
  );
}
