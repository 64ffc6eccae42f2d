/** The view of the account's websites with their visitors. */
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import type { NamedSummary, Summary } from "../../core/questions/answer.ts";
import { address } from "../lib/address.ts";
import { useAnswer } from "../lib/answer.ts";
import { displayOf, type Website } from "../lib/api.ts";
import { useOnScreen } from "../lib/on-screen.ts";
import { installHref } from "../lib/routes.ts";
import { useWebsiteFigures, type WebsiteFigures } from "../lib/set-up/website-figures.ts";
import {
  listedHref,
  listPeriods,
  listViewHref,
  listViewOf,
  recentDays,
  recentPath,
  shownWebsites,
  type ListView,
  type SortName,
} from "../lib/set-up/website-list.ts";
import { periodLabels } from "../lib/calendar/period.ts";
import { ownZone } from "../lib/calendar/zone.ts";
import { columnOf } from "../lib/texts/metric.ts";
import { Incomparable } from "../parts/tables/change.tsx";
import { CountCell } from "../parts/tables/count-cell.tsx";
import { Icon } from "../parts/icon.tsx";
import { Empty, Pending } from "../parts/notice.tsx";
import { onDemand } from "../parts/on-demand.tsx";
import { Sparkline } from "../parts/tables/sparkline.tsx";
import { useRounds } from "../website/live-count.tsx";
import { t, translated } from "../lib/texts/words.ts";

const AddWebsite = onDemand(async () => (await import("../install/add-website.tsx")).AddWebsite);

/** Up to this many websites need no search. */
const unsearchedMax = 10;

export function Websites() {
  const { data, error } = useAnswer<readonly Website[]>("/websites");
  const [adding, setAdding] = useState(false);
  useRounds();
  const add = () => setAdding(true);
  return (
    <>
      <header class="view-head">
        <h1>{t("Websites")}</h1>
        {data !== undefined && data.length > 0 && (
          <button type="button" class="primary" onClick={add}>
            <Icon name="add" />
            {t("Add website")}
          </button>
        )}
      </header>
      <Pending data={data} error={error} what={t("the list of websites")} />
      {data?.length === 0 && <NoWebsites onAdd={add} />}
      {data !== undefined && data.length > 0 && <List websites={data} />}
      {adding && <AddWebsite onClose={() => setAdding(false)} />}
    </>
  );
}

function NoWebsites({ onAdd }: { readonly onAdd: () => void }) {
  return (
    <Empty>
      <h2>{t("Add your first website")}</h2>
      <p>{t("You get one line to put into its pages, and this page shows when the first visitor comes.")}</p>
      <button type="button" class="primary" onClick={onAdd}>
        <Icon name="add" />
        {t("Add website")}
      </button>
    </Empty>
  );
}

function List({ websites }: { readonly websites: readonly Website[] }) {
  const [typed, setTyped] = useState("");
  const view = listViewOf(address.value.search);
  const figures = useWebsiteFigures(websites, view.period);
  const { sort } = view;
  const figureOf = (website: Website) => figuresOf(website, view, figures).current?.[sort as "visits"];
  const shown = shownWebsites(websites, typed, sort === "name" ? undefined : figureOf);
  return (
    <section class="card websites-card" aria-label={t("Your websites")}>
      {websites.length > unsearchedMax && (
        <Search shown={shown.length} among={websites.length} onType={setTyped} />
      )}
      <Periods view={view} />
      {shown.length === 0 ? (
        <Empty>
          <p>{t("No website has “{text}” in its name.", { text: typed.trim() })}</p>
        </Empty>
      ) : (
        <table class="websites">
          <caption class="visually-hidden">{t("Websites and their visitors")}</caption>
          <thead>
            <tr>
              <SortHead name="name" view={view} label={t("Website")} />
              <th scope="col" class="recent">
                {t("{n} day|{n} days", { n: recentDays })}
              </th>
              {columns.map(({ name, label }) => (
                <SortHead key={name} name={name} view={view} label={label} />
              ))}
              <th scope="col">
                <span class="visually-hidden">{t("Set up")}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((website) => (
              <Row key={website.hostname} website={website} view={view} figures={figures} />
            ))}
          </tbody>
          {websites.length > 1 && <Total websites={websites} view={view} figures={figures} />}
        </table>
      )}
    </section>
  );
}

interface SearchProps {
  /** The websites that are shown, and all of them. */
  readonly shown: number;
  readonly among: number;
  readonly onType: (text: string) => void;
}

function Search({ shown, among, onType }: SearchProps) {
  return (
    <p class="website-search">
      <input
        type="search"
        aria-label={t("Search websites")}
        placeholder={t("Search")}
        spellcheck={false}
        onInput={(event) => onType(event.currentTarget.value)}
      />
      <span class="weak" role="status">
        {shown === among
          ? t("{n} website|{n} websites", { n: among })
          : t("{shown} of {n} website|{shown} of {n} websites", { n: among, shown })}
      </span>
    </p>
  );
}

const columns = (["visitors", "visits"] as const).map((name) => ({ ...columnOf(name), name }));

interface FiguresProps {
  readonly view: ListView;
  readonly figures: WebsiteFigures;
}

/** Returns what is known of a website. The list itself has the visitors of 24 hours. */
function figuresOf(
  { hostname, summary }: Website,
  { period }: ListView,
  figures: WebsiteFigures,
): Partial<Pick<NamedSummary, "current" | "previous" | "recorded_from">> {
  const known = figures.get(hostname)?.value;
  return period === "24h" ? { ...known, current: { ...known?.current, ...summary } } : (known ?? {});
}

/** The choice of the period. */
function Periods({ view }: Pick<FiguresProps, "view">) {
  return (
    <ul class="chart-intervals" aria-label={t("Period")}>
      {listPeriods.map((period) => (
        <li key={period}>
          <a
            href={listViewHref({ ...view, period })}
            aria-current={period === view.period ? "true" : undefined}
          >
            {periodLabels[period]}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** The sums over all websites that can be counted. There is none until all are known. */
function Total({ websites, view, figures }: FiguresProps & { readonly websites: readonly Website[] }) {
  const all = websites.map((website) => [website, figuresOf(website, view, figures)] as const);
  const sumOf = (name: (typeof columns)[number]["name"], of: "current" | "previous") => {
    const values = all
      .filter(([{ visits, unavailable }]) => !unavailable && (visits || name === "visitors"))
      .map(([, known]) => known[of]?.[name]);
    return values.includes(undefined) ? undefined : values.reduce((sum = 0, value = 0) => sum + value, 0);
  };
  return (
    <tfoot>
      <tr>
        <th scope="row">{t("All websites")}</th>
        <td class="recent" />
        <Incomparable.Provider value={all.some(([, known]) => known.recorded_from !== undefined)}>
          {columns.map((column) => (
            <CountCell
              key={column.name}
              column={column}
              now={sumOf(column.name, "current")}
              before={sumOf(column.name, "previous")}
            />
          ))}
        </Incomparable.Provider>
        <td />
      </tr>
    </tfoot>
  );
}

interface SortHeadProps {
  readonly name: SortName;
  readonly view: ListView;
  readonly label: string;
}

function SortHead({ name, view, label }: SortHeadProps) {
  const sorted = name === view.sort;
  const direction = name === "name" ? "ascending" : "descending";
  return (
    <th scope="col" class={name === "name" ? undefined : "number"} aria-sort={sorted ? direction : "none"}>
      <a class="sort" href={listViewHref({ ...view, sort: name })}>
        {label}
        {sorted && <span aria-hidden="true">{name === "name" ? " ↑" : " ↓"}</span>}
      </a>
    </th>
  );
}

/** Returns a hostname that breaks after its dots where it is too long for a line. */
function brokenAtDots(hostname: string): ComponentChildren {
  return hostname.split(/(?<=\.)/).flatMap((part, at) => (at === 0 ? [part] : [<wbr key={at} />, part]));
}

function Row({ website, view, figures }: FiguresProps & { readonly website: Website }) {
  const { hostname, role } = website;
  const row = useRef<HTMLTableRowElement>(null);
  const onScreen = useOnScreen(row);
  const { data } = useAnswer<Summary>(onScreen ? recentPath(hostname, ownZone, Date.now()) : null);
  const known = figuresOf(website, view, figures);
  const values = data?.interval?.map(({ visitors }) => visitors);
  const total = values?.reduce((sum, value) => sum + value, 0) ?? 0;
  return (
    <tr ref={row}>
      <th scope="row">
        {/* A screen reader would pause where the name may break. */}
        <a href={listedHref(hostname, view.period)} aria-label={displayOf(website)}>
          {brokenAtDots(displayOf(website))}
        </a>
        {role !== "owner" && <span class="weak role">{translated(role)}</span>}
      </th>
      <td class="recent">
        {values !== undefined && (
          <Sparkline
            values={values}
            label={t("{n} visitor in the last {days} days|{n} visitors in the last {days} days", {
              n: total,
              days: recentDays,
            })}
          />
        )}
      </td>
      <Incomparable.Provider value={known.recorded_from !== undefined}>
        {columns.map((column) => (
          <CountCell
            key={column.name}
            column={column}
            now={known.current?.[column.name]}
            before={known.previous?.[column.name]}
          />
        ))}
      </Incomparable.Provider>
      <td class="row-tools">
        <a
          class="button plain icon-button"
          href={installHref(hostname)}
          aria-label={t("Set up {hostname}", { hostname: displayOf(website) })}
          title={role === "viewer" ? t("Leave") : t("Snippet, rename, remove")}
        >
          <Icon name="settings" />
        </a>
      </td>
    </tr>
  );
}
