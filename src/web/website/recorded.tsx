/** Stands instead of lists where a period has nothing to list, and says where the data is. */
import type { Dates } from "../../core/calendar/date.ts";
import type { NamedSummary } from "../../core/questions/answer.ts";
import { useAnswer } from "../lib/answer.ts";
import { customPeriod, datesText } from "../lib/calendar/period.ts";
import { parseDate } from "../lib/calendar/zone.ts";
import { listPath, recordedPath } from "../lib/question/paths.ts";
import { isFiltered, questionHref, type Question } from "../lib/question/question.ts";
import { Empty } from "../parts/notice.tsx";
import { t } from "../lib/texts/words.ts";

/** The dates of the first and last page view that a question selects in any period; undefined without any. */
export type Recorded = Dates | undefined;

/**
 * Returns what is recorded, once the answer to the question is known to be empty and that for all time is there.
 * `isNever`: the website has no page view and no event at all. Events that a server sends, such as orders, need no page
 * view.
 */
export function useRecorded(question: Question, answer: NamedSummary | undefined) {
  const hasNoViews = answer !== undefined && !hasSome(answer.current);
  const hasEvents = useEvents(question, hasNoViews);
  const isEmpty = hasNoViews && hasEvents !== true;
  const { data, loading } = useAnswer<NamedSummary>(isEmpty ? recordedPath(question) : null);
  const isKnown = isEmpty && hasEvents === false && data !== undefined;
  const dates = data && datesOf(data);
  const mayBeNever = isKnown && !loading && dates === undefined && !isFiltered(question);
  const isNever = useEvents({ ...question, period: { name: "all" } }, mayBeNever) === false && mayBeNever;
  return { isEmpty, isKnown, isNever, dates };
}

/** Returns whether there are events in the period of a question; undefined until it is known, and unless it `isAsked`. */
function useEvents(question: Question, isAsked: boolean): boolean | undefined {
  const path = isAsked ? listPath(question, "properties", { limit: 1 }) : null;
  const { data, loading } = useAnswer<readonly unknown[]>(path);
  return loading ? undefined : (data?.length ?? 0) > 0;
}

function hasSome({ visitors = 0, pageviews = 0 }: NamedSummary["current"]): boolean {
  return visitors > 0 || pageviews > 0;
}

function datesOf({ interval = [] }: NamedSummary): Recorded {
  const days = interval.filter(hasSome);
  const [from, to] = [days[0], days.at(-1)].map((day) => day && parseDate(day.date.slice(0, 10)));
  return from && to && { from, to };
}

interface NothingHereProps {
  /** Whether another question is under way. */
  readonly busy: boolean;
  readonly question: Question;
  readonly recorded: Recorded;
}

/** Says that a period has no visits, and which one has some. */
export function NothingHere({ question, recorded, busy }: NothingHereProps) {
  const filtered = isFiltered(question);
  return (
    <section class="card" aria-label={t("Data of other periods")} aria-busy={busy}>
      <Empty>
        <h2>
          {filtered ? t("No visits in this period with these filters.") : t("No visits in this period.")}
        </h2>
        {recorded ? (
          <>
            <p>{t("Visits are recorded for {dates}.", { dates: datesText(recorded) })}</p>
            <a
              class="button"
              href={questionHref({
                ...question,
                interval: undefined,
                period: customPeriod(recorded.from, recorded.to),
              })}
            >
              {t("Show that period")}
            </a>
          </>
        ) : (
          <p>
            {filtered
              ? t("There are none in any other period with these filters.")
              : t("There are none in any other period.")}
          </p>
        )}
      </Empty>
    </section>
  );
}
