/** Takes a file of another product or server, and imports it into a website. */
import { Type } from "@sinclair/typebox";
import { badInput } from "../../../core/refusal.ts";
import { removeImported } from "../../../engine/admin/remove-imported.ts";
import { assertMayChange } from "../../../engine/admin/caller.ts";
import { parsePairs, rawQuery, refuseOthers, singleValues } from "../../parsing/query-string.ts";
import { fileReport, UploadedBytes } from "../../transport/file-import.ts";
import type { QueryParameter, SessionCall, SessionRoute } from "../../transport/route.ts";
import { named } from "../../parsing/schemas.ts";
import { expectLive } from "../../callers/login.ts";
import { websiteCall, websiteOf } from "../websites.ts";

const parameters: readonly QueryParameter[] = [
  {
    name: "dry_run",
    description: "Whether nothing is imported",
    schema: Type.Boolean({ default: true }),
  },
  {
    name: "anew",
    description:
      "Whether a file that was imported before is taken from its start again, for one that was purged since",
    schema: Type.Boolean({ default: false }),
  },
  {
    name: "from",
    description: "Begins with this day, by the file's own days; what was before counts as imported then",
    schema: Type.String({ format: "date" }),
  },
  {
    name: "until",
    description: "Stops before this day, by the file's own days",
    schema: Type.String({ format: "date" }),
  },
  {
    name: "format",
    description: "The format, such as `combined`; without it the first lines tell",
    schema: Type.String(),
  },
];

export const importRoutes: readonly SessionRoute[] = [
  {
    method: "POST",
    path: "/website/:hostname/import",
    access: "session",
    scope: "admin",
    summary: "Import an access log or the export of another product",
    description:
      "The body is the file itself, plain, gzip or zstd, of any media type and at most 1 GiB: an access log (combined, " +
      "with virtual hosts, common, Caddy or nginx JSON), GoatCounter's CSV, Umami's or Medama's page views, Google Analytics' events from BigQuery, or " +
      "the ZIP of Plausible's export (at most 16 MiB unpacked). Unless " +
      "`dry_run=false` it only says what would be taken. One file is read at a time, else 409. The same file again adds nothing.",
    query: parameters,
    bodyAsFile: true,
    answer: named(
      "ImportedFile",
      Type.Object({
        ...fileReport.properties,
        dry_run: Type.Boolean({ description: "true: nothing was imported" }),
      }),
    ),
    errors: [400, 403, 404, 409],
    handle: async (call) => {
      const { services, request } = call;
      const upload = new UploadedBytes(request, services.engine.clock, services.allowSilence);
      try {
        const { isDryRun, ...asked } = askedOf(call);
        if (!isDryRun) assertMayChange(services.engine, call.login.caller);
        const { hostname } = websiteOf(call, "owner");
        const expectAllowed = () => {
          expectLive(call.login);
          websiteOf(call, "owner");
        };
        const file = { hostname, isDryRun, expectAllowed, ...asked };
        const report = await services.fileImports.run(services.engine, call.login.user.userId, upload, file);
        return { ...report, dry_run: isDryRun };
      } finally {
        await upload.drain();
      }
    },
  },
  {
    method: "DELETE",
    path: "/website/:hostname/imported-sums",
    access: "session",
    scope: "admin",
    summary: "Remove all months that were imported as sums",
    description:
      "`imported_sums` of the website says what goes. The answer comes when no file contains it any more; backups do. The same " +
      "file can be imported again then. An account has one removal under way at a time.",
    status: 204,
    errors: [400, 403, 404, 409],
    handle: async (call) => {
      const asked = websiteCall(call);
      const end = call.services.purges.begin(asked.caller.userId);
      try {
        await removeImported(asked);
      } finally {
        end();
      }
    },
  },
];

function askedOf({ request }: SessionCall) {
  const pairs = parsePairs(rawQuery(request.url));
  const names = parameters.map(({ name }) => name);
  refuseOthers(pairs, names);
  const given = singleValues(pairs, names);
  const flag = (name: string, otherwise: "true" | "false") => {
    const value = given.get(name) ?? otherwise;
    if (value !== "true" && value !== "false") throw badInput(name, value, "true or false");
    return value === "true";
  };
  return {
    isDryRun: flag("dry_run", "true"),
    isAnew: flag("anew", "false"),
    from: given.get("from"),
    until: given.get("until"),
    format: given.get("format"),
  };
}
