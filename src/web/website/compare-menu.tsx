/** The choice of the period that figures, lists and chart are compared with. */
import { useId, useState } from "preact/hooks";
import { navigate } from "../lib/address.ts";
import {
  comparisonLabels,
  comparisonNames,
  datesOfSpan,
  hasYearAgo,
  isByWeeks,
  type Comparison,
  type ComparisonName,
} from "../lib/calendar/comparison.ts";
import { datesText } from "../lib/calendar/period.ts";
import { dateIn } from "../lib/calendar/zone.ts";
import { comparedWith } from "../lib/question/paths.ts";
import { questionHref, type Question } from "../lib/question/question.ts";
import { Calendar } from "../parts/forms/calendar.tsx";
import { t } from "../lib/texts/words.ts";

export function CompareMenu({ question }: { readonly question: Question }) {
  const id = useId();
  const [picking, setPicking] = useState(false);
  const { zone, compare } = question;
  const nowMs = Date.now();
  const other = comparedWith(question, nowMs);
  const set = (comparison: Comparison) => {
    setPicking(false);
    navigate(questionHref({ ...question, compare: comparison }));
  };
  const today = dateIn(zone, nowMs);
  const hasYear = hasYearAgo(question.period, today);
  const chosen = compare.name === "year" && !hasYear ? "previous" : compare.name;
  if (question.period.name === "all") return <p class="hint">{t("All time is compared with nothing.")}</p>;
  return (
    <div class="field">
      <span id={id}>{t("Compare with")}</span>
      <ul class="compare-choices" aria-labelledby={id}>
        {comparisonNames
          .filter((name) => hasYear || name !== "year")
          .map((name) => (
            <li key={name}>
              <button
                type="button"
                aria-pressed={chosen === name}
                aria-expanded={name === "custom" ? picking : undefined}
                onClick={() => (name === "custom" ? setPicking(!picking) : set({ name }))}
              >
                <span>{comparisonLabels[name]}</span>
                {name !== "none" && <span class="weak">{datesOf(question, name, nowMs)}</span>}
              </button>
            </li>
          ))}
      </ul>
      {isByWeeks(question.period, compare, today) && (
        <p class="hint">
          {t("Earlier by whole weeks, so that each day is compared with the same day of the week.")}
        </p>
      )}
      {picking && (
        <Calendar
          label={t("First and last day to compare with")}
          dates={other && datesOfSpan(other.whole, zone)}
          latest={today}
          onPick={(dates) => set({ name: "custom", ...dates })}
        />
      )}
    </div>
  );
}

/** Returns the dates that a choice leads to, in words. */
function datesOf(question: Question, name: Exclude<ComparisonName, "none">, nowMs: number): string {
  if (name === "custom" && question.compare.name !== "custom") return "";
  const compare = name === "custom" ? question.compare : ({ name } as const);
  const other = comparedWith({ ...question, compare }, nowMs);
  return other === undefined ? "" : datesText(datesOfSpan(other.whole, question.zone));
}
