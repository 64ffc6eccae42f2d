/** Who is there now: moves by itself, by the server's events, and has everything else on the page asked again. */
import { useEffect, useState } from "preact/hooks";
import { askAgain } from "../lib/answer.ts";
import { ApiError, call } from "../lib/api.ts";
import { count } from "../lib/format.ts";

/** At most this often: each round asks all lists of the page. */
const roundMs = 10_000;
/**
 * A browser takes a broken stream up again by itself, but never one that was answered with an error, as by the proxy of
 * a server that is being started. It is opened again after so long: a start takes less, and nobody minds a question.
 */
const reopenMs = 10_000;

/**
 * Visitors of the last five minutes; undefined until the first event, and while the stream is broken. `onChange`: the
 * figures may be others, because visitors are, or because what was asked while the stream was broken may have failed.
 */
export function useLive(hostname: string, onChange: () => void = () => {}): number | undefined {
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
    return whileSeen(() => stream(hostname, onVisitors, onBroken, onChange));
  }, [hostname]);
  return visitors;
}

/** Holds a stream open until what it returns is called. `onRefused`: the server answers, but gives none. */
function stream(
  hostname: string,
  onVisitors: (visitors: number) => void,
  onBroken: () => void,
  onRefused: () => void,
): () => void {
  const name = encodeURIComponent(hostname);
  let events: EventSource;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let ended = false;
  const open = () => {
    events = new EventSource(`/website/${name}/live`);
    events.onmessage = ({ data }: MessageEvent<string>) =>
      onVisitors((JSON.parse(data) as { visitors: number }).visitors);
    events.onerror = () => {
      onBroken();
      if (events.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(open, reopenMs);
      void answers(`/websites/${name}`).then((answered) => {
        // Who has left the view asks for nothing more. Else a website that does not exist would be asked for without end:
        // its page is gone with the first answer, and comes again with the next question.
        if (answered && !ended) onRefused();
      });
    };
  };
  open();
  return () => {
    ended = true;
    events.close();
    clearTimeout(timer);
  };
}

/**
 * Whether the server answers, be it that the website is gone. A stream does not tell why it was refused; this does, and
 * where the session has ended it leads to the login page.
 */
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
 * Runs `begin` while the page is seen, and what it returns when it no longer is. A browser has six connections to a
 * server of HTTP/1.1 for all its tabs, and the pages that it keeps to go back to count too: were each of them to hold
 * one for its stream, the seventh would show nothing.
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

/** Asks again now, or when the last round is long enough ago; never for a page that nobody sees. */
export function useRounds(): () => void {
  const [rounds] = useState(() => {
    let lastMs = -Infinity;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const round = () => {
      timer = undefined;
      if (document.hidden) return;
      lastMs = performance.now();
      askAgain();
    };
    const later = () => {
      timer ??= setTimeout(round, Math.max(0, lastMs + roundMs - performance.now()));
    };
    return { later, stop: () => clearTimeout(timer) };
  });
  useEffect(() => {
    const seen = () => {
      if (!document.hidden) rounds.later();
    };
    document.addEventListener("visibilitychange", seen);
    return () => {
      document.removeEventListener("visibilitychange", seen);
      rounds.stop();
    };
  }, []);
  return rounds.later;
}

export function Live({ hostname }: { readonly hostname: string }) {
  const visitors = useLive(hostname, useRounds());
  return (
    <p
      class="live"
      data-live={visitors !== undefined && visitors > 0}
      title="Visitors of the last five minutes"
    >
      {visitors === undefined
        ? "Connecting…"
        : `${count(visitors)} ${visitors === 1 ? "visitor" : "visitors"} now`}
    </p>
  );
}
