/** The view of what happens on a website right now: page views and events as they come, and the last minutes. */
import { minuteMs } from "../../core/hit.ts";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type {
  Recent,
  RecentEvent,
  RecentProperty,
  RecentRow,
  RecentView,
} from "../../core/questions/recent.ts";
import { useAnswer } from "../lib/answer.ts";
import { displayOf, type ShownWebsite, type Website } from "../lib/api.ts";
import { amount, count, dateTime } from "../lib/texts/format.ts";
import { isolated, label, pathLabel } from "../../core/questions/label.ts";
import { valueName } from "../lib/texts/names.ts";
import { encodeSearch, websiteHref } from "../lib/routes.ts";
import { isMissing, MissingWebsite } from "../parts/missing.tsx";
import { Pending } from "../parts/notice.tsx";
import { Section } from "../parts/section.tsx";
import { Sparkline } from "../parts/tables/sparkline.tsx";
import { isLive, liveText, useLive, useRounds } from "../website/live-count.tsx";
import { t } from "../lib/texts/words.ts";

/** The least time between two rounds. */
const roundMs = 2_000;

export function LiveView({ hostname }: { readonly hostname: string }) {
  const { data, error } = useAnswer<Website>(`/websites/${encodeURIComponent(hostname)}`);
  const [isGone, setGone] = useState(false);
  if (isGone || isMissing(error)) return <MissingWebsite hostname={hostname} />;
  if (data === undefined) return <Pending data={data} error={error} what={hostname} />;
  return <Happening website={data} onGone={() => setGone(true)} />;
}

interface HappeningProps {
  readonly website: ShownWebsite;
  /** It is called once the website is no longer there for this account. */
  readonly onGone: () => void;
}

function Happening({ website, onGone }: HappeningProps) {
  const { hostname } = website;
  const [round, setRound] = useState(0);
  // The minutes pass without an event, too.
  const askSoon = useRounds(() => setRound((last) => last + 1), roundMs, minuteMs);
  const now = useLive(hostname, askSoon, askSoon);
  const { data, error } = useAnswer<Recent>(`/website/${encodeURIComponent(hostname)}/recent`, round);
  useEffect(() => {
    if (isMissing(error)) onGone();
  }, [error]);
  return (
    <>
      <header class="website-head">
        <h1>{displayOf(website)}</h1>
        <p class="live" data-live={isLive(now)}>
          {liveText(website, now)}
        </p>
        <span class="spring" />
        <a class="button" href={websiteHref(hostname)}>
          {t("Statistics")}
        </a>
      </header>
      <Pending data={data} error={error} what={t("what happens now")} />
      {data !== undefined && <Lately hostname={hostname} recent={data} />}
    </>
  );
}

function Lately({ hostname, recent }: { readonly hostname: string; readonly recent: Recent }) {
  const { pageviews, pages, sources, views, events } = recent;
  const n = pageviews.length;
  const page = (path: string) => (
    <a href={websiteHref(hostname) + encodeSearch([["path[eq]", path]])}>{pathLabel(path)}</a>
  );
  return (
    <div class="lately">
      <Section title={t("Page views of the last minute|Page views of the last {n} minutes", { n })}>
        <Minutes pageviews={pageviews} />
      </Section>
      <div class="lately-lists">
        <Section title={t("Pages of the last minute|Pages of the last {n} minutes", { n })}>
          <Rows rows={pages} nameOf={page} none={t("No page was viewed.")} />
        </Section>
        <Section title={t("Where page views came from")}>
          <Rows rows={sources} nameOf={label} none={t("Nobody came from another website or a campaign.")} />
        </Section>
      </div>
      <Section title={t("Latest page views")}>
        <Feed entries={views.map(viewEntry)} none={t("Page views appear here as they come.")} />
      </Section>
      <Section title={t("Latest events")}>
        <Feed entries={events.map(eventEntry)} none={t("Events appear here as they come.")} />
      </Section>
    </div>
  );
}

/** Draws a bar for each minute, and says when they were and what the highest is. */
function Minutes({ pageviews }: Pick<Recent, "pageviews">) {
  const max = Math.max(...pageviews);
  return (
    <>
      <p class="minutes-total">{count(totalOf(pageviews))}</p>
      <div class="minutes" role="img" aria-label={minutesText(pageviews)}>
        {pageviews.map((views, at) => (
          <span key={at} style={{ "--share": `${(views / Math.max(1, max)) * 100}%` }} />
        ))}
      </div>
      <div class="minutes-axis hint">
        <span>{t("{n} minute ago|{n} minutes ago", { n: pageviews.length - 1 })}</span>
        <span>{t("at most {n} a minute", { n: max })}</span>
        <span>{t("This minute")}</span>
      </div>
    </>
  );
}

interface RowsProps {
  readonly rows: readonly RecentRow[];
  readonly nameOf: (name: string) => ComponentChildren;
  readonly none: string;
}

function Rows({ rows, nameOf, none }: RowsProps) {
  if (rows.length === 0) return <p>{none}</p>;
  return (
    <ul class="lately-rows">
      {rows.map(({ name, pageviews }) => (
        <li key={name}>
          <span class="name" dir="auto">
            {nameOf(name)}
          </span>
          <Sparkline values={pageviews} label={minutesText(pageviews)} />
          <span class="number">{count(totalOf(pageviews))}</span>
        </li>
      ))}
    </ul>
  );
}

interface Entry {
  readonly minute: string;
  readonly goals: readonly string[];
  readonly what: ComponentChildren;
  /** Each is a text in its own direction. */
  readonly more: readonly string[];
}

function viewEntry({ minute, goals, path, source, country, device }: RecentView): Entry {
  return {
    minute,
    goals,
    what: pathLabel(path),
    more: [label(source), valueName("country", country), valueName("device", device)].filter(
      (text) => text !== "",
    ),
  };
}

function eventEntry({ minute, goals, properties }: RecentEvent): Entry {
  const [what, ...more] = properties.map(propertyText);
  return { minute, goals, what, more };
}

/** Returns a property as people read it: of one that is just true, the name alone. */
function propertyText({ name, value, number }: RecentProperty): string {
  if (value === "true" || value === "") return label(name);
  // A number with more decimals than an amount is written as it was sent.
  const isAmount = number !== undefined && /^-?\d+(?:\.\d\d?)?$/.test(value);
  return `${isolated(label(name))} ${isAmount ? amount(number) : isolated(label(value))}`;
}

function Feed({ entries, none }: { readonly entries: readonly Entry[]; readonly none: string }) {
  if (entries.length === 0) return <p>{none}</p>;
  return (
    <ol class="feed">
      {entries.map(({ minute, goals, what, more }, at) => (
        <li key={entries.length - at}>
          <time dateTime={minute}>
            {dateTime(Date.parse(minute), { hour: "2-digit", minute: "2-digit" })}
          </time>
          <div>
            <span class="name" dir="auto">
              {what}
            </span>
            <span class="more">
              {more.map((text, index) => (
                <bdi key={index}>{text}</bdi>
              ))}
              {goals.map((goal) => (
                <bdi key={goal} class="goal">
                  {t("Goal: {name}", { name: label(goal) })}
                </bdi>
              ))}
            </span>
          </div>
        </li>
      ))}
    </ol>
  );
}

function totalOf(pageviews: readonly number[]): number {
  return pageviews.reduce((sum, views) => sum + views, 0);
}

function minutesText(pageviews: readonly number[]): string {
  return t("{n} page view, {now} of them in this minute|{n} page views, {now} of them in this minute", {
    n: totalOf(pageviews),
    now: pageviews.at(-1) ?? 0,
  });
}
