/** Says which period a list is of, where months of sums answer for other days than were asked. */
import { dayMs } from "../../../core/hit.ts";
import { datesText, spanOf } from "../../lib/calendar/period.ts";
import { dateIn } from "../../lib/calendar/zone.ts";
import type { Question } from "../../lib/question/question.ts";
import { t } from "../../lib/texts/words.ts";

interface ListPeriodProps {
  readonly question: Question;
  /** The period of the answer, as `start/end`, where the server says one. */
  readonly period: string | undefined;
}

export function ListPeriod({ question, period = "" }: ListPeriodProps) {
  const [fromMs = NaN, toMs = NaN] = period.split("/").map((time) => Date.parse(time));
  const { startMs, endMs } = spanOf(question.period, question.zone, Date.now());
  // Edges that moved by less than a day are those of the time zone, which are taken to UTC.
  const isFar = (answeredMs: number, askedMs: number) => Math.abs(answeredMs - askedMs) >= dayMs;
  if (startMs === undefined || !(isFar(fromMs, startMs) || isFar(toMs, endMs))) return null;
  const dates = datesText({ from: dateIn("UTC", fromMs), to: dateIn("UTC", toMs) });
  return <p class="hint">{t("Earlier months have sums only: this list is of {dates}.", { dates })}</p>;
}
