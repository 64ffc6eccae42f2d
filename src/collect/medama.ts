/**
 * The dialect of Medama's tracker, recognised by the field `e`, which names the variant. It only translates a body into
 * our dialect; `hit.ts` does all checks.
 */
import { parseHostname } from "../core/addresses/hostname.ts";
import { badInput } from "../core/refusal.ts";
import type { JsonObject } from "../lib/texts/json-object.ts";

const kindByEvent = new Map([
  ["load", "load"],
  ["unload", "unload"],
  ["custom", "event"],
] as const);

type Kind = typeof kindByEvent extends Map<string, infer K> ? K : never;

/**
 * Returns the kind and the body in our dialect. Throws Refusal 400 for an unknown `e` and for a `g` that is no
 * hostname.
 */
export function fromMedama(body: JsonObject): { readonly kind: Kind; readonly body: JsonObject } {
  const kind = (kindByEvent as ReadonlyMap<unknown, Kind>).get(body.e);
  if (kind === undefined) throw badInput("e", body.e, "load, unload or custom");
  return {
    kind,
    // Their `q` is true on a first visit, ours on a repeated one.
    body: { ...body, q: typeof body.q === "boolean" ? !body.q : body.q, u: body.u ?? urlOf(body.g) },
  };
}

/**
 * Returns a URL for custom events, which carry `location.hostname` instead: they happened somewhere on that website.
 */
function urlOf(g: unknown): string | undefined {
  if (g === undefined || g === null) return undefined;
  const hostname = typeof g === "string" ? parseHostname(g) : undefined;
  if (hostname === undefined) throw badInput("g", g, "a hostname");
  return `https://${hostname}/`;
}
