/** Shows which hits of a website were not counted, and why. */
import type { ComponentChildren } from "preact";
import type { Summary } from "../../core/questions/answer.ts";
import { rejections } from "../../core/rejection.ts";
import { useAnswer } from "../lib/answer.ts";
import { count, dateTime } from "../lib/texts/format.ts";
import { label } from "../../core/questions/label.ts";
import {
  firstShownDate,
  reasonNames,
  reasonsText,
  recent,
  shownDays,
  summed,
  type RejectionDay,
  type Rejections,
} from "../lib/set-up/rejections.ts";
import { trackerHref } from "../lib/set-up/rules.ts";
import { Pending } from "../parts/notice.tsx";
import { Section } from "../parts/section.tsx";
import { rich, t, translated } from "../lib/texts/words.ts";

export function NotCounted({ hostname }: { readonly hostname: string }) {
  const { data, error } = useAnswer<Rejections>(`/website/${encodeURIComponent(hostname)}/rejections`);
  return (
    <Section title={t("Not counted")}>
      <Pending data={data} error={error} what={t("the list of hits that were not counted")} />
      {data !== undefined && <Days hostname={hostname} days={recent(data.days, Date.now())} />}
      {data?.unknown !== undefined && data.unknown.length > 0 && <Unknown hostnames={data.unknown} />}
      <p>
        {rich(
          "Is a visit of yours missing? Open {page} at the end of its address: the browser’s console says what became of each hit. While “Disable cache” is on in its developer tools, or it does not trust the certificate of this server, each page counts as a new visitor.",
          {
            page: (
              <a href={trackerHref(hostname, "debug")} target="_blank" rel="noreferrer">
                {t("a page with #footfall-debug")}
              </a>
            ),
          },
        )}
      </p>
    </Section>
  );
}

interface DaysProps {
  readonly hostname: string;
  readonly days: readonly RejectionDay[];
}

function Days({ hostname, days }: DaysProps) {
  if (days.length === 0) return <NothingLeftOut hostname={hostname} />;
  return (
    <>
      <p>{t("Why hits of the last {n} days were not counted, by day in UTC.", { n: shownDays })}</p>
      <Hits caption={t("Hits by reason")} by={t("Reason")}>
        {summed(days).map(([reason, hits]) => (
          <tr key={reason}>
            <th scope="row">
              {reasonNames[reason]}
              <p class="hint">{translated(rejections[reason])}</p>
            </th>
            <td class="number">{count(hits)}</td>
          </tr>
        ))}
      </Hits>
      <table class="rows">
        <caption class="visually-hidden">{t("Hits by day")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("Day")}</th>
            <th scope="col">{t("Hits by reason")}</th>
          </tr>
        </thead>
        <tbody>
          {days.map((day) => (
            <tr key={day.date}>
              <th scope="row">{dayText(day.date)}</th>
              <td>{reasonsText(day)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** Says that all was counted, unless nothing came. */
function NothingLeftOut({ hostname }: { readonly hostname: string }) {
  const start = `${firstShownDate(Date.now())}T00:00:00Z`;
  const { data } = useAnswer<Summary>(`/website/${encodeURIComponent(hostname)}/summary?start=${start}`);
  if (data === undefined) return null;
  return (
    <p>
      {data.current.pageviews === 0
        ? t("No page view came in the last {n} days.", { n: shownDays })
        : t("Everything that came in the last {n} days was counted.", { n: shownDays })}
    </p>
  );
}

function Unknown({ hostnames }: { readonly hostnames: NonNullable<Rejections["unknown"]> }) {
  return (
    <>
      <p>
        {t(
          "Hits also came for hostnames that nobody registered on this server. Only you see them, as the owner of the server, and strangers can make them up.",
        )}
      </p>
      <Hits caption={t("Hostnames that nobody registered")} by={t("Hostname")}>
        {hostnames.map(({ hostname, hits }) => (
          <tr key={hostname}>
            <th scope="row" dir="auto">
              {label(hostname)}
            </th>
            <td class="number">{count(hits)}</td>
          </tr>
        ))}
      </Hits>
    </>
  );
}

interface HitsProps {
  readonly caption: string;
  /** The heading of the first column. */
  readonly by: string;
  /** Rows of two cells. */
  readonly children: ComponentChildren;
}

/** A table with numbers of hits in its second column. */
function Hits({ caption, by, children }: HitsProps) {
  return (
    <table class="rows">
      <caption class="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{by}</th>
          <th scope="col" class="number">
            {t("Hits")}
          </th>
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

function dayText(date: string): string {
  return dateTime(Date.parse(date), { month: "short", day: "numeric", timeZone: "UTC" });
}
