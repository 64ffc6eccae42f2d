/** The endpoints of statistics share this: their routes, and how a question is asked. */
import type { Website } from "../../../accounts/registry/registry.ts";
import { visitMetrics } from "../../../core/questions/named-metric.ts";
import { mayAskEntry, type AskedFilter } from "../../../core/website/link.ts";
import { targetsOf, type Compared, type Filter, type Question } from "../../../core/questions/query.ts";
import { badInput, Refusal } from "../../../core/refusal.ts";
import { assertHasVisits } from "../../../engine/admin/needs-visits.ts";
import type { Reach } from "../../../query/answers/reach.ts";
import { isPropertyFilter } from "../../../query/rows/filters/property-mask.ts";
import { acceptsCsv, CsvText } from "../../answers/csv.ts";
import { rawQuery } from "../../parsing/query-string.ts";
import { ofVisits } from "../../parsing/statistics-query.ts";
import { JsonText, type ReaderCall, type ReaderRoute } from "../../transport/route.ts";

/** Returns the end of this second: questions of one moment are equal, and what was acknowledged before is in the answer. */
export function nowOf({ services }: ReaderCall): number {
  return Math.floor(services.engine.nowMs() / 1_000) * 1_000 + 999;
}

/** `more`: sentences that follow what is said of all. */
export function statisticsRoute(
  name: string,
  summary: string,
  more: readonly string[] = [],
): Omit<ReaderRoute, "handle"> {
  return {
    method: "GET",
    path: `/website/:hostname/${name}`,
    access: "reader",
    summary,
    description: [
      "Referrer and campaign describe the page view that carried them; visitors of several days are the sum " +
        "of the days. Months older than the server's setting `rows` have sums only: there, edges of a period are taken to " +
        "the nearest UTC day (totals: quarter of an hour; `time`, and lists with a goal: month), and `Footfall-Period` says which period was " +
        "answered, while `previous` is missing where the months that fit are another period than was asked; what needs single page views, such as a filter, is answered from `Footfall-Rows-From` on; " +
        "`Footfall-Imported-Until` says until when sums of another product are in the answer, which are known by days; " +
        "`Footfall-Approximate: true` marks times, and visits of groups, that are close and not exact.",
      ...more,
    ].join(" "),
    // The same as in the API's own list of errors, also for lists that it does not describe.
    errors: name === "pages" || name === "time" ? [400, 404] : [400, 403, 404],
  };
}

/** The parameters of a comparison. */
export const compareParameters = ["compare_start", "compare_end"] as const;

/** Returns a query with the period that it compares with in place of its ends. Throws Refusal 400. */
export function withCompare<Q extends { readonly compare_start: number; readonly compare_end: number }>({
  compare_start: startMs,
  compare_end: endMs,
  ...query
}: Q): Omit<Q, (typeof compareParameters)[number]> & Compared {
  if (startMs > endMs)
    throw badInput("compare_start", new Date(startMs).toISOString(), "a time that is not after compare_end");
  if (!Number.isFinite(startMs) && !Number.isFinite(endMs)) return query;
  return { ...query, compare: Object.freeze({ startMs, endMs }) };
}

/** Answers the question in the raw query, as JSON or as CSV. The header Server-Timing describes the work it took. */
export async function answer(call: ReaderCall, read: (raw: string) => Question): Promise<JsonText | CsvText> {
  const { services, request, headers } = call;
  const { website, filters, isByLink } = call.reader;
  const held = heldTo(website, filters, read(rawQuery(request.url)));
  const question: Question = Object.freeze(acceptsCsv(request) ? { ...held, asCsv: true } : held);
  const part = visitPart(question);
  if (part !== undefined) assertHasVisits(website, part);
  const { json, csv, timing, isApproximate, reach } = await services.engine.ask(
    website.websiteId,
    question,
    request.signal,
    isByLink,
  );
  // How many rows were read would tell a link what its filters hide.
  if (filters.length === 0) headers["server-timing"] = timing;
  Object.assign(headers, reachHeaders(reach, isApproximate));
  return csv === undefined ? new JsonText(json) : new CsvText(csv);
}

/** The headers that say what months without rows made of an answer. */
function reachHeaders(
  { period, rowsFromMs, importedFromMs, importedUntilMs }: Reach,
  isApproximate: boolean,
): Record<string, string> {
  const text = (ms: number) => (Number.isFinite(ms) ? new Date(ms).toISOString() : "..");
  return {
    ...(isApproximate && { "footfall-approximate": "true" }),
    ...(period && { "footfall-period": `${text(period.startMs)}/${text(period.endMs)}` }),
    ...(rowsFromMs !== undefined && { "footfall-rows-from": text(rowsFromMs) }),
    ...(importedFromMs !== undefined && { "footfall-imported-from": text(importedFromMs) }),
    ...(importedUntilMs !== undefined && { "footfall-imported-until": text(importedUntilMs) }),
  };
}

/** Returns what a link's filters select: visits by their source where the website tells them apart, else hits by theirs. */
export function filtersOfLink(
  { visits }: Pick<Website, "visits">,
  filters: readonly AskedFilter[],
): readonly Filter[] {
  return visits ? ofVisits(filters) : filters;
}

/**
 * Returns a question with the filters of a link besides its own. A question by entry page is held to the link's pages there
 * too: else it would tell on which other pages visits began. Throws Refusal 403 for journeys, and where other filters do not
 * hold for entry pages, as both name pages of a visit that the filters do not select; and for events that they do not select.
 */
function heldTo(website: Website, filters: readonly AskedFilter[], question: Question): Question {
  if (filters.length === 0) return question;
  if (question.list === "journeys") throw new Refusal(403, "journeys: a link with filters shows none");
  if (filters.some(isPropertyFilter) && targetsOf(question).some((target) => "event" in target))
    throw new Refusal(403, "a link that is held to a property shows no goals and no steps of others");
  const asksEntry = question.filters.some(({ name }) => name === "entry");
  if (asksEntry && !mayAskEntry(filters))
    throw new Refusal(
      403,
      "entry: a link that is held to a country or a property does not say where visits began",
    );
  const ofPages = asksEntry ? filters.filter(({ name }) => name === "path") : [];
  const held = [
    ...filtersOfLink(website, filters),
    ...ofPages.map((filter): Filter => ({ ...filter, name: "entry" })),
  ];
  return {
    ...question,
    filters: [...held, ...question.filters],
    ...(targetsOf(question).length > 0 && { heldTo: held }),
  };
}

/** Returns the part of a question that needs visits, as the API names it; undefined if there is none. */
function visitPart(question: Question): string | undefined {
  const { list, filters } = question;
  if (list === "entries" || list === "exits") return list;
  if ("by" in question && question.by === "visit") return "by";
  const metrics = "metrics" in question ? question.metrics : undefined;
  const metric = metrics?.find((name) => visitMetrics.has(name));
  return metric ?? filters.find(({ name }) => name === "entry")?.name;
}
