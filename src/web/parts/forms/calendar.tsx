/**
 * A calendar in which a person picks the first and the last day of a period, after the ARIA pattern of a grid of dates:
 * one day is a stop of the Tab key, and the arrow keys lead to the others. A tap or Enter picks a day.
 */
import { utcMs, type CalendarDate, type Dates } from "../../../core/calendar/date.ts";
import { useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { dateAfterKey, shiftedMonths, weeksOf, within } from "../../lib/calendar/month-grid.ts";
import { datesBetween, datesText } from "../../lib/calendar/period.ts";
import { ownWeekStart } from "../../lib/calendar/week.ts";
import { isoDate, parseDate } from "../../lib/calendar/zone.ts";
import type { IconName } from "../icon.tsx";
import { Tool } from "../tool.tsx";
import { isRightToLeft, locale as ownLocale, t } from "../../lib/texts/words.ts";

const first: CalendarDate = { year: 1970, month: 1, day: 1 };

export interface CalendarProps {
  /** Names what is picked. */
  readonly label: string;
  /** The dates that are picked so far. */
  readonly dates: Dates | undefined;
  /** The last day that can be picked. */
  readonly latest: CalendarDate;
  readonly onPick: (dates: Dates) => void;
}

function formatOf(options: Intl.DateTimeFormatOptions): (date: CalendarDate) => string {
  const format = new Intl.DateTimeFormat(ownLocale, { ...options, timeZone: "UTC" });
  return (date) => format.format(utcMs(date));
}

const monthText = formatOf({ month: "long", year: "numeric" });
const dayText = formatOf({ dateStyle: "full" });
const weekdayText = formatOf({ weekday: "long" });
const shortWeekdayText = formatOf({ weekday: "short" });

export function Calendar({ label, dates, latest, onPick }: CalendarProps) {
  const id = useId();
  const [active, setActive] = useState(() => within(dates?.to ?? latest, first, latest));
  /** The day that was picked first, while the other is missing. */
  const [from, setFrom] = useState<CalendarDate>();
  const table = useRef<HTMLTableElement>(null);
  const followed = useRef(false);
  useLayoutEffect(() => {
    // Only keys take the focus along: the buttons of the months keep it.
    if (followed.current) table.current?.querySelector<HTMLElement>("[tabindex='0']")?.focus();
    followed.current = false;
  }, [active]);
  const pick = (date: CalendarDate) => {
    if (isoDate(date) > isoDate(latest) || isoDate(date) < isoDate(first)) return;
    setActive(date);
    setFrom(from === undefined ? date : undefined);
    if (from !== undefined) onPick(datesBetween(from, date));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = dateAfterKey(event, active, ownWeekStart, isRightToLeft);
    if (next !== undefined) {
      followed.current = true;
      setActive(within(next, first, latest));
    } else if (event.key === "Enter" || event.key === " ") pick(active);
    else if (event.key === "Escape" && from !== undefined) setFrom(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const shown = from === undefined ? dates : datesBetween(from, active);
  return (
    <div class="calendar" role="group" aria-label={label}>
      <Head id={id} active={active} latest={latest} onMonth={setActive} />
      <table ref={table} role="grid" aria-labelledby={id} aria-multiselectable="true" onKeyDown={onKeyDown}>
        <Weekdays month={active} />
        <Weeks
          active={active}
          shown={shown}
          latest={latest}
          onPick={pick}
          onPoint={(date) => {
            if (from !== undefined && date.month === active.month && isoDate(date) <= isoDate(latest))
              setActive(date);
          }}
        />
      </table>
      <p class="hint" role="status">
        {from === undefined
          ? t("Pick the first day")
          : t("From {date}: pick the last day", { date: datesText({ from, to: from }) })}
      </p>
    </div>
  );
}

interface HeadProps {
  readonly id: string;
  readonly active: CalendarDate;
  readonly latest: CalendarDate;
  readonly onMonth: (date: CalendarDate) => void;
}

function Head({ id, active, latest, onMonth }: HeadProps) {
  const step = (months: number, icon: IconName, name: string) => {
    const isThere =
      months < 0
        ? isoDate(active) >= "1970-02"
        : isoDate(shiftedMonths(active, 1)).slice(0, 7) <= isoDate(latest);
    const go = () => onMonth(within(shiftedMonths(active, months), first, latest));
    return <Tool icon={icon} label={name} onClick={isThere ? go : undefined} />;
  };
  return (
    <div class="calendar-head">
      {step(-12, "farBack", t("Previous year"))}
      {step(-1, "back", t("Previous month"))}
      <span id={id} aria-live="polite">
        {monthText(active)}
      </span>
      {step(1, "forward", t("Next month"))}
      {step(12, "farForward", t("Next year"))}
    </div>
  );
}

function Weekdays({ month }: { readonly month: CalendarDate }) {
  return (
    <thead>
      <tr>
        {weeksOf(month, ownWeekStart)[0]?.map((date) => (
          <th key={weekdayText(date)} scope="col" abbr={weekdayText(date)}>
            {shortWeekdayText(date)}
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface WeeksProps {
  /** The day that the Tab key reaches; its month is shown. */
  readonly active: CalendarDate;
  readonly shown: Dates | undefined;
  readonly latest: CalendarDate;
  readonly onPick: (date: CalendarDate) => void;
  /** Called for the day under a mouse. */
  readonly onPoint: (date: CalendarDate) => void;
}

function Weeks({ active, shown, latest, onPick, onPoint }: WeeksProps) {
  const weeks = useMemo(() => weeksOf(active, ownWeekStart), [active.year, active.month]);
  const [from, to] = shown === undefined ? ["", ""] : [isoDate(shown.from), isoDate(shown.to)];
  const dateOf = (event: Event) =>
    event.target instanceof Element ? parseDate(event.target.getAttribute("data-date") ?? "") : undefined;
  const on = (act: (date: CalendarDate) => void) => (event: Event) => {
    const date = dateOf(event);
    if (date !== undefined) act(date);
  };
  return (
    <tbody
      onClick={on(onPick)}
      onPointerOver={(event) => {
        if (event.pointerType === "mouse") on(onPoint)(event);
      }}
    >
      {weeks.map((week) => (
        <tr key={isoDate(week[0]!)}>
          {week.map((date) => {
            const text = isoDate(date);
            const selected = from <= text && text <= to;
            return (
              <td
                key={text}
                role="gridcell"
                data-date={text}
                data-beside={date.month !== active.month}
                data-end={selected && (text === from || text === to)}
                tabIndex={text === isoDate(active) ? 0 : -1}
                aria-label={dayText(date)}
                aria-selected={selected}
                aria-disabled={text > isoDate(latest)}
                aria-current={text === isoDate(latest) ? "date" : undefined}
              >
                {date.day}
              </td>
            );
          })}
        </tr>
      ))}
    </tbody>
  );
}
