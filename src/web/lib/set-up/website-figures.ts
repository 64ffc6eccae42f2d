/** The figures of the websites of a list, which are asked for one after the other: an account may have thousands. */
import { signal, type Signal } from "@preact/signals";
import { useLayoutEffect, useMemo } from "preact/hooks";
import type { NamedSummary } from "../../../core/questions/answer.ts";
import { freshness } from "../answer.ts";
import { ApiError, call, type Website } from "../api.ts";
import { ownZone } from "../calendar/zone.ts";
import { figuresPath, type ListPeriod } from "./website-list.ts";

/** The requests that are under way at once. */
const atOnce = 4;

/** By hostname; undefined until they are known. */
export type WebsiteFigures = ReadonlyMap<string, Signal<NamedSummary | undefined>>;

/** Asks in the order of the websites, and again with everything else on the screen: old figures stay until then. */
export function useWebsiteFigures(websites: readonly Website[], period: ListPeriod): WebsiteFigures {
  const names = websites.map(({ hostname }) => hostname).join();
  const figures = useMemo(
    () => new Map(websites.map(({ hostname }) => [hostname, signal<NamedSummary>()])),
    [names, period],
  );
  const round = freshness.value;
  useLayoutEffect(() => {
    const controller = new AbortController();
    const left = websites.values();
    const ask = async () => {
      for (const website of left) {
        if (website.unavailable) continue;
        const path = figuresPath(website, period, ownZone, Date.now());
        try {
          const answer = await call<NamedSummary>("GET", path, { signal: controller.signal });
          if (!controller.signal.aborted) figures.get(website.hostname)!.value = answer;
        } catch (error) {
          if (controller.signal.aborted) return;
          if (!(error instanceof ApiError)) throw error;
        }
      }
    };
    for (let turn = 0; turn < atOnce; turn++) void ask();
    return () => controller.abort();
  }, [figures, round]);
  return figures;
}
