/** Sums of chunks by channel, after they were bytes, against sums by tuple and against the rows. */
import { describe, expect, test } from "bun:test";
import { dayMs } from "../../src/core/hit.ts";
import { derivedNames, type DerivedName } from "../../src/core/questions/stored-dimension.ts";
import type { Rollup, Unit } from "../../src/facts/entries.ts";
import { rollUp } from "../../src/facts/rollup.ts";
import { QueryContext } from "../../src/query/cache/context.ts";
import type { LookUps } from "../../src/facts/rollup.ts";
import { channelsOf, isChannelCheck } from "../../src/query/names/derived.ts";
import { lookUps } from "../../src/query/names/look-ups.ts";
import type { Chunk } from "../../src/store/chunks/chunk.ts";
import { Site } from "../../src/store/state/site.ts";
import { answerList } from "../support/answers.ts";
import { randomBySeed } from "../support/seed.ts";
import { addView, listOf } from "../support/site.ts";
import { factsOf, otherLookUps, seenWith } from "../support/some-facts.ts";
import { sealAndStore } from "../support/stored-chunk.ts";

const marchMs = Date.UTC(2026, 2);

/** A sealed chunk of ten days whose rows have some hundred tuples. */
function sealed(): { site: Site; chunk: Chunk } {
  const random = randomBySeed();
  const pick = (...values: readonly string[]) => values[Math.floor(random() * values.length)] as string;
  const site = new Site(1);
  for (let at = 0; at < 4_000; at++)
    addView(site, {
      timeMs: marchMs + Math.floor((at * 10 * dayMs) / 4_000),
      referrer: pick("", "google.com", "reddit.com", "a.example", "b.example"),
      utm_source: pick("", "", "news", "bing"),
      utm_medium: pick("", "", "email", "cpc"),
      utm_campaign: pick("", "may"),
      p: random() < 0.4,
      ...(random() < 0.7 && { ms: Math.floor(random() * 60_000) }),
    });
  sealAndStore(site, Date.UTC(2026, 6));
  const [chunk] = site.chunks.values();
  return { site, chunk: chunk as Chunk };
}

/** Page views and milliseconds of each channel. */
function byChannel(site: Site, of: DerivedName, { ids, counts, totalMs }: Rollup): Map<number, number[]> {
  const sums = new Map<number, number[]>();
  const channels = channelsOf(site, of);
  ids.forEach((tuple, entry) => {
    const own = sums.getOrInsertComputed(channels[tuple] as number, () => Array.from({ length: 7 }, () => 0));
    const added = [...counts.subarray(6 * entry, 6 * entry + 6), totalMs[entry] as number];
    added.forEach((number, at) => (own[at] = (own[at] as number) + number));
  });
  return sums;
}

describe("sums by channel", () => {
  const { site, chunk } = sealed();
  const facts = factsOf(site, chunk);
  const rollup = (of: DerivedName, unit: Unit) => facts.rollup(of, unit) as Rollup;

  test("are those by tuple, with one entry a channel", () => {
    const byTuple = rollUp(site, chunk);
    for (const of of derivedNames) {
      const tuples = byTuple.find((made) => made.of === of)!.rollup;
      const own = rollup(of, "whole");
      expect(byChannel(site, of, own)).toEqual(byChannel(site, of, tuples));
      expect(own.ids).toHaveLength(byChannel(site, of, own).size);
      expect(own.unique).toEqual(tuples.unique);
    }
    expect(rollup("channel", "whole").ids.length).toBeGreaterThan(4);
  });

  test("are there by day too, which add up to the whole", () => {
    for (const of of derivedNames) {
      const days = rollup(of, "day");
      expect(days.ends).toHaveLength(10);
      expect(byChannel(site, of, days)).toEqual(byChannel(site, of, rollup(of, "whole")));
    }
  });

  test("are believed while all tuples have the channels that they were added up by", () => {
    for (const of of derivedNames) {
      const check = facts.channelCheck(of);
      expect(isChannelCheck(site, of, check)).toBe(true);
      // Another chunk may have fewer tuples, or more than there are.
      expect(isChannelCheck(site, of, { tuples: 0, checksum: 0 })).toBe(true);
      expect(isChannelCheck(site, of, check)).toBe(true);
      expect(isChannelCheck(site, of, { ...check, tuples: check.tuples - 1 })).toBe(false);
      expect(isChannelCheck(site, of, { ...check, tuples: check.tuples + 1e6 })).toBe(false);
      const others = factsOf(site, chunk, otherLookUps).channelCheck(of);
      expect(isChannelCheck(site, of, others)).toBe(false);
    }
  });

  const metrics = { "page views": ["pageviews"], visits: ["visits"] } as const;

  /** The answer, how many rows it read, and which chunks' facts are to be made again. */
  const asked = (by: LookUps, endMs: number, of: keyof typeof metrics) => {
    const own = factsOf(site, chunk, by);
    const again = new Set<Chunk>();
    const seen = seenWith(
      site,
      () => own,
      (outdated) => again.add(outdated),
    );
    const context = new QueryContext(seen);
    const query = listOf("channels", { period: { startMs: marchMs, endMs }, metrics: metrics[of] });
    return { rows: answerList(seen, query, context), rowsRead: context.rowsRead, again: [...again] };
  };

  const ends = { whole: Date.UTC(2027, 0), "four days": marchMs + 4 * dayMs - 1 };
  for (const [name, endMs] of Object.entries(ends))
    for (const of of ["page views", "visits"] as const)
      test(`answer lists of ${of} with the channels of now (${name}); otherwise rows do, and they are made again`, () => {
        const known = asked(lookUps, endMs, of);
        expect(known.rows.length).toBeGreaterThan(4);
        expect(known).toMatchObject({ rowsRead: 0, again: [] });
        const outdated = asked(otherLookUps, endMs, of);
        expect(outdated.rows).toEqual(known.rows);
        expect(outdated.rowsRead).toBeGreaterThan(0);
        expect(outdated.again).toEqual([chunk]);
      });
});
