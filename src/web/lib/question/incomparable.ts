/** Tells when the figures of a website begin, where that is within the period that they are compared with. */
import type { NamedSummary } from "../../../core/questions/answer.ts";
import { beginsWithin } from "../../../core/questions/recorded-from.ts";
import { datesText } from "../calendar/period.ts";
import { dateIn } from "../calendar/zone.ts";
import { comparedWith } from "./paths.ts";
import type { Question } from "./question.ts";
import { t } from "../texts/words.ts";

type Compared = Pick<Question, "period" | "compare" | "zone">;

/** Whether changes would say more of when the figures begin than of the website. */
export function isIncomparable(
  question: Compared,
  summary: Pick<NamedSummary, "recorded_from"> | undefined,
  nowMs = Date.now(),
): boolean {
  const other = comparedWith(question, nowMs)?.sameTime;
  const from = summary?.recorded_from;
  return other !== undefined && from !== undefined && beginsWithin(other, from);
}

/** Returns undefined where figures are compared, or with nothing. */
export function incomparableText(
  question: Compared,
  summary: Pick<NamedSummary, "recorded_from">,
  nowMs = Date.now(),
): string | undefined {
  if (summary.recorded_from === undefined || !isIncomparable(question, summary, nowMs)) return undefined;
  const first = dateIn(question.zone, Date.parse(summary.recorded_from));
  return t("No changes are shown: figures begin on {date}, within the period compared with.", {
    date: datesText({ from: first, to: first }),
  });
}
