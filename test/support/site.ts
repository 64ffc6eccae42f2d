/** A website's statistics built row by row, with every field that a test does not care about filled in. */
import { dimensions, type DimensionName, type ListName } from "../../src/core/questions/dimension.ts";
import type { OperatorName } from "../../src/core/questions/operator.ts";
import {
  limitMax,
  type Filter,
  type ListQuery,
  type Page,
  type Selection,
} from "../../src/core/questions/query.ts";
import type { Properties, PropertyNumbers } from "../../src/core/questions/property.ts";
import { rowFlag } from "../../src/store/columns/row-flag.ts";
import type { RowRef } from "../../src/store/state/row-ref.ts";
import { Site } from "../../src/store/state/site.ts";
import { noonMs } from "./records.ts";

/** null: not kept apart. */
type Values = Partial<Record<DimensionName, string | null>>;

export interface View extends Values {
  readonly timeMs?: number;
  /** The hit's `p`; true by default. */
  readonly p?: boolean;
  /** The hit's `q`; the opposite of `p` by default. */
  readonly q?: boolean;
  /** Time on the page; unknown by default. */
  readonly ms?: number;
  readonly evented?: boolean;
  readonly properties?: Properties;
  readonly numbers?: PropertyNumbers;
  /** An event without a page view. */
  readonly bare?: boolean;
}

const ordinary: Record<DimensionName, string> = {
  path: "/",
  referrer: "",
  utm_source: "",
  utm_medium: "",
  utm_campaign: "",
  browser: "Firefox",
  os: "Linux",
  device: "Desktop",
  country: "DE",
  language: "de",
  utm_content: "",
  utm_term: "",
};

export function addView(site: Site, view: View = {}): RowRef {
  const { timeMs = noonMs, p = true, q = !p, ms, evented, properties = [], numbers, bare } = view;
  const flags = bare ? rowFlag.bare : (p ? rowFlag.unique : 0) | (p || !q ? rowFlag.first : 0);
  const values = dimensions.map(({ name }) => (view[name] === undefined ? ordinary[name] : view[name]));
  const ref = site.addRow(timeMs, values, flags);
  if (ms !== undefined) ref.chunk.addDuration(ref.row, ms);
  if (evented) ref.chunk.markEvented(ref.row);
  site.addProperties(ref, { properties, numbers }, timeMs);
  return ref;
}

export function siteOf(...views: readonly View[]): Site {
  const site = new Site(1);
  for (const view of views) addView(site, view);
  return site;
}

/** Everything, from the first row on. */
export const everything: Selection & Page = {
  period: { startMs: -Infinity, endMs: Infinity },
  filters: [],
  limit: limitMax,
  offset: 0,
};

export function listOf(list: ListName, more: Partial<ListQuery> = {}): ListQuery {
  return { ...everything, list, summary: false, grouped: true, locale: false, ...more };
}

export function filter(name: Filter["name"], operator: OperatorName, ...operands: string[]): Filter {
  return { name, operator, operands };
}
