/**
 * Keeps answers about time that is over. Sealed chunks never change, so a question about them has the answer that it had
 * before, for as long as the website has the same ones: who opens a page again, or goes back to it, waits for no count. At
 * 10 million page views the answers of a page with a new filter take 70 to 190 ms of the processor, and those that are
 * kept less than one. The values of ids in sealed chunks stay, or the chunks get another version.
 */
import { visitSpanMsMax } from "../core/hit.ts";
import { listedDimensions } from "../core/questions/dimension.ts";
import { isClosed, type Question } from "../core/questions/query.ts";
import type { QueryCache } from "../query/cache/cache.ts";
import { workText } from "../query/cache/context.ts";
import type { ReadSite } from "../store/mirror/read-site.ts";
import type { Answer } from "./answer.ts";

/** Longer answers are not kept: those of a page have some thousand characters. */
const lengthMax = 2 ** 16;

/** The questions whose answers follow from their own period and the one that they compare with. */
const lists: ReadonlySet<Question["list"]> = new Set([
  ...listedDimensions.map(({ list }) => list),
  "time",
  "properties",
  "summary",
  "goals",
  "funnel",
  "journeys",
  "entries",
  "exits",
]);

/** Returns the answer that is kept, or that of `make`, which may throw. */
export function keptAnswer(
  cache: QueryCache,
  site: ReadSite,
  question: Question,
  make: () => Answer,
): Answer {
  const key = keyOf(site, question);
  if (key === undefined) return make();
  const known = cache.find<Answer>(site, 0, key);
  if (known !== undefined) return { ...known, timing: keptTiming };
  const made = make();
  const { length } = made.csv ?? made.json;
  if (length <= lengthMax) cache.keep(site, 0, key, made, 2 * length);
  return made;
}

/** The timing of an answer that took no work. */
const keptTiming = `answer;dur=0.00;desc="${workText({ rowsRead: 0, rowsMatched: 0, factsAdded: 0 })}"`;

/** Returns a key that is equal where the answer is; undefined if something in the question's periods may yet change. */
function keyOf(site: ReadSite, question: Question): string | undefined {
  const periods =
    "compare" in question && question.compare ? [question.period, question.compare] : [question.period];
  // A question about visits reads rows that are so much later than its period.
  const untilMs = Math.max(...periods.map(({ endMs }) => endMs)) + visitSpanMsMax;
  if (!lists.has(question.list) || !periods.every(isClosed) || site.reduced.size > 0) return undefined;
  let chunks = "";
  for (const { number, version, sealed, minMs, propertyMinMs } of site.chunks.values()) {
    if (sealed) chunks += ` ${number}.${version}`;
    else if (Math.min(minMs, propertyMinMs) <= untilMs) return undefined;
  }
  // The time of the question matters only for visits under way. Their rows are in open chunks, and a question that such
  // a chunk may concern has returned above.
  return `answer ${JSON.stringify({ ...question, nowMs: 0 })}${chunks}`;
}
