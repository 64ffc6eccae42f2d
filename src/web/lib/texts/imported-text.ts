/** Says which days of a period were imported as sums. */
import { shifted } from "../../../core/calendar/date.ts";
import type { NamedSummary } from "../../../core/questions/answer.ts";
import { datesText, spanOf } from "../calendar/period.ts";
import { dateIn, isoDate, parseDate } from "../calendar/zone.ts";
import type { Question } from "../question/question.ts";
import { t } from "./words.ts";

/** Returns undefined where there are no such sums in the period, nor in the one that it is compared with. */
export function importedText(
  { period, zone }: Pick<Question, "period" | "zone">,
  { imported_from, imported_until }: Pick<NamedSummary, "imported_from" | "imported_until">,
): string | undefined {
  // Sums are of UTC days, which the dates of a period are taken for.
  const [first, end] = [imported_from, imported_until].map((time) => time && parseDate(time.slice(0, 10)));
  if (!first || !end) return undefined;
  const { startMs, endMs } = spanOf(period, zone, Date.now());
  const shownFirst = startMs === undefined ? first : dateIn(zone, startMs);
  const [shownLast, last] = [dateIn(zone, endMs), shifted(end, -1)];
  const from = isoDate(shownFirst) > isoDate(first) ? shownFirst : first;
  const to = isoDate(shownLast) < isoDate(last) ? shownLast : last;
  if (isoDate(from) > isoDate(to))
    return t("The period that this one is compared with was imported as sums of days.");
  return t("Imported as sums of days: {dates}.", { dates: datesText({ from, to }) });
}
