/**
 * The endpoint that answers with everything that a website's page shows, as CSV files in one ZIP archive. Each file is the
 * answer of another endpoint as CSV, asked with the same period and filters, one after the other.
 */
import { Type } from "@sinclair/typebox";
import { listedDimensions } from "../../../core/questions/dimension.ts";
import { hasAmount, stepsMax } from "../../../core/website/goal.ts";
import { amountMetric, goalMetrics } from "../../../core/questions/metric.ts";
import { directions, limitMax, type Filter } from "../../../core/questions/query.ts";
import { Refusal } from "../../../core/refusal.ts";
import { listColumns, totalMetrics } from "../../../core/questions/shown-metric.ts";
import { zipped, type ZipFile } from "../../../lib/packing/zip.ts";
import { csv } from "../../../query/answers/csv.ts";
import { csvMedia, type CsvText } from "../../answers/csv.ts";
import { downloaded } from "../../answers/download.ts";
import { parsePairs, rawQuery } from "../../parsing/query-string.ts";
import type { Reader, ReaderCall, ReaderRoute } from "../../transport/route.ts";
import { answerTimeoutS } from "../../transport/silence.ts";
import { fileSchema } from "../../parsing/schemas.ts";
import { parseStatisticsQuery, valuesOf } from "../../parsing/statistics-query.ts";
import { compareParameters, statisticsRoute } from "./answer.ts";
import { routesByName } from "./by-name.ts";

const parameters = ["by", "goal", ...compareParameters, "interval", "timezone", "week_start"] as const;
/** The parameters that differ from file to file, so that none of them is passed on. */
const ownParameters: ReadonlySet<string> = new Set(
  "limit offset metrics summary previous grouped locale interval direction".split(" "),
);

/** One file: its name without `.csv`, the endpoint that answers with its rows, and the parameters besides the query's own. */
interface Part {
  readonly name: string;
  readonly list: string;
  readonly more: Readonly<Record<string, string | number | boolean>>;
}

/** How many files are made before the archive begins: what is wrong with the query is found by one of them. */
const firstParts = 3;

/** Returns the files for a query. Those that it asks for by parameters of their own are among the first. */
function partsOf(
  { website: { visits: hasVisits, goals }, filters: held }: Reader,
  raw: string,
): readonly Part[] {
  const { by, goal, interval, filters } = parseStatisticsQuery(raw, parameters);
  // A link with filters shows no pages before and after.
  const path = hasVisits && held.length === 0 ? pageOf(filters) : undefined;
  const target = goals.list.find(({ id }) => id === goal)?.target;
  const amount = target !== undefined && hasAmount(target);
  const shown = { visits: by === "visit", goal, amount };
  const ofGoal = goal === undefined ? [] : amount ? [...goalMetrics, amountMetric] : goalMetrics;
  const totals = { metrics: [...totalMetrics[shown.visits ? "visits" : "views"], ...ofGoal].join(",") };
  const part = (name: string, list = name, more: Part["more"] = {}): Part => ({ name, list, more });
  const whole = (name: string, list = name, more: Part["more"] = {}): Part => {
    const { all } = listColumns(list, shown);
    return part(name, list, { ...more, metrics: all.join(","), limit: limitMax });
  };
  return [
    part("totals", "summary", totals),
    ...(hasVisits && valuesOf(raw, "step").length > 0 ? [part("funnel")] : []),
    ...(interval === undefined ? [] : [part("chart", "summary", { ...totals, interval })]),
    ...listedDimensions.map(({ list }) => whole(list)),
    whole("links", "referrers", { grouped: false }),
    whole("dialects", "languages", { locale: true }),
    ...(hasVisits ? [whole("entries"), whole("exits")] : []),
    whole("time"),
    whole("properties"),
    ...(hasVisits ? [part("goals")] : []),
    ...(path === undefined
      ? []
      : directions.map((direction) =>
          part(`${direction}-pages`, "journeys", { path, direction, limit: limitMax }),
        )),
  ];
}

/** Returns the one page that is filtered for; undefined if there is none. No page has an empty path. */
function pageOf(filters: readonly Filter[]): string | undefined {
  const [page, another] = filters.filter(({ name, operator }) => name === "path" && operator === "eq");
  return another === undefined ? page?.operands[0] || undefined : undefined;
}

/** Returns all notes of a website, by day. They are for its accounts, and not for links. */
function notesFile({ website, isByLink }: Reader): ZipFile[] {
  const notes = website.notes.list.map(({ date, text }) => ({ date, text }));
  const byDay = notes.toSorted((a, b) => (a.date < b.date ? -1 : 1));
  return !isByLink ? [{ name: "notes.csv", text: csv(byDay, ["date", "text"]) }] : [];
}

/**
 * Yields the files of the parts, each asked for when the one before it was taken. Where the first ones are good, what is
 * refused of a later one needs page views, and the months of the period have none: that one is left out.
 */
async function* filesOf(call: ReaderCall, raw: string, parts: readonly Part[]): AsyncGenerator<ZipFile> {
  const { request, services } = call;
  const passed = parsePairs(raw).filter(([name]) => !ownParameters.has(name));
  for (const [at, { name, list, more }] of parts.entries()) {
    // The link may be revoked, or the session end, while somebody reads slowly.
    if (!call.reader.isAllowed()) throw new Refusal(401, "the session or the link has ended");
    const pairs = [...passed, ...Object.entries(more)].map((pair) => pair.map(encodeURIComponent).join("="));
    const url = `http://localhost/?${pairs.join("&")}`;
    const asked = new Request(url, { headers: { accept: csvMedia }, signal: request.signal });
    const route = routesByName.get(list)!;
    services.allowSilence(request, answerTimeoutS);
    const file = { name: `${name}.csv`, text: "" };
    try {
      file.text = ((await route.handle({ ...call, headers: {}, request: asked })) as CsvText).text;
    } catch (error) {
      if (at >= firstParts && error instanceof Refusal && error.code === 400) continue;
      throw error;
    }
    yield file;
  }
  yield* notesFile(call.reader);
}

async function exported(call: ReaderCall): Promise<Response> {
  const { website, isByLink, streamsOf } = call.reader;
  const { downloads, linkExports } = call.services;
  const end = isByLink ? linkExports.begin(website.websiteId) : downloads.begin(streamsOf);
  try {
    return await begun(call, end);
  } catch (error) {
    end();
    throw error;
  }
}

/** Returns the answer once its first files are there. `end` is called when the last one is taken, or nobody waits any more. */
async function begun(call: ReaderCall, end: () => void): Promise<Response> {
  const raw = rawQuery(call.request.url);
  const files = filesOf(call, raw, partsOf(call.reader, raw));
  // An answer that has begun can no longer say what was wrong.
  const first: IteratorResult<ZipFile>[] = [];
  while (first.length < firstParts) first.push(await files.next());
  const all = async function* () {
    for (const { value } of first) if (value !== undefined) yield value as ZipFile;
    yield* files;
  };
  const archive = zipped(all(), call.services.engine.nowMs());
  return downloaded(call, `${call.reader.website.hostname}.zip`, archive, end);
}

export const exportRoutes: readonly ReaderRoute[] = [
  {
    ...statisticsRoute("export.zip", "All that the website's page shows, as CSV files in one ZIP archive"),
    description:
      "Each file has the rows of another endpoint, with the same period, filters and parameters: totals, the chart with " +
      "`interval`, every list with all its columns and at most 5,000 rows, goals, with `step` the funnel, with one `path[eq]` the " +
      "pages before and after it, and for accounts all notes. A list that needs page views is left out where months have sums only. " +
      "What is asked with `Accept: text/csv` is the same text.",
    query: [
      {
        name: "step",
        description: "The steps of a funnel, as `funnel` takes them",
        schema: Type.Array(Type.String(), { maxItems: stepsMax }),
      },
    ],
    statistics: parameters,
    media: "application/zip",
    answer: fileSchema,
    handle: exported,
  },
];
