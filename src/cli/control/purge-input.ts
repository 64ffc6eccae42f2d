/** Parses what the command line says of a purge: a filter as in a URL without its encoding, days or times. */
import { dayMs } from "../../core/hit.ts";
import { removalFilterNames } from "../../core/questions/dimension.ts";
import type { Selection } from "../../core/questions/query.ts";
import { badInput } from "../../core/refusal.ts";
import { fieldsOf, optionalList, optionalText } from "../../engine/admin/fields.ts";
import { parseDateTime } from "../../core/date-time.ts";
import { filterPair } from "./filter-pair.ts";
import { ofVisits, parseFilters } from "../../http/parsing/statistics-query.ts";

export interface PurgeInput {
  readonly hostname: string;
  /** Filters as in a URL, such as `path[contains]=wp-login`. */
  readonly filters: readonly string[];
  /** A UTC day or an RFC 3339 date-time; "" for an open end. Both are inclusive. */
  readonly from: string;
  readonly to: string;
  readonly isDryRun: boolean;
  /** Whether sources are those of hits also where the website has visits: what has no visit has no other. */
  readonly isByHit?: boolean;
}

/** `visits`: whether sources are those of visits, as in the statistics of a website that has visits. Throws Refusal 400. */
export function parsePurge(
  input: unknown,
  visits: boolean,
): { readonly selection: Selection; readonly isDryRun: boolean } {
  const fields = fieldsOf(input);
  const [from, to] = [optionalText(fields, "from") ?? "", optionalText(fields, "to") ?? ""];
  const startMs = from === "" ? -Infinity : timeOf("--from", from, 0);
  const endMs = to === "" ? Infinity : timeOf("--to", to, dayMs - 1);
  if (startMs > endMs) throw badInput("--from", from, "a time that is not after --to");
  const pairs = (optionalList(fields, "filters") ?? []).map(filterPair);
  const filters = parseFilters(pairs, removalFilterNames);
  const isByVisit = visits && fields["isByHit"] !== true;
  const selection = { period: { startMs, endMs }, filters: isByVisit ? ofVisits(filters) : filters };
  return { selection, isDryRun: fields["isDryRun"] !== false };
}

/** Returns the time, or the start of a day and `ofDayMs` more. */
function timeOf(name: string, text: string, ofDayMs: number): number {
  const dayStartMs = parseDateTime(`${text}T00:00:00Z`);
  const ms = dayStartMs === undefined ? parseDateTime(text) : dayStartMs + ofDayMs;
  if (ms === undefined)
    throw badInput(name, text, "a day like 2026-01-31 or a time like 2026-01-31T08:00:00Z");
  return ms;
}
