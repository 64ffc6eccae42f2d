/** The tracker, with the features that the account of a website has switched on. */
import { Type } from "@sinclair/typebox";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { parseHostname } from "../core/hostname.ts";
import type { Registry } from "../accounts/registry.ts";
import { assert } from "../lib/assert.ts";
import { variantName } from "../tracker/features.ts";
import { trackerVariants } from "../tracker/variants.ts" with { type: "macro" };
import type { Call, PublicRoute } from "./route.ts";

const variants = new Map(Object.entries(trackerVariants()));
const maxAgeSeconds = 3_600;

/** The preferred first. */
const codings = ["br", "gzip", "identity"] as const;
type Coding = (typeof codings)[number];

const compress: Readonly<Record<Coding, (text: string) => Uint8Array<ArrayBuffer>>> = {
  br: (text) => new Uint8Array(brotliCompressSync(text)),
  gzip: (text) => new Uint8Array(gzipSync(text, { level: 9 })),
  identity: (text) => new TextEncoder().encode(text),
};

interface Representation {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

/** Made when they are first asked for; there are at most three of each variant. */
const representations = new Map<string, Representation>();

function representation(types: readonly string[], coding: Coding): Representation {
  const name = variantName(types);
  const key = `${coding} ${name}`;
  const known = representations.get(key);
  if (known !== undefined) return known;
  const text = variants.get(name);
  assert(text !== undefined, `the tracker has a variant "${name}"`);
  const made = { body: compress[coding](text), etag: `"${Bun.hash(text).toString(36)}-${coding}"` };
  representations.set(key, made);
  return made;
}

/** Of the account that owns the website; of the oldest account when nobody asks for a website. */
function scriptTypesFor(registry: Registry, host: string | null): readonly string[] {
  if (host === null) return registry.oldestUser?.scriptType ?? [];
  const hostname = parseHostname(host);
  const website = hostname === undefined ? undefined : registry.websiteForHit(hostname);
  return (website && registry.users.get(website.userId)?.scriptType) ?? [];
}

/** The first of `codings` that an Accept-Encoding names and does not refuse with `q=0`. */
function codingFor(accepted: string): Coding {
  const named = accepted
    .toLowerCase()
    .split(",")
    .filter((part) => !/;\s*q=0(\.0*)?\s*$/.test(part))
    .map((part) => part.split(";", 1)[0]?.trim());
  return codings.find((coding) => named.includes(coding)) ?? "identity";
}

function script({ services, request, headers }: Call): Response {
  const types = scriptTypesFor(services.engine.registry, new URL(request.url).searchParams.get("h"));
  const coding = codingFor(request.headers.get("accept-encoding") ?? "");
  const { body, etag } = representation(types, coding);
  headers["cache-control"] = `public, max-age=${maxAgeSeconds}`;
  headers["cross-origin-resource-policy"] = "cross-origin";
  headers["vary"] = "accept-encoding";
  headers["etag"] = etag;
  if (knows(request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304 });
  if (coding !== "identity") headers["content-encoding"] = coding;
  return new Response(body);
}

function knows(etags: string | null, etag: string): boolean {
  return etags?.split(",").some((known) => known.trim().replace(/^W\//, "") === etag) ?? false;
}

export const scriptRoutes: readonly PublicRoute[] = [
  {
    method: "GET",
    path: "/script.js",
    access: "public",
    summary: "The tracker, for a script element of a website",
    description:
      "Has the features of `settings.script_type` of the account that owns the website `h`, without `h` those of " +
      "the oldest account, and none for a website that does not exist. Compressed by Accept-Encoding; answers " +
      "304 to an If-None-Match that names its ETag.",
    query: [{ name: "h", description: "Hostname of the website", schema: Type.String() }],
    status: 200,
    answer: Type.String(),
    media: "text/javascript; charset=utf-8",
    errors: [],
    handle: script,
  },
];
