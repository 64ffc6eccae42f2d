/**
 * Builds the tracker for every set of features and prints the texts as JSON. It is a program of its own, because a
 * macro may not bundle while it is being bundled itself.
 */
import { join } from "node:path";
import { scriptFeatures } from "../core/scripts.ts";
import { featureSets, featuresName } from "./features.ts";

async function buildVariant(features: ReadonlySet<string>): Promise<string> {
  const constant = (feature: string) => feature.replace("-", "_").toUpperCase();
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, "tracker.js")],
    target: "browser",
    format: "iife",
    minify: true,
    define: Object.fromEntries(
      scriptFeatures.map((feature) => [constant(feature), String(features.has(feature))]),
    ),
  });
  const [script] = outputs;
  if (script === undefined) throw new Error("the bundler gave no script");
  return (await script.text()).trim();
}

const variants = await Promise.all(
  featureSets().map(async (features) => [featuresName(features), await buildVariant(features)] as const),
);
await Bun.write(Bun.stdout, JSON.stringify(Object.fromEntries(variants)));
