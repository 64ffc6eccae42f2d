/** The menu of the period: a button that names the period and opens all choices, between steps back and forward. */
import { useMemo, useState } from "preact/hooks";
import { isPlainClick, navigate } from "../lib/address.ts";
import { datesOfSpan } from "../lib/calendar/comparison.ts";
import {
  customPeriod,
  datesText,
  periodLabels,
  periodText,
  spanOf,
  stepped,
  type PeriodChoice,
  type PeriodName,
} from "../lib/calendar/period.ts";
import { shortcuts } from "../lib/preferences.ts";
import { questionHref, type Question } from "../lib/question/question.ts";
import { dateIn, ownZone, placeOf, zonesLike } from "../lib/calendar/zone.ts";
import { Calendar } from "../parts/forms/calendar.tsx";
import { Combobox } from "../parts/forms/combobox.tsx";
import { Icon } from "../parts/icon.tsx";
import { usePopup } from "../parts/dialogs/use-popup.ts";
import { CompareMenu } from "./compare-menu.tsx";
import { keyOfPeriod } from "./keys/key-table.ts";
import { t } from "../lib/texts/words.ts";

/** There is one menu on a page, and a key that opens it. */
const menuId = "period-menu";

export function openPeriodMenu(): void {
  const menu = document.getElementById(menuId);
  // The element that has the focus before gets it back afterwards.
  document.querySelector<HTMLElement>(`[popovertarget=${menuId}]`)?.focus();
  menu?.showPopover();
  menu?.querySelector<HTMLElement>("[role=grid] [tabindex='0']")?.focus();
}

interface PartProps {
  readonly question: Question;
}

/** The dates of a period that has a name: on paper nobody can tell when it was. */
function PrintedDates({ question: { period, zone } }: PartProps) {
  const nowMs = Date.now();
  const { startMs, endMs } = spanOf(period, zone, nowMs);
  if (startMs === undefined || period.name === "custom") return null;
  const dates = datesOfSpan({ startMs, endMs: Math.min(endMs, nowMs) }, zone);
  return <span class="on-paper">{datesText(dates)}</span>;
}

export function PeriodMenu({ question }: PartProps) {
  const { button, box, toggled } = usePopup();
  /** It is one click away, and the usual period from there. */
  const other = isShown(question.period, "this_week") ? "30d" : "this_week";
  return (
    <div class="period" role="group" aria-label={t("Period")}>
      {question.view === "website" && (
        <div class="period-other">
          <a class="button" href={questionHref({ ...question, period: { name: other } })}>
            {periodLabels[other]}
          </a>
        </div>
      )}
      <Step question={question} direction={-1} />
      <button ref={button} type="button" popovertarget={menuId}>
        <Icon name="calendar" />
        <span>{periodText(question.period, question.zone)}</span>
        <PrintedDates question={question} />
        {question.zone !== ownZone && <span class="weak cut">{placeOf(question.zone)}</span>}
        <Icon name="down" />
      </button>
      <Step question={question} direction={1} />
      <div
        ref={box}
        id={menuId}
        class="menu period-menu"
        popover="auto"
        aria-label={t("Period and time zone")}
        role="group"
        onToggle={toggled}
      >
        <div>
          <Periods question={question} onPick={() => box.current?.hidePopover()} />
          <Days
            key={JSON.stringify([question.period, question.zone])}
            question={question}
            onPick={() => box.current?.hidePopover()}
          />
        </div>
        <div>
          {question.view === "website" && <CompareMenu question={question} />}
          <Zone question={question} />
        </div>
      </div>
    </div>
  );
}

/** A step back or forward. It stays the same element if there is nowhere to go, so that the focus is not lost. */
function Step({ question, direction }: PartProps & { readonly direction: -1 | 1 }) {
  const period = stepped(question.period, question.zone, Date.now(), direction);
  const label = direction === -1 ? t("Previous period") : t("Next period");
  return (
    <a
      class="button plain icon-button"
      aria-label={label}
      title={label}
      {...(period === undefined
        ? { role: "link", "aria-disabled": true, tabIndex: -1 }
        : { href: questionHref({ ...question, period }), tabIndex: 0 })}
    >
      <Icon name={direction === -1 ? "back" : "forward"} />
    </a>
  );
}

/** Returns whether a period is the one of this name: 24 hours until some time ago are not the last ones. */
function isShown(period: PeriodChoice, name: PeriodName): boolean {
  return period.name === name && !("untilMs" in period);
}

/** The periods with a name, two in a row. */
const listed = [
  "today",
  "yesterday",
  "24h",
  "all",
  "this_week",
  "last_week",
  "this_month",
  "last_month",
  "this_year",
  "last_year",
  "7d",
  "28d",
  "30d",
  "90d",
  "12mo",
] as const satisfies readonly Exclude<PeriodName, "custom">[];

function Periods({ question, onPick }: PartProps & { readonly onPick: () => void }) {
  return (
    <ul aria-label={t("Periods")}>
      {listed.map((name) => (
        <li key={name}>
          <a
            href={questionHref({ ...question, period: { name } })}
            aria-current={isShown(question.period, name) ? "true" : undefined}
            onClick={(event) => {
              if (isPlainClick(event)) onPick();
            }}
          >
            {periodLabels[name]}
            {shortcuts.value && question.view === "website" && keyOfPeriod(name) !== undefined && (
              <kbd aria-hidden="true">{keyOfPeriod(name)}</kbd>
            )}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** The calendar, with the dates of the current period. */
function Days({ question, onPick }: PartProps & { readonly onPick: () => void }) {
  const { zone, period } = question;
  const nowMs = Date.now();
  const { startMs, endMs } = spanOf(period, zone, nowMs);
  const shown = startMs === undefined ? undefined : datesOfSpan({ startMs, endMs }, zone);
  return (
    <Calendar
      label={t("First and last day")}
      dates={shown}
      latest={dateIn(zone, nowMs)}
      onPick={({ from, to }) => {
        onPick();
        navigate(questionHref({ ...question, period: customPeriod(from, to) }));
      }}
    />
  );
}

function Zone({ question }: PartProps) {
  const [typed, setTyped] = useState("");
  const zones = useMemo(() => zonesLike(typed), [typed]).map((zone) => ({ value: zone, text: zone }));
  const own = { value: ownZone, text: t("Yours ({zone})", { zone: ownZone }) };
  const suggestions = typed === "" ? [own, ...zones.filter(({ value }) => value !== ownZone)] : zones;
  const pick = (zone: string) => {
    setTyped("");
    navigate(questionHref({ ...question, zone }));
  };
  return (
    <Combobox
      label={t("Time zone: {zone}", { zone: question.zone })}
      placeholder={t("Search for another")}
      value={typed}
      suggestions={suggestions}
      onInput={setTyped}
      onPick={({ value }) => pick(value)}
      onEnter={() => {
        const [first] = suggestions;
        if (typed !== "" && first !== undefined) pick(first.value);
      }}
      onLeave={() => setTyped("")}
    />
  );
}
