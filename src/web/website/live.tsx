/** Who is there now: moves by itself, by the server's events, and has everything else on the page asked again. */
import { useEffect, useState } from "preact/hooks";
import { askAgain } from "../lib/answer.ts";
import { count } from "../lib/format.ts";

/** At most this often: each round asks all lists of the page. */
const roundMs = 10_000;

/** Visitors of the last five minutes; undefined until the first event, and while the stream is broken. */
export function useLive(hostname: string, onChange: () => void = () => {}): number | undefined {
  const [visitors, setVisitors] = useState<number>();
  useEffect(() => {
    let shown: number | undefined;
    return whileSeen(() => {
      const events = new EventSource(`/website/${encodeURIComponent(hostname)}/live`);
      events.onmessage = ({ data }: MessageEvent<string>) => {
        const { visitors } = JSON.parse(data) as { visitors: number };
        if (shown !== undefined && shown !== visitors) onChange();
        shown = visitors;
        setVisitors(visitors);
      };
      events.onerror = () => setVisitors(undefined);
      return () => events.close();
    });
  }, [hostname]);
  return visitors;
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
