/**
 * The model's channels, written from the rules of docs/channels.md for what is in the model's traffic: it asks neither
 * the program's tables nor its groups of referrers.
 */
import type { ModelValue } from "./model.ts";

/** The first that fits a host. */
const hosts: readonly (readonly [RegExp, string])[] = [
  [/^mail\.google\.com$/, "email"],
  [/^googleads\./, "ads"],
  [/^(.+\.)?google\.(com|co\.uk|de)$/, "search"],
  [/^(.+\.)?(ycombinator|reddit|facebook)\.com$/, "social"],
  [/^com\.reddit\.frontpage$/, "social"],
  [/^chatgpt\.com$/, "ai"],
  [/^youtube\.com$/, "video"],
];
const named = new Map([
  ["newsletter", "email"],
  ["facebook", "social"],
  ["google", "search"],
  ["youtube", "video"],
  ["chatgpt.com", "ai"],
  ["direct", "direct"],
]);
const bySite: Readonly<Record<string, string>> = {
  search: "Search",
  social: "Social",
  ai: "AI",
  video: "Video",
  email: "Email",
  ads: "Display",
  direct: "Direct",
};

/** null: a value that is not kept apart; as an answer, that the channel depends on one. */
export function modelChannel(
  referrer: ModelValue,
  source: ModelValue,
  medium: ModelValue,
  campaign: ModelValue,
): string | null {
  if (medium === null) return null;
  const word = medium.toLowerCase().replace(/[-_ ]/g, "");
  if (word === "display") return "Display";
  if (word === "affiliate") return "Affiliate";
  if (word === "email") return "Email";
  if (word === "sms") return "SMS";
  if (word === "social") return "Social";
  if (word.startsWith("paidsocial")) return "Paid social";

  if (source === null) return null;
  let site = named.get(source.toLowerCase());
  if (site === undefined && referrer === null) return null;
  if (site === undefined && referrer !== null) {
    const host = referrer.replace(/\/.*/, "");
    site = hosts.find(([pattern]) => pattern.test(host))?.[1];
  }
  if (word === "cpc") return site === "social" ? "Paid social" : site === "video" ? "Display" : "Paid search";
  if (word.startsWith("paid")) {
    if (site === "search" || site === "ai") return "Paid search";
    return site === "social" ? "Paid social" : "Display";
  }
  if (word === "organic")
    return site !== undefined && /^(social|ai|video)$/.test(site) ? bySite[site]! : "Search";
  if (site !== undefined) return bySite[site]!;
  if (referrer === "?") return "Unknown";
  return referrer === "" && source === "" && medium === "" && campaign === "" ? "Direct" : "Referral";
}
