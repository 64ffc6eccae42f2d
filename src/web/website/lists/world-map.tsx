/**
 * A map of the countries that visitors come from. Countries with visitors are links that filter by them. A list beside
 * it has the same figures, so the map is a single stop of the Tab key, and the arrow keys go through the countries by
 * rank.
 */
import type { TargetedFocusEvent, TargetedKeyboardEvent } from "preact";
import { useSignal, type Signal } from "@preact/signals";
import { useId } from "preact/hooks";
import { useAnswer } from "../../lib/answer.ts";
import { indexAfter, shadeOf, stepsOf, type Step, type WorldOutlines } from "../../lib/drawing/choropleth.ts";
import { valueName } from "../../lib/texts/names.ts";
import { changeText, count, percent } from "../../lib/texts/format.ts";
import { DrawnFor } from "../../parts/drawn-for.tsx";
import { Pending } from "../../parts/notice.tsx";
import { t } from "../../lib/texts/words.ts";

export interface CountryRow {
  readonly country: string;
  readonly visitors: number;
  /** 0 to 100. */
  readonly visitors_percentage: number;
  /** Whether the row sums up the values past a limit. */
  readonly other?: boolean;
  /** The figures of the period that it is compared with. */
  readonly previous?: { readonly visitors?: number };
}

export interface WorldMapProps {
  readonly rows: readonly CountryRow[];
  /** Returns the address to which a click on a country leads. */
  readonly hrefOf: (country: string) => string;
}

export function WorldMap({ rows, hrefOf }: WorldMapProps) {
  const { data: world, error } = useAnswer<WorldOutlines>("/dashboard/world.json");
  const isDrawn = ({ country, other }: CountryRow) =>
    other !== true && (world?.countries[country] ?? world?.dots[country]) !== undefined;
  const visited = rows.filter(({ visitors }) => visitors > 0);
  const drawn = visited.filter(isDrawn).toSorted((a, b) => b.visitors - a.visitors);
  const steps = stepsOf(drawn[0]?.visitors ?? 0);
  return (
    <div class="map">
      <div class="map-frame">
        {world !== undefined && <Drawing world={world} rows={drawn} steps={steps} hrefOf={hrefOf} />}
        {world === undefined && <Pending data={world} error={error} what={t("the world map")} />}
      </div>
      {world !== undefined && <Legend steps={steps} />}
      {rows.length === 0 && <p class="hint">{t("No visitors in this period.")}</p>}
      {world !== undefined && <NotDrawn rows={visited.filter((row) => !isDrawn(row))} hrefOf={hrefOf} />}
    </div>
  );
}

/** The position of a tooltip, in hundredths of the map. */
interface Tip {
  readonly country: string;
  readonly x: number;
  readonly y: number;
}

interface DrawingProps extends WorldMapProps {
  readonly world: WorldOutlines;
  readonly steps: readonly Step[];
}

/** Pointer and focus only change signals, so that only the tooltip and the ring are drawn again. */
function Drawing({ world, rows, steps, hrefOf }: DrawingProps) {
  const tip = useSignal<Tip | undefined>(undefined);
  const focused = useSignal<string | undefined>(undefined);
  const stop = useSignal<string | undefined>(undefined);
  const hint = useId();
  const hide = () => {
    tip.value = undefined;
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>) => {
    if (event.key === "Escape") return hide();
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const index = rows.findIndex(({ country }) => country === countryOf(event.target));
    const next = indexAfter(event.key, index, rows.length);
    if (next === undefined) return;
    event.preventDefault();
    const links = [...event.currentTarget.querySelectorAll("a")];
    links.find((link) => countryOf(link) === rows[next]?.country)?.focus();
  };
  const onFocusIn = (event: TargetedFocusEvent<HTMLElement>) => {
    if (!(event.target instanceof Element)) return;
    const country = countryOf(event.target);
    stop.value = country;
    if (!event.target.matches(":focus-visible")) return;
    focused.value = country;
    const { left, top, width, height } = event.target.getBoundingClientRect();
    tip.value = tipAt(event.currentTarget, country, left + width / 2, top + height / 2);
  };
  // A browser may make an SVG that listens to the focus a stop of the Tab key, so the element around it listens.
  return (
    <div
      onPointerMove={(event) => {
        tip.value = tipAt(event.currentTarget, countryOf(event.target), event.clientX, event.clientY);
      }}
      onPointerLeave={hide}
      onKeyDown={onKeyDown}
      onFocusIn={onFocusIn}
      onFocusOut={() => {
        focused.value = undefined;
        hide();
      }}
    >
      <svg
        viewBox={world.viewBox}
        role="group"
        aria-label={t("World map of visitors by country")}
        aria-describedby={hint}
      >
        <DrawnFor values={[world]} draw={() => <Land world={world} />} />
        <Countries world={world} rows={rows} steps={steps} hrefOf={hrefOf} stop={stop} />
        <Ring world={world} focused={focused} />
      </svg>
      <p id={hint} class="visually-hidden">
        {t("Arrow keys go from country to country, the one with the most visitors first.")}
      </p>
      <Tooltip rows={rows} tip={tip} />
    </div>
  );
}

function countryOf(target: EventTarget | null): string | undefined {
  if (!(target instanceof Element)) return undefined;
  return target.closest("[data-country]")?.getAttribute("data-country") ?? undefined;
}

/** `x` and `y`: pixels of the window. */
function tipAt(map: Element, country: string | undefined, x: number, y: number): Tip | undefined {
  if (country === undefined) return undefined;
  const { left, top, width, height } = map.getBoundingClientRect();
  return { country, x: ((x - left) / width) * 100, y: ((y - top) / height) * 100 };
}

/** All countries, drawn as if without visitors. */
function Land({ world }: { readonly world: WorldOutlines }) {
  return (
    <g class="map-land" aria-hidden="true">
      {Object.entries(world.countries).map(([country, outline]) => (
        <path key={country} data-country={country} d={outline} />
      ))}
    </g>
  );
}

function Shape({ world, country }: { readonly world: WorldOutlines; readonly country: string }) {
  const outline = world.countries[country];
  const [x, y] = world.dots[country] ?? [];
  return (
    <>
      {outline !== undefined && <path d={outline} />}
      {x !== undefined && <circle cx={x} cy={y} r="7" />}
    </>
  );
}

interface CountriesProps extends DrawingProps {
  /** The country that the Tab key reaches; the first by rank until one had the focus. */
  readonly stop: Signal<string | undefined>;
}

/** The countries with visitors. Dots come last, so that they lie above their neighbours. */
function Countries({ world, rows, steps, hrefOf, stop }: CountriesProps) {
  const reachable = rows.find(({ country }) => country === stop.value) ?? rows[0];
  const isDot = ({ country }: CountryRow) => world.dots[country] !== undefined;
  return (
    <g class="map-countries">
      {[...rows.filter((row) => !isDot(row)), ...rows.filter(isDot)].map((row) => (
        <a
          key={row.country}
          href={hrefOf(row.country)}
          tabindex={row === reachable ? 0 : -1}
          aria-label={textOf(row)}
          data-country={row.country}
          data-shade={shadeOf(steps, row.visitors)}
        >
          <Shape world={world} country={row.country} />
        </a>
      ))}
    </g>
  );
}

/** The ring around the country that has the focus, above all others. */
function Ring({
  world,
  focused,
}: {
  readonly world: WorldOutlines;
  readonly focused: Signal<string | undefined>;
}) {
  const country = focused.value;
  if (country === undefined) return null;
  return (
    <g class="map-ring" aria-hidden="true">
      <Shape world={world} country={country} />
      <g class="map-ring-inner">
        <Shape world={world} country={country} />
      </g>
    </g>
  );
}

function visitorsText({ visitors, visitors_percentage, previous }: CountryRow): string {
  const before = previous?.visitors;
  const change = before === undefined ? undefined : changeText(visitors, before, "count");
  const text = t("{n} visitor, {share}|{n} visitors, {share}", {
    n: visitors,
    share: percent(visitors_percentage),
  });
  return change === undefined ? text : `${text} (${change})`;
}

function textOf(row: CountryRow): string {
  return `${valueName("country", row.country)}: ${visitorsText(row)}`;
}

/** Shows the same text as the links' names, so screen readers skip it. */
function Tooltip({
  rows,
  tip,
}: {
  readonly rows: readonly CountryRow[];
  readonly tip: Signal<Tip | undefined>;
}) {
  const shown = tip.value;
  if (shown === undefined) return null;
  const row = rows.find(({ country }) => country === shown.country);
  return (
    <p
      class="tip map-tip"
      aria-hidden="true"
      data-side={shown.x > 50 ? "start" : "end"}
      data-below={shown.y < 40}
      style={{ left: `${shown.x}%`, top: `${shown.y}%` }}
    >
      <strong>{valueName("country", shown.country)}</strong>
      <span>{row === undefined ? t("no visitors") : visitorsText(row)}</span>
    </p>
  );
}

function Legend({ steps }: { readonly steps: readonly Step[] }) {
  return (
    <ul class="map-legend" aria-label={t("Visitors by shade")}>
      <li data-shade="0">{t("No visitors")}</li>
      {steps.map(({ from, to, shade }) => (
        <li key={shade} data-shade={shade}>
          {from === to ? count(from) : `${count(from)}–${count(to)}`}
        </li>
      ))}
    </ul>
  );
}

/** Lists the visitors whose country is unknown, and the few countries without a place on the map. */
function NotDrawn({ rows, hrefOf }: WorldMapProps) {
  if (rows.length === 0) return null;
  return (
    <p class="hint">
      {t("Not on the map:")}{" "}
      {rows.map(({ country, other, visitors }, at) => (
        <span key={country}>
          {at > 0 && ", "}
          {other === true ? (
            valueName("country", country)
          ) : (
            <a href={hrefOf(country)}>{valueName("country", country)}</a>
          )}{" "}
          {count(visitors)}
        </span>
      ))}
    </p>
  );
}
