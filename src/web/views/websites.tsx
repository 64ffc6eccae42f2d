/** The view of the account's websites with their visitors. */
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Summary } from "../../core/questions/answer.ts";
import { address } from "../lib/address.ts";
import { useAnswer } from "../lib/answer.ts";
import { displayOf, type Website } from "../lib/api.ts";
import { count, shortCount } from "../lib/texts/format.ts";
import { useOnScreen } from "../lib/on-screen.ts";
import { installHref, websiteHref } from "../lib/routes.ts";
import {
  recentDays,
  rowPath,
  shownWebsites,
  sortHref,
  sortOf,
  type SortName,
} from "../lib/set-up/website-list.ts";
import { ownZone } from "../lib/calendar/zone.ts";
import { columnOf } from "../lib/texts/metric.ts";
import { Change, Incomparable } from "../parts/tables/change.tsx";
import { Icon } from "../parts/icon.tsx";
import { Empty, Pending } from "../parts/notice.tsx";
import { onDemand } from "../parts/on-demand.tsx";
import { Sparkline } from "../parts/tables/sparkline.tsx";
import { useRounds } from "../website/live-count.tsx";
import { rich, t, translated } from "../lib/texts/words.ts";

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
  const sort = sortOf(address.value.search);
  const shown = shownWebsites(websites, typed, sort);
  return (
    <section class="card websites-card" aria-label={t("Your websites")}>
      {websites.length > unsearchedMax && (
        <p class="website-search">
          <input
            type="search"
            aria-label={t("Search websites")}
            placeholder={t("Search")}
            spellcheck={false}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
          <span class="weak" role="status">
            {shown.length === websites.length
              ? t("{n} website|{n} websites", { n: websites.length })
              : t("{shown} of {n} website|{shown} of {n} websites", {
                  n: websites.length,
                  shown: shown.length,
                })}
          </span>
        </p>
      )}
      {shown.length === 0 ? (
        <Empty>
          <p>{t("No website has “{text}” in its name.", { text: typed.trim() })}</p>
        </Empty>
      ) : (
        <table class="websites">
          <caption class="visually-hidden">{t("Websites and their visitors")}</caption>
          <thead>
            <tr>
              <SortHead name="name" sort={sort} label={t("Website")} />
              <th scope="col" class="recent">
                {t("{n} day|{n} days", { n: recentDays })}
              </th>
              <SortHead name="visitors" sort={sort} label={visitorsLabel()} />
              <th scope="col">
                <span class="visually-hidden">{t("Set up")}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((website) => (
              <Row key={website.hostname} website={website} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

/** The words beside the hours are always read by screen readers, and shown if there is room. */
function visitorsLabel(): ComponentChildren {
  return rich("Visitors in {hours}", { hours: <span>{t("24 h")}</span> }).map((piece) =>
    typeof piece === "string" ? <span class="roomy">{piece}</span> : piece,
  );
}

interface SortHeadProps {
  readonly name: SortName;
  readonly sort: SortName;
  readonly label: ComponentChildren;
}

function SortHead({ name, sort, label }: SortHeadProps) {
  const sorted = name === sort;
  const direction = name === "name" ? "ascending" : "descending";
  return (
    <th
      scope="col"
      class={name === "visitors" ? "number" : undefined}
      aria-sort={sorted ? direction : "none"}
    >
      <a class="sort" href={sortHref(name)}>
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

function Row({ website }: { readonly website: Website }) {
  const { hostname, summary, role } = website;
  const row = useRef<HTMLTableRowElement>(null);
  const onScreen = useOnScreen(row);
  const { data } = useAnswer<Summary>(onScreen ? rowPath(hostname, ownZone, Date.now()) : null);
  const values = data?.interval?.map(({ visitors }) => visitors);
  const total = values?.reduce((sum, value) => sum + value, 0) ?? 0;
  return (
    <tr ref={row}>
      <th scope="row">
        {/* A screen reader would pause where the name may break. */}
        <a href={websiteHref(hostname)} aria-label={displayOf(website)}>
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
      <td class="number" title={count(summary.visitors)}>
        {shortCount(summary.visitors)}
        <Incomparable.Provider value={data?.recorded_from !== undefined}>
          <Change figure={columnOf("visitors")} now={summary.visitors} before={data?.previous?.visitors} />
        </Incomparable.Provider>
      </td>
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
