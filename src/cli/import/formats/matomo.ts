/**
 * Matomo's visits, as its API answers `Live.getLastVisitsDetails` in JSON, once jq made a row of each action: the fields of
 * the action, and beside them those of its visit. A visit there is one here, and who it is, is told by `visitorId`.
 */
import { parseUrl } from "../../../core/addresses/url.ts";
import { dayMs } from "../../../core/hit.ts";
import { Lru } from "../../../lib/collections/lru.ts";
import { noPastProperties, type PastProperties } from "../../../record/record.ts";
import { hashOf } from "../visitors.ts";
import { eventOf, ofPageView, pairOf, propertyName } from "./event-values.ts";
import { browserOf, countryOfCode, deviceOf, exportedRow, languageOfTag, osOf } from "./exported.ts";
import type { Format, ReaderContext, Reading } from "./format.ts";
import { parseUnixTime } from "./logs/log-line.ts";
import { tableFormat, type Columns } from "./table.ts";

/** The most visits that are known at once, of which each lasts half a day at most. */
const visitsMax = 200_000;

export const matomo: Format = tableFormat({
  name: "matomo",
  description: "Matomo's visits with a row for each action",
  example: '{"timestamp":1777636800,"offset":7200,"type":"action","url":"https://…","idVisit":12,…}',
  // The timestamps of actions are by the clock of the website's time zone there, that of the visit's first action is not.
  madeBy:
    'jq -c \'if type == "array" then .[] else .message | halt_error end | select(.actionDetails | length > 0) | ' +
    "(([.actionDetails[].timestamp] | min) - .firstActionTimestamp) as $shift | ($shift / 900 | round * 900) as $offset | " +
    "(.actionDetails[] | {timestamp: (.timestamp - $offset), offset: $offset} + del(.timestamp)) + del(.actionDetails)' " +
    "visits.json > actions.jsonl && LC_ALL=C sort -s -t, -k1,1 actions.jsonl > matomo.jsonl",
  hasEvents: true,
  hasEventValues: true,
  takesJson: true,
  required: ["timestamp", "offset", "type", "idVisit"],
  open: (context) => {
    /** The host of the last page of each visit. */
    const hosts = new Lru<number, string>(visitsMax);
    return (columns) => readRow(columns, hosts, context);
  },
});

function readRow(columns: Columns, hosts: Lru<number, string>, context: ReaderContext): Reading {
  const time = parseUnixTime(Number(columns("timestamp") || NaN));
  const offsetMs = Number(columns("offset") || NaN) * 1_000;
  const visit = columns("idVisit");
  if (time === undefined || !(Math.abs(offsetMs) <= dayMs) || visit === "") return "unreadable";
  const isView = columns("type") === "action";
  const properties = isView ? noPastProperties : eventsOf(columns, time.timeMs);
  // The URL of another action is not that of its page.
  const page = isView || columns("type") === "event" ? urlOf(columns("url")) : undefined;
  if (properties === undefined || (isView && page === undefined)) return "other";
  const key = hashOf(visit);
  const host = hosts.get(key);
  if (isView) hosts.set(key, page!.hostname);
  // Without the right to see them, or without cookies, there are no visitors.
  const visitor = /^[\da-f]{16}$/.test(columns("visitorId")) ? columns("visitorId") : `visit ${visit}`;
  const spentMs = Number(columns("timeSpent")) * 1_000;
  const row = exportedRow(
    {
      time: { timeMs: time.timeMs, offsetMs },
      kind: isView ? "view" : "event",
      hostname: page?.hostname ?? host ?? "",
      target: page === undefined ? "/" : page.pathname + page.search + page.hash,
      isPageless: page === undefined,
      ...originOf(columns, isView && host === undefined),
      visitor,
      visit,
      // A visit that is taken apart for a pause goes on here, and only its first page said where it came from.
      isUnderWay: host !== undefined,
      visibleMs: isView && spentMs > 0 ? spentMs : null,
      properties,
    },
    context,
  );
  return row ?? "unreadable";
}

/** Returns a URL, also one without its scheme, as older versions have it; undefined for none. */
function urlOf(text: string): URL | undefined {
  const url = parseUrl(/^[a-z][a-z+.-]*:(?!\d)/i.test(text) ? text : `https://${text}`);
  return url !== null && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** Returns where a visit came from, which only its first page says, and what its visitor has. */
function originOf(columns: Columns, isFirst: boolean) {
  const isCampaign = columns("referrerType") === "campaign";
  const campaign = {
    // Only the plug-in for campaigns has all of them, and it is part of most installations.
    utm_source: columns("campaignSource"),
    utm_medium: columns("campaignMedium"),
    utm_campaign: columns("campaignName") || (isCampaign ? columns("referrerName") : ""),
    utm_content: columns("campaignContent"),
    utm_term: columns("campaignKeyword") || (isCampaign ? columns("referrerKeyword") : ""),
  };
  const isSource = /^(?:search|website|social)$/.test(columns("referrerType"));
  return {
    referrer: isFirst ? columns("referrerUrl") || (isSource ? columns("referrerName") : "") : "",
    dimensions: {
      ...(isFirst ? campaign : {}),
      browser: browserOf(columns("browserName")),
      os: osOf(columns("operatingSystemName")),
      device: deviceOf(columns("deviceType")),
      country: columns("countryCode") === "xx" ? "" : countryOfCode(columns("countryCode")),
      language: languageOfTag(columns("languageCode")),
    },
  };
}

/** Returns the properties of an action that is no page view; undefined for one that is not taken. */
function eventsOf(columns: Columns, timeMs: number): PastProperties[] | undefined {
  const named = (name: string, value: string) => {
    return value === "" ? undefined : [{ ...ofPageView(timeMs, [pairOf(name, value, null)]), isEvent: true }];
  };
  const number = (name: string, text: string) =>
    text === "" ? [] : [pairOf(name, text, Number.isNaN(Number(text)) ? null : Number(text))];
  switch (columns("type")) {
    case "download":
      return named("file_download", withoutQuery(columns("url")));
    case "outlink":
      return named("outbound_link", withoutQuery(columns("url")));
    case "search":
      return named("search", columns("siteSearchKeyword"));
    case "ecommerceOrder":
      return [eventOf("order", timeMs, number("revenue", columns("revenue")))];
    case "event": {
      const name = propertyName(`${columns("eventCategory")}: ${columns("eventAction")}`);
      const text = columns("eventName");
      const values = text === "" ? [] : [pairOf("eventName", text, null)];
      return [eventOf(name, timeMs, [...values, ...number("eventValue", columns("eventValue"))])];
    }
    default:
      return undefined;
  }
}

/** Returns an address as the tracker sends it: without user, password, query and fragment; "" for none. */
function withoutQuery(text: string): string {
  const url = urlOf(text);
  return url === undefined ? "" : `${url.origin}${url.pathname}`;
}
