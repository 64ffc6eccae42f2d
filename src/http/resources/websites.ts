/** The endpoints of an account's websites: the Website as the API shows it, and the changes to the list. */
import { Type, type Static } from "@sinclair/typebox";
import { roleOf } from "../../accounts/members.ts";
import type { User, Website } from "../../accounts/registry/registry.ts";
import { dayMs } from "../../core/hit.ts";
import { hostnameCharactersMax } from "../../core/addresses/hostname.ts";
import {
  addWebsite,
  aliasesMax,
  changeWebsite,
  removeWebsite,
  websiteFor,
} from "../../engine/admin/websites.ts";
import type { WebsiteCall } from "../../engine/admin/caller.ts";
import type { Engine } from "../../engine/engine.ts";
import { roles, type Role } from "../../core/website/role.ts";
import { filesOfAccountMax, keptCharactersMax, websitesMax } from "../../core/website/room.ts";
import { assert } from "../../lib/assert.ts";
import { nextTurn } from "../../lib/threads/turn.ts";
import { visitorsIn } from "../../query/answers/summary.ts";
import { importedSums } from "../../store/state/reduced-month.ts";
import type { Site } from "../../store/state/site.ts";
import { displayHostname } from "../../core/addresses/display-hostname.ts";
import type { SessionCall, SessionRoute } from "../transport/route.ts";
import { named, orMissing, wordsSchema } from "../parsing/schemas.ts";

export const hostnameSchema = Type.String({
  minLength: 1,
  maxLength: hostnameCharactersMax,
  format: "hostname",
});

/** The form of a hostname that people write; missing of most names, which have one form. */
export const displaySchema = Type.Optional(
  Type.String({
    description:
      "The hostname as people write it, such as `bücher.example`; missing where it is the same, or could be taken for " +
      "another one",
  }),
);

export function displayOf({ hostname }: Website): { readonly display_hostname?: string } {
  const shown = displayHostname(hostname);
  return shown === hostname ? {} : { display_hostname: shown };
}

export const visitsSchema = Type.Boolean({
  description:
    "Whether visits are told apart: a number joins the page views of one visit, for 12 hours at most",
});

const aliasesSchema = Type.Array(hostnameSchema, {
  maxItems: aliasesMax,
  description:
    "Other hostnames whose hits count here, with and without `www.`; a page of one has the path `//shop.example.com/cart`",
});

const importedSumsSchema = named(
  "ImportedSums",
  Type.Object(
    {
      months: Type.Integer({ minimum: 1, description: "UTC months" }),
      pageviews: Type.Integer({ minimum: 0, description: "Page views in these" }),
      first_day: Type.String({ format: "date", description: "The first UTC day that they have" }),
      last_day: Type.String({ format: "date", description: "The last of them" }),
    },
    { description: "There if months were imported of which only sums are known" },
  ),
);

const websiteSchema = named(
  "Website",
  Type.Object({
    hostname: hostnameSchema,
    display_hostname: displaySchema,
    aliases: Type.Optional(aliasesSchema),
    visits: visitsSchema,
    role: Type.Unsafe<Role>({ ...wordsSchema(roles), description: "The role of the account there" }),
    summary: Type.Object({
      visitors: Type.Integer({ minimum: 0, description: "Unique visitors of the last 24 hours" }),
    }),
    imported_sums: Type.Optional(importedSumsSchema),
    imported: Type.Optional(
      Type.Literal(true, { description: "There if files were imported: figures need not come from hits" }),
    ),
    unavailable: Type.Optional(
      Type.Literal(true, {
        description: "There if a file of the website is damaged: its figures are unknown, and visitors is 0",
      }),
    ),
  }),
);

/** The websites whose visitors are counted in one turn: an account may have thousands. */
const listedAtOnce = 100;

/** Returns the website that the path names, for whoever has at least this role. Throws Refusal 400, 403 and 404. */
export function websiteOf(call: SessionCall, least: Role): Website {
  return websiteFor(websiteCall(call), least);
}

/** Returns the statistics of a website. */
export function siteOf(engine: Engine, { websiteId }: Website): Site {
  const site = engine.site(websiteId);
  assert(site !== undefined, `website ${websiteId} has statistics`);
  return site;
}

export function websiteCall(call: SessionCall): WebsiteCall {
  return { engine: call.services.engine, caller: call.login.caller, hostname: call.params["hostname"] ?? "" };
}

/** Returns a website among others: one that is unavailable says so, and does not refuse the others. */
function listedView(engine: Engine, website: Website, user: User): Static<typeof websiteSchema> {
  if (engine.isAvailable(website.websiteId)) return websiteView(engine, website, user);
  const { hostname, visits } = website;
  const role = roleOf(website, user.userId) ?? "viewer";
  return { hostname, visits, role, summary: { visitors: 0 }, unavailable: true };
}

/**
 * A figure stays for so many times as long as counting it took, unless it was soon counted: a large website takes a
 * hundredth of the thread, and a small one's figure has each hit at once.
 */
const timesKept = 100;
const soonMs = 5;
const counted = new WeakMap<Site, { readonly visitors: number; readonly untilMs: number }>();

/** Returns the visitors of the last 24 hours. */
function countedVisitors(engine: Engine, site: Site): number {
  const { clock } = engine;
  const begunMs = clock.monotonicMs();
  const known = counted.get(site);
  if (known !== undefined && begunMs < known.untilMs) return known.visitors;
  const nowMs = engine.nowMs();
  const visitors = visitorsIn(site, { startMs: nowMs - dayMs + 1, endMs: nowMs });
  const endMs = clock.monotonicMs();
  const tookMs = endMs - begunMs;
  if (tookMs > soonMs) counted.set(site, { visitors, untilMs: endMs + tookMs * timesKept });
  return visitors;
}

function websiteView(engine: Engine, website: Website, { userId }: User): Static<typeof websiteSchema> {
  const site = siteOf(engine, website);
  const sums = importedSums(site.reduced.values());
  return {
    hostname: website.hostname,
    ...displayOf(website),
    ...(website.aliases.length > 0 && { aliases: [...website.aliases] }),
    visits: website.visits,
    role: roleOf(website, userId) ?? "viewer",
    summary: { visitors: countedVisitors(engine, site) },
    ...(sums !== undefined && { imported_sums: sums }),
    ...((sums !== undefined || website.imports.size > 0) && { imported: true }),
  };
}

export const websitesRoutes: readonly SessionRoute[] = [
  {
    method: "GET",
    path: "/websites",
    access: "session",
    scope: "read",
    forOneWebsite: true,
    summary: "The websites of the account and those shared with it, by hostname",
    answer: Type.Array(websiteSchema),
    errors: [],
    handle: async ({ services: { engine }, login: { user, caller } }) => {
      const shown = engine.registry
        .sharedWith(user.userId)
        .filter(({ websiteId }) => (caller.onlyWebsiteId ?? websiteId) === websiteId);
      const views: Static<typeof websiteSchema>[] = [];
      for (let at = 0; at < shown.length; at += listedAtOnce) {
        // Whatever else came meanwhile is answered first.
        if (at > 0) await nextTurn();
        for (const website of shown.slice(at, at + listedAtOnce))
          // It may have been removed meanwhile.
          if (engine.registry.websites.has(website.websiteId)) views.push(listedView(engine, website, user));
      }
      return views;
    },
  },
  {
    method: "POST",
    path: "/websites",
    access: "session",
    scope: "admin",
    summary: "Add a website",
    description:
      "Its hits are those of the name with and without `www.`. If both are added, which one account may do, each counts its own. " +
      `An account adds at most ${websitesMax}, and their goals, notes, segments, links and the like have at most ` +
      `${keptCharactersMax} characters together: what is more is 400 there, and so are uploads beyond ${filesOfAccountMax} imported files.`,
    body: named("NewWebsite", Type.Object({ hostname: hostnameSchema, visits: orMissing(visitsSchema) })),
    status: 201,
    answer: websiteSchema,
    errors: [400, 403, 409],
    handle: async (call) => {
      const { engine } = call.services;
      const website = await addWebsite(engine, call.login.caller, await call.json());
      return websiteView(engine, website, call.login.user);
    },
  },
  {
    method: "GET",
    path: "/websites/:hostname",
    access: "session",
    scope: "read",
    summary: "One website",
    answer: websiteSchema,
    errors: [400, 404],
    handle: (call) => websiteView(call.services.engine, websiteOf(call, "viewer"), call.login.user),
  },
  {
    method: "PATCH",
    path: "/websites/:hostname",
    access: "session",
    scope: "admin",
    summary:
      "Rename a website or change its other hostnames as an owner, or switch its visits on or off as an editor",
    description: "Its statistics stay. `aliases` replaces the whole list.",
    body: named(
      "WebsiteChange",
      Type.Object({
        hostname: orMissing(hostnameSchema),
        visits: orMissing(visitsSchema),
        aliases: orMissing(aliasesSchema),
      }),
    ),
    answer: websiteSchema,
    errors: [400, 403, 404],
    handle: async (call) => {
      const { engine } = call.services;
      const website = await changeWebsite(websiteCall(call), await call.json());
      return listedView(engine, website, call.login.user);
    },
  },
  {
    method: "DELETE",
    path: "/websites/:hostname",
    access: "session",
    scope: "admin",
    summary: "Remove a website with all its data",
    status: 204,
    errors: [400, 403, 404],
    handle: (call) => removeWebsite(websiteCall(call)),
  },
];
