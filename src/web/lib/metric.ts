/** How the figures of each metric are measured and written. */
import { count, duration, percent } from "./format.ts";
import type { MetricName } from "./question.ts";
import type { Unit } from "./scale.ts";

export const metricUnits: Readonly<Record<MetricName, Unit>> = {
  visitors: "count",
  pageviews: "count",
  bounce_percentage: "percent",
  duration: "duration",
};

export const metricFormats: Readonly<Record<MetricName, (value: number) => string>> = {
  visitors: count,
  pageviews: count,
  bounce_percentage: percent,
  duration,
};
