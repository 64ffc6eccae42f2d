/** The use case of a website's rules: who counts there, and who does not. */
import type { Website } from "../../../accounts/registry/registry.ts";
import { pageOf } from "../../../collect/page.ts";
import { parseHostname } from "../../../core/addresses/hostname.ts";
import { parseNetwork } from "../../../core/addresses/network.ts";
import { bareHost } from "../../../core/addresses/referrer.ts";
import { badInput } from "../../../core/refusal.ts";
import { ruleEntriesMax } from "../../../core/website/rules.ts";
import { countryCode } from "../../../query/names/country-codes.ts";
import type { WebsiteCall } from "../caller.ts";
import { fieldsOf, optionalFlag, optionalList, type Fields } from "../fields.ts";
import { expectRoom } from "./room-of-account.ts";
import { websiteFor, websiteToChange } from "../websites.ts";

/**
 * Changes the rules of a website. Takes `{blocked_networks?, blocked_countries?, blocked_paths?, blocked_referrers?,
 * count_crawlers?, count_referrer_spam?, ignored_referrers?}`; what is missing stays as it is. Throws Refusal 400, 403, 404.
 */
export async function changeRules(call: WebsiteCall, body: unknown): Promise<Website> {
  const { engine } = call;
  const { websiteId, rules } = websiteToChange(call, "editor");
  const fields = fieldsOf(body);
  const changes = {
    networks: entries(
      fields,
      "blocked_networks",
      networkOf,
      "an address or network like 192.0.2.7 or fd00::/8",
    ),
    countries: entries(fields, "blocked_countries", countryCode, "a country like Germany or DE"),
    paths: entries(fields, "blocked_paths", pathOf, "a path like /admin, or /admin/* for all that begin so"),
    referrers: entries(fields, "blocked_referrers", hostOf, "a hostname like spam.example"),
    countsCrawlers: optionalFlag(fields, "count_crawlers") ?? null,
    countsSpam: optionalFlag(fields, "count_referrer_spam") ?? null,
    ignoredReferrers: entries(fields, "ignored_referrers", hostOf, "a hostname like pay.example"),
  };
  const given = Object.fromEntries(Object.entries(changes).filter(([, change]) => change !== null));
  expectRoom(engine, websiteId, { ...rules, ...given }, rules);
  if (Object.keys(given).length > 0) await engine.commit({ kind: "websiteRules", websiteId, ...changes });
  return websiteFor(call, "editor");
}

/** Returns the entries of a list, each once; null if the field is missing. */
function entries(
  fields: Fields,
  field: string,
  parse: (text: string) => string | undefined,
  expected: string,
): readonly string[] | null {
  const list = optionalList(fields, field);
  if (list === undefined) return null;
  if (list.length > ruleEntriesMax) throw badInput(field, list.length, `at most ${ruleEntriesMax} entries`);
  const parsed = list.map((entry) => {
    const value = typeof entry === "string" ? parse(entry.trim()) : undefined;
    if (value === undefined) throw badInput(field, entry, expected);
    return value;
  });
  return [...new Set(parsed)];
}

function networkOf(text: string): string | undefined {
  return parseNetwork(text) === undefined ? undefined : text.toLowerCase();
}

/** Returns a path in the form in which it is stored; the `*` at its end stays. */
function pathOf(text: string): string | undefined {
  if (!text.startsWith("/") || text.includes("?") || text.slice(0, -1).includes("*")) return undefined;
  const path = pageOf(`http://website${text}`)?.path;
  // The first page of another hostname has its slash.
  return path !== undefined && /^\/\/[^/]+\/$/.test(text) ? `${path}/` : path;
}

function hostOf(text: string): string | undefined {
  const hostname = parseHostname(text);
  return hostname === undefined ? undefined : bareHost(hostname);
}
