/** The rollups of sealed chunks that questions add up. */
import type { Rollup } from "../../facts/entries.ts";
import type { RollupOf, SiteWithFacts } from "../../facts/facts.ts";
import { isChannelCheck } from "../names/derived.ts";
import type { FactsPart } from "../rows/facts-and-rows.ts";

/**
 * Returns the rollup of a chunk by a dimension or channel, of the whole or of its days as the part has it; undefined if
 * there is none, or if tuples had other channels when it was made: then it is made again. Throws what reading it throws.
 */
export function chunkRollup(
  site: SiteWithFacts,
  { chunk, facts, whole }: FactsPart,
  of: RollupOf,
): Rollup | undefined {
  const isRight = typeof of === "number" || isChannelCheck(site, of, facts.channelCheck(of));
  if (isRight) return facts.rollup(of, whole ? "whole" : "day");
  site.facts?.makeAgain(chunk);
  return undefined;
}
