/** The rollups of sealed chunks that questions add up. */
import type { Rollup } from "../../facts/entries.ts";
import type { RollupOf, SiteWithFacts } from "../../facts/facts.ts";
import { isChannelCheck } from "../names/derived.ts";
import type { FactsPart } from "../rows/facts-and-rows.ts";

/**
 * Returns the rollup of a chunk by a dimension or channel, of the whole or of its days as the part has it; undefined if
 * there is none. That of a channel has a tuple of each channel where the tuples have the channels that they had when it
 * was made; otherwise the tuples that stand for channels. Throws what reading it throws.
 */
export function chunkRollup(
  site: SiteWithFacts,
  { facts, whole }: FactsPart,
  of: RollupOf,
): Rollup | undefined {
  const unit = whole ? "whole" : "day";
  if (typeof of === "number") return facts.rollup(of, unit);
  const check = facts.channelCheck(of);
  const isKnown = check !== undefined && isChannelCheck(site, of, check);
  return (isKnown ? facts.rollup(`by ${of}`, unit) : undefined) ?? facts.rollup(of, unit);
}
