/** Stands instead of figures and lists where a period has sums only, from which filters and goals select nothing. */
import type { ApiError } from "../lib/api.ts";
import { customPeriod } from "../lib/calendar/period.ts";
import { dateIn, parseDate } from "../lib/calendar/zone.ts";
import { questionHref, withoutGoal, type Question } from "../lib/question/question.ts";
import { utcDate } from "../lib/texts/format.ts";
import { t } from "../lib/texts/words.ts";
import { Empty } from "../parts/notice.tsx";

/** Returns the UTC time before which months have sums only, if that is why an answer was refused. */
export function sumsBefore(error: ApiError | undefined): string | undefined {
  return /^the months before (\S+) have sums only/.exec(error?.message ?? "")?.[1];
}

interface SumsOnlyProps {
  readonly question: Question;
  /** The UTC time before which months have sums only. */
  readonly until: string;
}

export function SumsOnly({ question, until }: SumsOnlyProps) {
  const { filters, goal, zone } = question;
  const from = parseDate(until.slice(0, 10));
  const isFiltered = filters.length > 0;
  return (
    <section class="card" aria-label={t("Figures of the period")}>
      <Empty>
        <h2>{t("This period cannot be filtered.")}</h2>
        <p>
          {t("The months before {date} have sums only, from which filters and goals can select nothing.", {
            date: utcDate(until),
          })}
        </p>
        {(isFiltered || goal !== undefined) && (
          <a class="button" href={questionHref(withoutGoal({ ...question, filters: [] }))}>
            {isFiltered ? t("Remove the filters") : t("Leave the goal")}
          </a>
        )}
        {from && (
          <a
            class="button"
            href={questionHref({
              ...question,
              interval: undefined,
              period: customPeriod(from, dateIn(zone, Date.now())),
            })}
          >
            {t("Show from {date} on", { date: utcDate(until) })}
          </a>
        )}
      </Empty>
    </section>
  );
}
