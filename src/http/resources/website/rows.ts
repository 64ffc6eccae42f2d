/** The endpoint that answers with what a website has: its page views, visits and events, as a file. */
import { exportEndings, exportKinds } from "../../../core/questions/exported.ts";
import { badInput, Refusal } from "../../../core/refusal.ts";
import { exported } from "../../../engine/admin/export.ts";
import { expectLive } from "../../callers/login.ts";
import { downloaded, downloadMedia } from "../../answers/download.ts";
import { rawQuery } from "../../parsing/query-string.ts";
import type { SessionCall, SessionRoute } from "../../transport/route.ts";
import { answerTimeoutS } from "../../transport/silence.ts";
import { parseStatisticsQuery, scalars, valuesOf } from "../../parsing/statistics-query.ts";
import { fileSchema, wordsSchema } from "../../parsing/schemas.ts";
import { websiteOf } from "../websites.ts";

function download(call: SessionCall): Response {
  const { services, request } = call;
  const { websiteId, hostname } = websiteOf(call, "editor");
  const raw = rawQuery(request.url);
  const { period, filters } = parseStatisticsQuery(raw, []);
  const [filter] = filters;
  if (filter !== undefined) throw new Refusal(400, `${filter.name}: a download takes no filters`);
  const of = wordIn(raw, "of", exportKinds);
  const ending = wordIn(raw, "format", exportEndings);
  const { signal } = request;
  const allowSilence = () => services.allowSilence(request, answerTimeoutS);
  const file = exported(services.engine, { websiteId, of, ending, period }, signal, allowSilence);
  const end = services.downloads.begin(call.login.caller.userId);
  return downloaded(call, `${hostname}-${of}.${ending}`, whileAllowed(call, file), end);
}

/** Passes the parts on. The session or the token may end while somebody reads slowly. */
async function* whileAllowed(
  call: SessionCall,
  parts: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const part of parts) {
    yield part;
    expectLive(call.login);
    websiteOf(call, "editor");
  }
}

/** Returns the value of a plain parameter; the first word if it is missing. Throws Refusal 400. */
function wordIn<T extends string>(raw: string, name: string, words: readonly T[]): T {
  const values = valuesOf(raw, name);
  const [value = words[0]!] = values;
  const word = words.find((known) => known === value);
  if (word === undefined || values.length > 1) throw badInput(name, values.join(", "), words.join(", "));
  return word;
}

export const rowsRoutes: readonly SessionRoute[] = [
  {
    method: "GET",
    path: "/website/:hostname/export",
    access: "session",
    scope: "admin",
    summary: "The page views, visits and events of a website, as a file",
    description:
      "A line of `page-views` has everything that is known of a page view, with its events, or of an event without a page " +
      "view: `footfall import` takes these lines again. Visits and events are made from them. docs/data.md has the " +
      "fields. The file is made while it is read, and holds what came before it was asked for. Owners and editors may, four " +
      "files at a time.",
    query: [
      { name: "start", description: scalars.start.description, schema: scalars.start.schema },
      { name: "end", description: scalars.end.description, schema: scalars.end.schema },
      { name: "of", description: "What a line is (default: page-views)", schema: wordsSchema(exportKinds) },
      {
        name: "format",
        description: "JSON lines or CSV, packed or not (default: jsonl)",
        schema: wordsSchema(exportEndings),
      },
    ],
    media: downloadMedia,
    answer: fileSchema,
    errors: [400, 403, 404],
    handle: download,
  },
];
