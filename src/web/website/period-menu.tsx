/** The menu of the period: a button that names the period and opens all choices, between steps back and forward. */
import { useId, useMemo, useRef, useState } from "preact/hooks";
import { navigate } from "../lib/address.ts";
import {
  customPeriod,
  intervalLabels,
  intervalsFor,
  periodLabels,
  periodNames,
  periodText,
  spanOf,
  stepped,
} from "../lib/calendar/period.ts";
import { shortcuts } from "../lib/preferences.ts";
import { intervalOf, questionHref, type Question } from "../lib/question/question.ts";
import { dateIn, isoDate, ownZone, parseDate, placeOf, zonesLike } from "../lib/calendar/zone.ts";
import { Combobox } from "../parts/combobox.tsx";
import { Icon } from "../parts/icon.tsx";
import { keepPlaced } from "../parts/popup.ts";
import { keyOfPeriod } from "./key-table.ts";

/** There is one menu on a page, and a key that opens it. */
const menuId = "period-menu";

export function openPeriodMenu(): void {
  const menu = document.getElementById(menuId);
  // The element that has the focus before gets it back afterwards.
  document.querySelector<HTMLElement>(`[popovertarget=${menuId}]`)?.focus();
  menu?.showPopover();
  menu?.querySelector("input")?.focus();
}

interface PartProps {
  readonly question: Question;
}

export function PeriodMenu({ question }: PartProps) {
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const release = useRef<(() => void) | undefined>(undefined);
  return (
    <div class="period" role="group" aria-label="Period">
      <Step question={question} direction={-1} />
      <button ref={button} type="button" popovertarget={menuId}>
        <Icon name="calendar" />
        <span>{periodText(question.period)}</span>
        {question.zone !== ownZone && <span class="weak cut">{placeOf(question.zone)}</span>}
        <Icon name="down" />
      </button>
      <Step question={question} direction={1} />
      <div
        ref={box}
        id={menuId}
        class="menu period-menu"
        popover="auto"
        aria-label="Period, interval and time zone"
        role="group"
        onToggle={({ newState }) => {
          release.current?.();
          release.current =
            newState === "open" && box.current !== null && button.current !== null
              ? keepPlaced(box.current, button.current)
              : undefined;
        }}
      >
        <Periods question={question} onPick={() => box.current?.hidePopover()} />
        <Dates
          key={JSON.stringify([question.period, question.zone])}
          question={question}
          onPick={() => box.current?.hidePopover()}
        />
        {question.view === "website" && <Intervals question={question} />}
        {question.view === "website" && <Compare question={question} />}
        <Zone question={question} />
      </div>
    </div>
  );
}

/** A step back or forward. It stays the same element if there is nowhere to go, so that the focus is not lost. */
function Step({ question, direction }: PartProps & { readonly direction: -1 | 1 }) {
  const period = stepped(question.period, question.zone, Date.now(), direction);
  const label = direction === -1 ? "Previous period" : "Next period";
  return (
    <a
      class="button plain icon-button"
      aria-label={label}
      title={label}
      {...(period === undefined
        ? { role: "link", "aria-disabled": true, tabIndex: -1 }
        : { href: questionHref({ ...question, period }) })}
    >
      <Icon name={direction === -1 ? "back" : "forward"} />
    </a>
  );
}

function Periods({ question, onPick }: PartProps & { readonly onPick: () => void }) {
  return (
    <ul aria-label="Periods">
      {periodNames.map(
        (name) =>
          name !== "custom" && (
            <li key={name}>
              <a
                href={questionHref({ ...question, period: { name } })}
                aria-current={question.period.name === name ? "true" : undefined}
                onClick={(event) => {
                  if (!event.ctrlKey && !event.metaKey && !event.shiftKey) onPick();
                }}
              >
                {periodLabels[name]}
                {shortcuts.value && question.view === "website" && (
                  <kbd aria-hidden="true">{keyOfPeriod(name)}</kbd>
                )}
              </a>
            </li>
          ),
      )}
    </ul>
  );
}

/** The form for two dates, which starts with those of the current period. */
function Dates({ question, onPick }: PartProps & { readonly onPick: () => void }) {
  const { zone, period } = question;
  const nowMs = Date.now();
  const { startMs, endMs } = spanOf(period, zone, nowMs);
  const today = isoDate(dateIn(zone, nowMs));
  const [from, setFrom] = useState(startMs === undefined ? "" : isoDate(dateIn(zone, startMs)));
  const [to, setTo] = useState(isoDate(dateIn(zone, endMs)));
  const latest = to > today && period.name === "custom" ? undefined : today;
  const show = (event: SubmitEvent) => {
    event.preventDefault();
    const [first, last] = [parseDate(from), parseDate(to)];
    if (first === undefined || last === undefined) return;
    onPick();
    navigate(questionHref({ ...question, period: customPeriod(first, last) }));
  };
  return (
    <form class="period-dates" onSubmit={show}>
      <Day label="From" value={from} latest={latest} onInput={setFrom} />
      <Day label="To" value={to} latest={latest} onInput={setTo} />
      <button type="submit">{question.view === "website" ? "Show" : "Choose"}</button>
    </form>
  );
}

interface DayProps {
  readonly label: string;
  readonly value: string;
  readonly latest: string | undefined;
  readonly onInput: (value: string) => void;
}

function Day({ label, value, latest, onInput }: DayProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="date"
        required
        min="1970-01-01"
        max={latest}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </div>
  );
}

function Intervals({ question }: PartProps) {
  const id = useId();
  const span = spanOf(question.period, question.zone, Date.now());
  const shown = intervalOf(question, span);
  return (
    <div class="field">
      <span id={id}>The chart shows</span>
      <ul class="period-intervals" aria-labelledby={id}>
        {intervalsFor(span).map((interval, at) => (
          <li key={interval}>
            <a
              class="button"
              href={questionHref({ ...question, interval: at === 0 ? undefined : interval })}
              aria-current={interval === shown ? "true" : undefined}
            >
              {intervalLabels[interval]}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Compare({ question }: PartProps) {
  const possible = question.period.name !== "all";
  return (
    <label class="switch">
      <input
        type="checkbox"
        role="switch"
        checked={question.compare && possible}
        disabled={!possible}
        onChange={(event) => navigate(questionHref({ ...question, compare: event.currentTarget.checked }))}
      />
      Compare with the previous period
    </label>
  );
}

function Zone({ question }: PartProps) {
  const [typed, setTyped] = useState("");
  const zones = useMemo(() => zonesLike(typed), [typed]).map((zone) => ({ value: zone, text: zone }));
  const own = { value: ownZone, text: `Yours (${ownZone})` };
  const suggestions = typed === "" ? [own, ...zones.filter(({ value }) => value !== ownZone)] : zones;
  const pick = (zone: string) => {
    setTyped("");
    navigate(questionHref({ ...question, zone }));
  };
  return (
    <Combobox
      label={`Time zone: ${question.zone}`}
      placeholder="Search for another"
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
