/**
 * Plausible's export (of 2024 and later): a ZIP with a CSV for each kind of list, with sums by day of the website's time
 * zone. There are no page views in it, so it becomes months without rows. What is counted by sessions there, such as
 * sources and browsers, is counted by visits here.
 */
import { sourceNames } from "../../../record/month-kinds.ts";
import { pageOf } from "../../../collect/page.ts";
import { parseHostname } from "../../../core/addresses/hostname.ts";
import { bareHost } from "../../../core/addresses/referrer.ts";
import { propertyNameCharactersMax, utmCharactersMax } from "../../../core/hit.ts";
import { Refusal, shown } from "../../../core/refusal.ts";
import { noSums, sumsMax, unkeptPath, type MonthSums, type Sums } from "../../../facts/months/month-sums.ts";
import { CsvRows } from "../formats/csv.ts";
import { dashboardDownload } from "../formats/formats.ts";
import { browserOf, countryOfCode, deviceOf, osOf, referrerOf } from "../formats/exported.ts";
import { lineBytesMax } from "../lines.ts";
import { addHost, byFrequency } from "../report/foreign-hosts.ts";
import { Days, monthOf, totalsTable, type Day } from "./days.ts";
import { zipEntries, type StoredBytes, type ZipEntry } from "./zip.ts";
import { nextTurn } from "../../../lib/threads/turn.ts";

export const plausibleText =
  "Plausible's export, which has sums of days: months without page views of their own";

/** Returns the text of a column; "" if the file has no such column, or nothing in it. */
type Columns = (name: string) => string;
type Figure = (...names: readonly string[]) => number;
type AddRow = (day: Day, columns: Columns, figure: Figure) => void;

/** A figure greater than this cannot be kept. */
const figureMax = 2 ** 32 - 1;
/** The most seconds that a column may have together in a month. */
const secondsMax = Math.floor(sumsMax.totalMs / 1_000);

/** Events that both scripts count by themselves: the tracker here goes on with these. */
const ownEvents: ReadonlyMap<string, string> = new Map([
  ["Outbound Link: Click", "outbound_link"],
  ["File Download", "file_download"],
]);

/** Adds a row of each file; others in the ZIP are left alone. */
const tables: Readonly<Record<string, AddRow>> = {
  [totalsTable]: (day, _, figure) => day.add(ofSessions(figure)),
  imported_pages: (day, columns, figure) => {
    const own = {
      visitors: figure("visitors"),
      pageviews: figure("pageviews"),
      visits: figure("visits", "visitors"),
    };
    const totalMs = 1_000 * figure("total_time_on_page", "time_on_page");
    day.addValue("path", pathOf(columns("page")), { ...noSums, ...own, totalMs });
  },
  imported_entry_pages: (day, columns, figure) => {
    const own = { entries: figure("entrances"), bounced: figure("bounces") };
    day.addValue("path", pathOf(columns("entry_page")), { ...noSums, ...own });
  },
  imported_exit_pages: (day, columns, figure) =>
    day.addValue("path", pathOf(columns("exit_page")), { ...noSums, exits: figure("exits") }),
  imported_sources: (day, columns, figure) => day.addSource(sourceOf(columns), ofSessions(figure)),
  imported_locations: (day, columns, figure) =>
    day.addValue("country", countryOfCode(columns("country")), ofSessions(figure)),
  imported_devices: (day, columns, figure) =>
    day.addValue("device", deviceOf(columns("device")), ofSessions(figure)),
  imported_browsers: (day, columns, figure) =>
    day.addValue("browser", browserOf(columns("browser")), ofSessions(figure)),
  imported_operating_systems: (day, columns, figure) =>
    day.addValue("os", osOf(columns("operating_system")), ofSessions(figure)),
  imported_custom_events: (day, columns, figure) => {
    const own = columns("name");
    const name = ownEvents.get(own) ?? own.slice(0, propertyNameCharactersMax).toWellFormed();
    // Its own signs of life are among the events.
    if (name !== "engagement" && name !== "pageview" && name !== "") day.addEvents(name, figure("events"));
  },
};
/** In a folder too: PowerShell 5 writes backslashes between names. */
const fileName = /^(?:.*[\\/])?(imported_[a-z_]+?)(?:_\d{8}_\d{8})?\.csv$/;

/**
 * The website that gets the file, and the file in messages. `pipeLine`: the command that imports what is in it; undefined
 * for an upload.
 */
interface ZipNames {
  readonly hostname: string;
  readonly shownPath: string;
  readonly pipeLine?: string;
}

export interface SumsLimits {
  /** The most bytes of all files, unpacked. */
  readonly textBytesMax: number;
  /** The most values of all days together: a page, source or name counts again on another day. */
  readonly valuesMax: number;
}
const unlimited: SumsLimits = { textBytesMax: Infinity, valuesMax: Infinity };

export interface PlausibleExport {
  /** The oldest first. */
  readonly months: readonly MonthSums[];
  /** The hosts that pages are of, the most frequent one first; none if a page is of the website, or none says its host. */
  readonly foreignHosts: readonly string[];
}

/** Throws Refusal 400. */
export async function plausibleExport(
  bytes: StoredBytes,
  names: ZipNames,
  nowMs: number,
  { textBytesMax, valuesMax } = unlimited,
  onChunk: (done: number, all: number) => void = () => {},
): Promise<PlausibleExport> {
  const { shownPath, hostname } = names;
  const entries = zipEntries(bytes, shownPath);
  const files = entries.flatMap((entry) => {
    const table = fileName.exec(entry.name)?.[1] ?? "";
    return Object.hasOwn(tables, table) ? [{ entry, table }] : [];
  });
  if (!files.some(({ table }) => table === totalsTable)) throw otherZip(names, entries);
  const all = files.reduce((sum, { entry }) => sum + entry.size, 0);
  if (all > textBytesMax)
    throw new Refusal(
      400,
      `${shownPath} has ${all} bytes unpacked: expected at most ${textBytesMax}: its owner can import it on the server itself`,
    );
  const days = new Days(nowMs, valuesCounter(shownPath, valuesMax));
  const hosts = new PageHosts(hostname);
  let done = 0;
  for (const { entry, table } of files) {
    const count = (length: number) => onChunk((done += length), all);
    await addFile(days, hosts, entry, table, `${shownPath}, ${shown(entry.name)}`, count);
  }
  return { months: days.months(), foreignHosts: hosts.others };
}

/** The hosts of the rows of pages: those of a file that is of another website have none of this one. */
class PageHosts {
  private readonly counts = new Map<string, number>();
  private hasOwn = false;

  private readonly own: string;

  constructor(hostname: string) {
    this.own = bareHost(parseHostname(hostname) ?? hostname);
  }

  add(host: string): void {
    if (bareHost(host) === this.own) this.hasOwn = true;
    else if (host !== "") addHost(this.counts, host);
  }

  get others(): readonly string[] {
    return this.hasOwn ? [] : byFrequency(this.counts);
  }
}

/** Returns a function that counts its calls, and throws Refusal 400 if they are more than `valuesMax`. */
function valuesCounter(shownPath: string, valuesMax: number): () => void {
  let values = 0;
  return () => {
    if (++values > valuesMax)
      throw new Refusal(
        400,
        `${shownPath} has over ${valuesMax} pages, sources and other names, counted again on each day: the server's owner can import it by the command line`,
      );
  };
}

/** Products with a ZIP of sums too, and a file that it has and those below have not: unpacked, none of its files is of any format. */
const otherSums: readonly (readonly [product: string, file: RegExp])[] = [
  ["Footfall", /^totals\.csv$/],
  ["GoatCounter", /^(?:.*[\\/])?hit_stats\.jsonl$/],
  ["Umami", /^referrers\.csv$/],
];

function otherZip({ shownPath, pipeLine }: ZipNames, entries: readonly ZipEntry[]): Refusal {
  if (entries.some(({ name }) => /^(?:.*[\\/])?visitors\.csv$/.test(name)))
    return dashboardDownload(shownPath);
  const other = otherSums.find(([, form]) => entries.some(({ name }) => form.test(name)));
  if (other !== undefined)
    return new Refusal(
      400,
      `${shownPath} is an export of ${other[0]} with sums: docs/importing.md says what can be imported`,
    );
  if (pipeLine === undefined)
    return new Refusal(400, "the file is a ZIP, and is no export of Plausible's: unpack it first");
  // In a pipe the last row of a file without a line feed, and the header of the next, would be one line.
  const isOneFile = entries.filter(({ size }) => size > 0).length === 1;
  const what = `${shownPath} is packed with ZIP, and is no export of Plausible's: it has no imported_visitors….csv. `;
  const way = isOneFile ? `Pipe it: ${pipeLine}` : "Unpack it, and name all files to import in one command";
  return new Refusal(400, what + way);
}

async function addFile(
  days: Days,
  hosts: PageHosts,
  entry: ZipEntry,
  table: string,
  shownName: string,
  onChunk: (length: number) => void,
): Promise<void> {
  let places: ReadonlyMap<string, number> | undefined;
  for await (const { fields, line } of rowsOf(entry, shownName, onChunk)) {
    if (places === undefined) {
      places = new Map(fields.map((name, at) => [name, at]));
      if (places.has("date")) continue;
      throw new Refusal(400, `${shownName}, line 1: ${shown(fields.join(","))} has no column date`);
    }
    const known = places;
    const columns: Columns = (name) => plain(fields[known.get(name) ?? -1] ?? "");
    const date = columns("date");
    const day = days.dayOf(date, shownName, line);
    days.noteFile(table, date, shownName, line);
    const sums = days.columnSums(table, date);
    const figure: Figure = (...names) => {
      const [name = ""] = names;
      const text = columns(names.find((own) => known.has(own)) ?? "") || "0";
      if (!/^\d{1,10}$/.test(text) || Number(text) > figureMax)
        throw new Refusal(
          400,
          `${shownName}, line ${line}: ${shown(name)}: got ${shown(text)}, expected a whole number`,
        );
      const sum = (sums[name] ?? 0) + Number(text);
      const most = /time|duration/.test(name) ? secondsMax : figureMax;
      if (sum > most)
        throw new Refusal(
          400,
          `${shownName}, line ${line}: the sum of ${shown(name)} in ${shown(monthOf(date))} is ${sum}: expected at most ${most}`,
        );
      sums[name] = sum;
      return Number(text);
    };
    tables[table]!(day, columns, figure);
    if (table === "imported_pages") hosts.add(columns("hostname"));
  }
}

/** Yields the rows with the number of the line on which each ends, the header first. */
async function* rowsOf(entry: ZipEntry, shownName: string, onChunk: (length: number) => void) {
  const csv = new CsvRows(lineBytesMax);
  const decoder = new TextDecoder();
  let [rest, line] = ["", 0];
  const fieldsOf = (text: string) => {
    line++;
    const fields = csv.add(text.endsWith("\r") ? text.slice(0, -1) : text);
    if (fields !== "unreadable") return fields;
    throw new Refusal(
      400,
      `${shownName}, line ${line}: a quote is never closed, or there are too many cells`,
    );
  };
  for await (const chunk of entry.chunks()) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop()!;
    if (rest.length > lineBytesMax) throw new Refusal(400, `${shownName}, line ${line + 1} is too long`);
    for (const text of lines) {
      const fields = fieldsOf(text);
      if (fields !== undefined) yield { fields, line };
    }
    onChunk(chunk.length);
    // Whatever else came meanwhile is answered first.
    await nextTurn();
  }
  const fields = rest === "" ? undefined : fieldsOf(rest);
  if (fields !== undefined) yield { fields, line };
}

function plain(text: string): string {
  return text === "\\N" ? "" : text;
}

function ofSessions(figure: Figure): Sums {
  // Reports of other products may know visitors alone.
  const visits = figure("visits", "visitors");
  return {
    // Exports of before May 2024 have none for each source or browser.
    pageviews: figure("pageviews", "visits"),
    visitors: figure("visitors"),
    visits,
    entries: visits,
    bounced: figure("bounces"),
    exits: visits,
    totalMs: 1_000 * figure("visit_duration"),
  };
}

function pathOf(page: string): string {
  const path = page.startsWith("/") ? page : `/${page}`;
  return pageOf(`http://localhost${path}`)?.path ?? unkeptPath;
}

/** Returns the members of a source. A name that comes from a campaign is with the campaign already. */
function sourceOf(columns: Columns): readonly string[] {
  const [source, referrer] = [columns("source"), referrerOf(columns("referrer"))];
  const isNamed = source !== "" && source !== "Direct / None" && columns("utm_source") === "";
  return sourceNames.map((name) => {
    if (name === "referrer") return referrer === "" && isNamed ? referrerOf(source) : referrer;
    return columns(name).slice(0, utmCharactersMax).toWellFormed();
  });
}
