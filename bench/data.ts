/**
 * Seeded page views of one website over twelve months: Zipf-like pages and referrers, a long tail of sources,
 * in the order of their time. The same rows go into Footfall's store and, as CSV, into DuckDB.
 */
import { visitValuesOf, type VisitValues } from "../src/core/questions/stored-dimension.ts";
import { dayMs } from "../src/core/hit.ts";
import { rowFlag } from "../src/store/columns/row-flag.ts";
import { Site } from "../src/store/state/site.ts";
import { randomFrom } from "../test/support/random.ts";

export interface PageViewRow {
  readonly timeMs: number;
  /** In the order of `dimensions`. */
  readonly values: readonly string[];
  readonly unique: boolean;
  readonly seen: boolean;
  /** Milliseconds; -1 for unknown. */
  readonly durationMs: number;
  readonly evented: boolean;
  readonly properties: readonly (readonly [string, string])[];
  readonly visit: number;
  readonly visitValues: VisitValues;
}

/** The bytes of cache that questions are timed with. */
export const cacheBytesMax = 2 ** 26;
export const startMs = Date.UTC(2025, 10, 1);
export const months = 12;
export const endMs = Date.UTC(2026, 10, 1) - 1;

const browsers = ["Chrome", "Safari", "Firefox", "Edge", "Samsung Internet", "Opera", "Unknown"];
const systems = ["Windows", "Android", "iOS", "macOS", "Linux", "ChromeOS"];
const devices = ["Desktop", "Mobile", "Tablet"];
const countries = [
  "DE",
  "US",
  "FR",
  "GB",
  "IN",
  "BR",
  "JP",
  "NL",
  "ES",
  "IT",
  "PL",
  "CA",
  "AU",
  "SE",
  "CH",
  "",
];
const languages = ["en-US", "de", "fr", "en-GB", "es", "pt-BR", "ja", "nl", "it", "pl", "sv", "de-CH", ""];
const utmSources = ["newsletter", "google", "facebook", "partner", "podcast"];
const utmMediums = ["email", "cpc", "social"];
/** The most visits that are under way at once. */
const openVisits = 40;
const utmContents = ["button", "banner", "header", "footer", "image", "text"];

/** `count` page views; a draw of `skewed(n)` is the smaller the likelier. */
export function* pageViews(count: number, seed = 1): Generator<PageViewRow> {
  const random = randomFrom(seed);
  const skewed = (choices: number) => Math.floor(choices ** random()) - 1;
  const pick = (choices: readonly string[]) => choices[skewed(choices.length + 1) % choices.length] as string;
  const visits = new Visits(randomFrom(seed + 1_000_000));
  const step = (endMs - startMs) / count;
  for (let row = 0; row < count; row++) {
    const page = skewed(5_000);
    const campaign = random() < 0.1;
    const unique = random() < 0.35;
    const durationMs = random() < 0.8 ? Math.floor(Math.exp(6 + random() * 6)) : -1;
    const timeMs = Math.floor(startMs + row * step);
    const values = [
      page === 0 ? "/" : `/${page % 3 === 0 ? "blog" : "docs"}/page-${page}`,
      random() < 0.4 ? "" : `site-${skewed(2_000)}.example/links`,
      campaign ? pick(utmSources) : "",
      campaign ? pick(utmMediums) : "",
      campaign ? `campaign-${skewed(60)}` : "",
      pick(browsers),
      pick(systems),
      pick(devices),
      pick(countries),
      pick(languages),
      campaign ? pick(utmContents) : "",
      campaign && random() < 0.3 ? `term-${skewed(300)}` : "",
    ];
    yield {
      timeMs,
      values,
      unique,
      seen: !unique && random() < 0.5,
      durationMs,
      evented: random() < 0.02,
      properties: random() < 0.02 ? [["plan", `plan-${skewed(40)}`]] : [],
      ...visits.next(timeMs, values),
    };
  }
}

/** Visits of two and a half page views on average, which come within ten minutes of each other. */
class Visits {
  private last = 0;
  private open: { readonly of: Pick<PageViewRow, "visit" | "visitValues">; timeMs: number }[] = [];

  constructor(private readonly random: () => number) {}

  next(timeMs: number, values: readonly string[]) {
    const goesOn = this.random() < 0.6;
    const known = this.open[Math.floor(this.random() * this.open.length)];
    if (goesOn && known !== undefined && timeMs - known.timeMs < 600_000) {
      known.timeMs = timeMs;
      return known.of;
    }
    const of = { visit: ++this.last, visitValues: visitValuesOf(values, false) };
    this.open.push({ of, timeMs });
    if (this.open.length > openVisits) this.open.shift();
    return of;
  }
}

export function fillSite(site: Site, rows: Iterable<PageViewRow>): void {
  for (const row of rows) addPageView(site, row);
}

export function addPageView(site: Site, row: PageViewRow): void {
  const { timeMs, values, unique, seen, durationMs, evented, properties } = row;
  const flags = (unique ? rowFlag.unique : 0) | (unique || !seen ? rowFlag.first : 0);
  const visits = site.visitsWith(row.visit, timeMs);
  const ref = site.addRow(timeMs, values, flags, row);
  visits.addPageView(row.visit, timeMs, ref);
  if (durationMs >= 0) ref.chunk.addDuration(ref.row, durationMs);
  if (evented) {
    ref.chunk.markEvented(ref.row);
    visits.markEngaged(row.visit, timeMs);
  }
  site.addProperties(ref, { properties }, timeMs);
}

/** One month of 30 days that ends with the data. */
export const lastMonth = { startMs: endMs - 30 * dayMs + 1, endMs };
