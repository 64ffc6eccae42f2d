/** The current visitors, or visits where they are told apart, updated by the server's events. Changes also refresh everything else on the page. */
import { useEffect, useState } from "preact/hooks";
import { askAgain } from "../lib/answer.ts";
import { ApiError, call, send, type ShownWebsite } from "../lib/api.ts";
import { liveHref } from "../lib/routes.ts";
import { ExplainedBeside } from "../parts/dialogs/explained.tsx";
import { t } from "../lib/texts/words.ts";

/** The least time between two rounds: each round asks for all lists of the page. */
const roundMs = 10_000;
/** The wait for a round without an event: the day of today ends, and hours become older than 24, on a quiet website too. */
const quietMs = 300_000;
/** The wait before a stream that broke or was refused is opened again. A request at this interval is no burden. */
const reopenMs = 5_000;
/** The most streams that the pages of a browser hold open. With six, nothing else would come from a server of HTTP/1.1. */
const streamsMax = 4;

/**
 * Returns the visitors or visits of the last five minutes; undefined until the first event, and while the stream is broken.
 * `onChange` is called when figures may have changed: the visitors did, or a request made while the stream was broken
 * may have failed. `onRecorded` is called when something else was recorded.
 */
export function useLive(
  hostname: string,
  onChange: () => void,
  onRecorded: () => void = () => {},
): number | undefined {
  const [visitors, setVisitors] = useState<number>();
  useEffect(() => {
    let shown: number | undefined;
    let broken = false;
    const onVisitors = (visitors: number) => {
      if (broken || (shown !== undefined && shown !== visitors)) onChange();
      broken = false;
      shown = visitors;
      setVisitors(visitors);
    };
    const onBroken = () => {
      broken = true;
      setVisitors(undefined);
    };
    return whileSeen(() => stream(hostname, { onVisitors, onRecorded, onBroken, onRefused: onChange }));
  }, [hostname]);
  return visitors;
}

interface StreamEvents {
  readonly onVisitors: (visitors: number) => void;
  readonly onRecorded: () => void;
  readonly onBroken: () => void;
  /** It is called if the server answers, but gives no stream. */
  readonly onRefused: () => void;
}

/** Holds a stream open until the returned function is called. */
function stream(hostname: string, events: StreamEvents): () => void {
  const path = `/website/${encodeURIComponent(hostname)}`;
  const ended = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const open = async () => {
    const refused = await inPlace(() => read(`${path}/live`, ended.signal, events));
    if (ended.signal.aborted) return;
    events.onBroken();
    timer = setTimeout(() => void open(), reopenMs);
    const answered = refused && (await answers(`${path}/shared`));
    // After the view is left nothing more is asked. Otherwise a website that does not exist would be asked for
    // endlessly: its page vanishes with the first answer, and comes back with the next request.
    if (answered && !ended.signal.aborted) events.onRefused();
  };
  void open();
  return () => {
    ended.abort();
    clearTimeout(timer);
  };
}

/**
 * Runs `read` in one of the places that the pages of a browser have for streams; without one that is free, as if the stream
 * was refused. Only pages by HTTPS or of localhost know of each other. By HTTP/2, streams share one connection.
 */
async function inPlace(read: () => Promise<boolean>): Promise<boolean> {
  const [page] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  if (!isSecureContext || /^h[23]/.test(page?.nextHopProtocol ?? "")) return read();
  for (let place = 0; place < streamsMax; place++) {
    const refused = await navigator.locks
      .request(`footfall.stream.${place}`, { ifAvailable: true }, async (lock) => lock && read())
      // A browser that forbids storage forbids this too.
      .catch(read);
    if (refused !== null) return refused;
  }
  return true;
}

/** Reads a stream until it ends. Returns whether there was none, but an answer. */
async function read(
  path: string,
  signal: AbortSignal,
  { onVisitors, onRecorded }: StreamEvents,
): Promise<boolean> {
  try {
    const { body } = await send("GET", path, { signal });
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done) return false;
      const events = (rest + value).split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events)
        if (event.startsWith("data: "))
          onVisitors((JSON.parse(event.slice(6)) as { visitors: number }).visitors);
        else if (event.startsWith("event: change")) onRecorded();
    }
  } catch (error) {
    // Anything else is a connection that broke, or was ended.
    return error instanceof ApiError && error.status !== 0;
  }
}

/** Returns whether the server answers, even if only that the website is gone: what refuses a stream may be a proxy. */
async function answers(path: string): Promise<boolean> {
  try {
    await call("GET", path);
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.status === 404;
  }
}

/**
 * Runs `begin` while the page is visible, and the function that it returned when the page no longer is. A browser has
 * six connections to a server of HTTP/1.1 for all its tabs, including pages that it keeps to go back to. If each of
 * them held one for its stream, the seventh would show nothing.
 */
function whileSeen(begin: () => () => void): () => void {
  let end: (() => void) | undefined;
  const stop = () => {
    end?.();
    end = undefined;
  };
  const follow = () => {
    if (document.hidden) stop();
    else end ??= begin();
  };
  follow();
  const ended = new AbortController();
  document.addEventListener("visibilitychange", follow, { signal: ended.signal });
  addEventListener("pagehide", stop, { signal: ended.signal });
  addEventListener("pageshow", follow, { signal: ended.signal });
  return () => {
    ended.abort();
    stop();
  };
}

/**
 * Returns a function that calls `again` now, or when the last round is long enough ago; never while nobody sees the page.
 * Without `again` it refreshes everything. It is called by itself every `mostMs`, and when somebody sees the page again.
 */
export function useRounds(again = askAgain, leastMs = roundMs, mostMs = quietMs): () => void {
  const [rounds] = useState(() => {
    let lastMs = -Infinity;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const round = () => {
      timer = undefined;
      if (document.hidden) return;
      lastMs = performance.now();
      again();
    };
    const later = () => {
      timer ??= setTimeout(round, Math.max(0, lastMs + leastMs - performance.now()));
    };
    return { later, stop: () => clearTimeout(timer) };
  });
  useEffect(() => {
    const seen = () => {
      if (!document.hidden) rounds.later();
    };
    document.addEventListener("visibilitychange", seen);
    const quiet = setInterval(rounds.later, mostMs);
    return () => {
      document.removeEventListener("visibilitychange", seen);
      clearInterval(quiet);
      rounds.stop();
    };
  }, []);
  return rounds.later;
}

interface LiveProps {
  readonly website: ShownWebsite;
  /** Whether a link shows the website: it has the figure, and no view of what happens. */
  readonly isShared: boolean;
}

export function Live({ website, isShared }: LiveProps) {
  const now = useLive(website.hostname, useRounds());
  const look = { class: "live", "data-live": isLive(now) };
  const text = liveText(website, now);
  const term = website.visits ? "live_visits" : "live";
  return (
    <span class="live-count">
      {isShared ? (
        <p {...look}>{text}</p>
      ) : (
        <a {...look} href={liveHref(website.hostname)} title={t("Show what happens now")}>
          {text}
        </a>
      )}
      <ExplainedBeside term={term} label={website.visits ? t("Visits now") : t("Visitors now")} />
    </span>
  );
}

/** Returns undefined without a count. */
export function isLive(now: number | undefined): boolean | undefined {
  return now === undefined ? undefined : now > 0;
}

/** Returns a text such as: 3 visitors now. */
export function liveText({ visits }: ShownWebsite, now: number | undefined): string {
  if (now === undefined) return t("Connecting…");
  return visits
    ? t("{n} visit now|{n} visits now", { n: now })
    : t("{n} visitor now|{n} visitors now", { n: now });
}
