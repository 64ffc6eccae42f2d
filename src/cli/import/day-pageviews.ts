/** How many page views a website has on each day, as the statistics count them. */
import type { Website } from "../../accounts/registry/registry.ts";
import type { Engine } from "../../engine/engine.ts";
import { ownStatistics } from "../../http/own-statistics.ts";

export interface DaysInput {
  readonly hostname: string;
  /** The first and the last millisecond; without them all time is one day. */
  readonly startMs?: number;
  readonly endMs?: number;
}

export interface DayPageviews {
  readonly timeMs: number;
  readonly pageviews: number;
}

/** The answer of `summary`, as far as it is read. */
interface Summary {
  readonly current: { readonly pageviews: number };
  readonly interval?: readonly { readonly date: string; readonly pageviews: number }[];
}

export async function pageviewsByDay(
  engine: Engine,
  website: Website,
  { startMs, endMs }: DaysInput,
): Promise<readonly DayPageviews[]> {
  if (startMs === undefined || endMs === undefined) {
    const { current } = (await ownStatistics(engine, website, "summary", "")) as Summary;
    return [{ timeMs: 0, pageviews: current.pageviews }];
  }
  const query = `interval=day&start=${timeText(startMs)}&end=${timeText(endMs)}`;
  const { interval = [] } = (await ownStatistics(engine, website, "summary", query)) as Summary;
  return interval.map(({ date, pageviews }) => ({ timeMs: Date.parse(date), pageviews }));
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
