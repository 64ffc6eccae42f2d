/** Announces the first hit of a website as soon as it arrives. */
import { useEffect, useRef } from "preact/hooks";
import type { Summary } from "../../core/questions/answer.ts";
import { useAnswer } from "../lib/answer.ts";
import { arrivalOf } from "../lib/set-up/arrival.ts";
import type { Website } from "../lib/api.ts";
import { websiteHref } from "../lib/routes.ts";
import { announce } from "../parts/announcer.tsx";
import { useLive, useRounds } from "../website/live-count.tsx";
import { t } from "../lib/texts/words.ts";

interface FirstHitProps {
  readonly hostname: string;
  /** Files were imported, and nobody came within 24 hours. */
  readonly isQuiet?: boolean;
  /** The visitors of the moment. */
  readonly live?: number | undefined;
}

/** Waits for the first hit with a stream of its own. */
export function FirstHitByStream({ website }: { readonly website: Website }) {
  const { hostname, imported, summary } = website;
  // The stream counts new visitors only. Somebody who was on the website earlier today is none: those page views are
  // seen when the person comes back from the tab in which they were made.
  const live = useLive(hostname, useRounds());
  return <FirstHit hostname={hostname} isQuiet={imported === true && summary.visitors === 0} live={live} />;
}

/** Waits for the first hit with the stream of the page, which asks again for everything on it. */
export function FirstHit({ hostname, isQuiet, live }: FirstHitProps) {
  const website = `/website/${encodeURIComponent(hostname)}`;
  const { data } = useAnswer<Summary>(`${website}/summary`);
  const { data: events } = useAnswer<readonly unknown[]>(`${website}/properties?limit=1`);
  const waited = useRef(false);
  // A server may send events alone.
  const hits = data && (data.current.pageviews || events?.length);
  const arrival = arrivalOf(hits, live, waited.current, isQuiet);
  const waits = arrival === "waiting" || arrival === "imported";
  waited.current ||= waits;
  useEffect(() => {
    if (arrival === "first") announce(t("The first hit has arrived."));
  }, [arrival]);
  return (
    <section class="card first-hit" aria-label={t("Hits")} data-arrival={arrival}>
      <p>
        {arrival === "unknown" && t("Looking for hits…")}
        {arrival === "waiting" && t("Waiting for the first hit. This page updates by itself.")}
        {arrival === "imported" &&
          t("Page views were imported. None came from the website itself in the last 24 hours.")}
        {arrival === "first" && <strong>{t("The first hit has arrived.")}</strong>}
        {arrival === "receiving" && t("Receiving hits.")}{" "}
        {(arrival === "first" || arrival === "receiving") && (
          <a href={websiteHref(hostname)}>
            {data === undefined || data.current.pageviews === 0
              ? t("See the statistics")
              : t("{n} page view so far|{n} page views so far", { n: data.current.pageviews })}
          </a>
        )}
      </p>
      {waits && <NothingArrives hostname={hostname} />}
    </section>
  );
}

function NothingArrives({ hostname }: { readonly hostname: string }) {
  return (
    <details>
      <summary>{t("Nothing arrives?")}</summary>
      <ul class="points">
        <li>{t("Look at the source of a page in the browser: the line has to be in it, once.")}</li>
        <li>
          {t(
            "Only pages whose address begins with {hostname} count here, and with or without www. where the other form was not added too. A copy under another name is a website of its own.",
            { hostname },
          )}
        </li>
        <li>{t("Blockers and privacy extensions may block the script: try a browser without them.")}</li>
        <li>
          {t(
            "If the website sends a Content-Security-Policy, both script-src and connect-src have to allow {origin}.",
            { origin: location.origin },
          )}
        </li>
        <li>{t("Automated browsers are not counted.")}</li>
      </ul>
    </details>
  );
}
