/**
 * The CSV export of GoatCounter (format 2, as its versions 2.0 to 2.7 write it: "Export all data" with individual page
 * views). A session is a visitor: its first page view counts, and the first one of each path, as GoatCounter's own figures
 * do. Its JSON export has sums only.
 */
import { unknownLabel } from "../../../core/questions/dimension.ts";
import { noPastProperties } from "../../../record/record.ts";
import { Lru } from "../../../lib/collections/lru.ts";
import { browserOf, countryOfCode, exportedRow, isTrue, osOf } from "./exported.ts";
import { propertyNameCharactersMax } from "../../../core/hit.ts";
import { hashOf } from "../visitors.ts";
import type { ReaderContext, Reading } from "./format.ts";
import { parseTime } from "./logs/log-line.ts";
import { tableFormat, type Columns } from "./table.ts";

/** A session lasts some hours: as many are remembered as one sees in that time. */
const sessionsMax = 200_000;
/** Screens below this width, in points, are those of phones. */
const tabletWidth = 700;

/** GoatCounter's names of sources for which a host is kept here, so that they join it. */
const hostsOfNames: ReadonlyMap<string, string> = new Map([
  ["Google", "google.com"],
  ["Hacker News", "news.ycombinator.com"],
  ["Baidu", "baidu.com"],
  ["Telegram Messenger", "telegram.org"],
  ["Slack Chat", "slack.com"],
]);

export const goatCounter = tableFormat({
  name: "goatcounter",
  description: "GoatCounter's CSV export",
  example: "2Path,Title,Event,UserAgent,Browser,System,Session,Bot,Referrer,…",
  hasEvents: true,
  takesJson: false,
  required: ["2Path", "Event", "Session", "Bot", "Referrer", "FirstVisit", "Date"],
  open: (context) => {
    const sessions = new Lru<number, true>(sessionsMax);
    return (columns) => readRow(columns, sessions, context);
  },
});

function readRow(columns: Columns, sessions: Lru<number, true>, context: ReaderContext): Reading {
  const time = parseTime(columns("Date"));
  const path = columns("2Path");
  if (time === undefined || path === "") return "unreadable";
  if (!/^0?$/.test(columns("Bot"))) return "crawler";
  const isEvent = isTrue(columns("Event"));
  const session = columns("Session");
  // Without sessions every row is a visitor of its own.
  const hasSession = /[1-9a-f]/i.test(session);
  const key = hashOf(session);
  const known = hasSession && sessions.get(key) === true;
  if (hasSession && !isEvent) sessions.set(key, true);
  const os = osOf(columns("System"));
  const name = path.slice(0, propertyNameCharactersMax).toWellFormed();
  const properties = [
    { timeMs: time.timeMs, isEvent: true, properties: [[name, "true"]] as const, numbers: [] },
  ];
  const row = exportedRow(
    {
      time,
      kind: isEvent ? "event" : "view",
      target: isEvent ? "/" : path,
      isPageless: isEvent,
      ...originOf(columns("Referrer"), columns("Referrer scheme"), {
        browser: browserOf(columns("Browser")),
        os,
        device: deviceOf(os, Number(columns("Screen size").split(",")[0])),
        country: countryOfCode(columns("Location")),
      }),
      visitor: hasSession ? session : "",
      flags: { unique: !known, seen: known && !isTrue(columns("FirstVisit")) },
      properties: isEvent ? properties : noPastProperties,
    },
    context,
  );
  return row ?? "unreadable";
}

/** GoatCounter keeps one source: a referrer, a name for several of them, or the text of a campaign. */
function originOf(referrer: string, scheme: string, known: Readonly<Record<string, string>>) {
  if (scheme === "c") return { referrer: "", dimensions: { ...known, utm_source: referrer } };
  return { referrer: hostsOfNames.get(referrer) ?? referrer, dimensions: known };
}

/** GoatCounter keeps the width of the screen, and no kind of device. */
function deviceOf(os: string, width: number): string {
  if (os === "Android" || os === "iOS")
    return width > 0 && width < tabletWidth ? "Mobile" : width > 0 ? "Tablet" : "Mobile";
  return os === unknownLabel ? unknownLabel : "Desktop";
}
