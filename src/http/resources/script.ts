/** Serves the tracker, with the features that the account of a website has switched on. */
import { Type } from "@sinclair/typebox";
import { parseHostname } from "../../core/addresses/hostname.ts";
import type { Registry } from "../../accounts/registry/registry.ts";
import { assert } from "../../lib/assert.ts";
import { once } from "../../lib/lazy.ts";
import { featuresName } from "../../tracker/features.ts";
import { embedded } from "../../core/embedded.ts";
import { embeddedVariants } from "../../tracker/variants.ts" with { type: "macro" };
import { rawQuery } from "../parsing/query-string.ts";
import type { Call, PublicRoute } from "../transport/route.ts";
import { StaticText } from "../answers/static-text.ts";

export const defaultScriptName = "script.js";
// After the hour a browser takes what it has once more, and asks meanwhile: no page waits for a server that is slow.
const caching = "public, max-age=3600, stale-while-revalidate=86400";
// The macro is called inside a function, so that the texts are read when somebody asks for them.
const variants = once(
  () =>
    new Map(Object.entries(embedded(embeddedVariants())).map(([name, text]) => [name, new StaticText(text)])),
);

/** Returns the features of the account that owns the website; those of the oldest account if no website is named. */
function scriptTypesFor(registry: Registry, host: string | null): readonly string[] {
  if (host === null) return registry.oldestUser?.scriptType ?? [];
  const hostname = parseHostname(host);
  const website = hostname === undefined ? undefined : registry.websiteForHit(hostname);
  return (website && registry.users.get(website.userId)?.scriptType) ?? [];
}

function script(call: Call): Promise<Response> {
  const host = new URLSearchParams(rawQuery(call.request.url)).get("h");
  const name = featuresName(scriptTypesFor(call.services.engine.registry, host));
  const variant = variants().get(name);
  assert(variant !== undefined, `the tracker has a variant "${name}"`);
  call.headers["cross-origin-resource-policy"] = "cross-origin";
  return variant.answer(call, caching);
}

export const scriptRoutes: readonly PublicRoute[] = [
  {
    method: "GET",
    path: `/${defaultScriptName}`,
    access: "public",
    summary: "The tracker, for a script element of a website",
    description:
      "Has the features of `settings.script_type` of the account that owns the website `h`, without `h` those of " +
      "the oldest account, and none for a website that does not exist. Compressed by Accept-Encoding; answers " +
      "304 to an If-None-Match that names its ETag. Also served under the name that the setting FOOTFALL_SCRIPT_NAME gives.",
    query: [{ name: "h", description: "Hostname of the website", schema: Type.String() }],
    answer: Type.String(),
    media: "text/javascript; charset=utf-8",
    errors: [],
    handle: script,
  },
];
