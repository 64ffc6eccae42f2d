/** Features of the tracker that an account can switch on; `default` alone means no extras. */
export const scriptTypes = [
  "default",
  "click-events",
  "page-events",
  "outbound-links",
  "file-downloads",
  "hash-routes",
] as const;
export type ScriptType = (typeof scriptTypes)[number];

/** The features that the tracker may include. */
export type ScriptFeature = Exclude<ScriptType, "default">;
export const scriptFeatures = scriptTypes.filter((type): type is ScriptFeature => type !== "default");
