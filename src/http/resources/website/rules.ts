/** The endpoints for the rules of a website: who counts there. */
import { Type, type Static } from "@sinclair/typebox";
import type { Website } from "../../../accounts/registry/registry.ts";
import { ruleEntriesMax } from "../../../core/website/rules.ts";
import { changeRules } from "../../../engine/admin/website/rules.ts";
import { countryName } from "../../../query/names/names.ts";
import type { SessionRoute } from "../../transport/route.ts";
import { allOrMissing, named } from "../../parsing/schemas.ts";
import { websiteCall, websiteOf } from "../websites.ts";

const list = (description: string) =>
  Type.Array(Type.String(), { maxItems: ruleEntriesMax, uniqueItems: true, description });

const rules = {
  blocked_networks: list("IPv4 and IPv6 addresses and networks (192.0.2.7, 10.0.0.0/8, fd00::/8)"),
  blocked_countries: list("English names, also Unknown; a change takes codes of ISO 3166-1, too"),
  blocked_paths: list("Paths; one that ends in * blocks all that begin so. Case is ignored"),
  blocked_referrers: list("Hosts of referrers, each with its subdomains"),
  count_crawlers: Type.Boolean({ description: "Count crawlers, which are left out otherwise" }),
  count_referrer_spam: Type.Boolean({
    description: "Count known referrer spam, which is left out otherwise",
  }),
  ignored_referrers: list(
    "Hosts of referrers that are not a source, such as those of payment providers, each with its subdomains",
  ),
};
const rulesSchema = named("Rules", Type.Object(rules));
const rulesChange = named("RulesChange", Type.Object(allOrMissing(rules)));

function rulesView({ rules }: Website): Static<typeof rulesSchema> {
  return {
    blocked_networks: [...rules.networks],
    blocked_countries: rules.countries.map(countryName),
    blocked_paths: [...rules.paths],
    blocked_referrers: [...rules.referrers],
    count_crawlers: rules.countsCrawlers,
    count_referrer_spam: rules.countsSpam,
    ignored_referrers: [...rules.ignoredReferrers],
  };
}

export const rulesRoutes: readonly SessionRoute[] = [
  {
    method: "GET",
    path: "/website/:hostname/rules",
    access: "session",
    scope: "admin",
    summary: "Who counts on a website",
    answer: rulesSchema,
    errors: [400, 403, 404],
    handle: (call) => rulesView(websiteOf(call, "editor")),
  },
  {
    method: "PATCH",
    path: "/website/:hostname/rules",
    access: "session",
    scope: "admin",
    summary: "Change who counts on a website",
    description:
      "Fields that are missing stay as they are. Page views and events that a rule blocks are answered " +
      "`accepted: false`, `reason: blocked`, and so are the later hits of such a page view. Those whose referrer is " +
      "one of `ignored_referrers` count as if they came from the website itself, also where it is blocked: they have " +
      'the referrer `""`, a visit goes on with its source, and one that begins there is direct. Their utm values stay. ' +
      "What was counted stays. The rules hold for access logs that are imported, too, but for countries, which no log has.",
    body: rulesChange,
    answer: rulesSchema,
    errors: [400, 403, 404],
    handle: async (call) => rulesView(await changeRules(websiteCall(call), await call.json())),
  },
];
