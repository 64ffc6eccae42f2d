/** How a record changes the rules of a website. */
import { noRules, type Rules } from "../core/website/rules.ts";
import type { RecordOf } from "../record/record.ts";

/** Returns `noRules` itself where nothing is left, so that equal states are saved alike. */
export function changedRules(rules: Rules, record: RecordOf<"websiteRules">): Rules {
  const changed: Rules = {
    networks: record.networks ?? rules.networks,
    countries: record.countries ?? rules.countries,
    paths: record.paths ?? rules.paths,
    referrers: record.referrers ?? rules.referrers,
    countsCrawlers: record.countsCrawlers ?? rules.countsCrawlers,
    countsSpam: record.countsSpam ?? rules.countsSpam,
    ignoredReferrers: record.ignoredReferrers ?? rules.ignoredReferrers,
  };
  const hasSome = Object.values(changed).some((rule) => (typeof rule === "boolean" ? rule : rule.length > 0));
  return hasSome ? changed : noRules;
}
