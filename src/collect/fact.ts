/**
 * Turns a hit and two headers into the fact that is logged. The same hit, headers and clock give the same fact: the
 * caches here only save work. Raw user agents and addresses are dropped here, no fact has a field for them. The engine
 * and `apply` decide whether the website exists and whether the fact counts.
 */
import { dimensions, utmNames, type DimensionName, type UtmName } from "../core/questions/dimension.ts";
import type { DimensionValues } from "../core/questions/stored-dimension.ts";
import { bareHost, hostOf, normalizeReferrer } from "../core/addresses/referrer.ts";
import { isPlainUrl } from "../core/addresses/url.ts";
import type { Rejection } from "../core/rejection.ts";
import type { Rules } from "../core/website/rules.ts";
import { remembering } from "../lib/collections/lru.ts";
import type { RecordOf } from "../record/record.ts";
import { isBlocked, isIgnoredReferrer } from "./blocked.ts";
import { clientOf, type Client } from "./visitor/client.ts";
import { countryOf } from "./visitor/zones.ts";
import { isCrawler } from "./visitor/crawler.ts";
import type { EventHit, Hit, HitHeaders, LoadHit } from "./hit.ts";
import { languageOf } from "./visitor/language.ts";
import { isMailProxy } from "./visitor/mail-proxy.ts";
import { pageOf, type Page } from "./page.ts";
import { isSpam } from "./spam.ts";
import { utmOf, type Arrival } from "./visits/visit-rules.ts";

export type Fact = RecordOf<"load"> | RecordOf<"unload"> | RecordOf<"event">;
/** A fact that gets the fields that few have one by one: spreading them takes longer than all else here. */
type Unlogged<K extends Fact["kind"]> = { -readonly [Name in keyof RecordOf<K>]: RecordOf<K>[Name] };
/** Why a hit is not counted, where it says so itself. */
type OwnRejection = Extract<Rejection, "crawler" | "referrer_spam" | "blocked">;

/** Parts of a hit that tell where it comes from: they are judged, and become values of dimensions. */
export interface HitOrigin {
  /** A normalised referrer (core/addresses/referrer.ts); "" for direct traffic. */
  readonly referrer: string;
  /** ISO 3166-1 alpha-2; "" for an unknown one. */
  readonly country: string;
  /** The page before was on the website itself: it counts as direct traffic, but nobody came from elsewhere. */
  readonly isInternal: boolean;
  /** The website says that the referrer is not a source. `isInternal` is true then, too. */
  readonly isIgnored: boolean;
}

const noOrigin: HitOrigin = { referrer: "", country: "", isInternal: false, isIgnored: false };
/** A referrer that the website says is not a source. */
const ignoredReferrer: Pick<HitOrigin, "referrer" | "isInternal"> = { referrer: "", isInternal: true };

/** A line of an access log; logs contain no time zone of a visitor. */
export interface PastLine {
  /** The absolute URL of the page. */
  readonly url: string;
  /** Stands before the path where rules look at it: `//shop.example.com` for another hostname of the website. */
  readonly hostPath?: string;
  readonly referrer: string;
  /** undefined in logs that have none: crawlers cannot be told then. */
  readonly userAgent: string | undefined;
  /** "" if unknown. */
  readonly acceptLanguage: string;
  /** As the log has it. It is only compared with blocked networks. */
  readonly address: string;
}

/** The values of a page view of the past, with what a visit is told apart by. */
export interface PastView extends Pick<Arrival, "isInternal" | "utm"> {
  readonly values: DimensionValues;
}

/** The data from which the values of the dimensions are derived. */
interface Sources {
  readonly page: Page;
  readonly referrer: string;
  readonly client: Client;
  readonly country: string;
  readonly language: string;
}

type Producer = (sources: Sources) => string;
const utmProducers = Object.fromEntries(
  utmNames.map((name): [UtmName, Producer] => [name, ({ page }) => page.utm[name]]),
) as Readonly<Record<UtmName, Producer>>;
const producers: Readonly<Record<DimensionName, Producer>> = {
  path: ({ page }) => page.path,
  referrer: ({ referrer }) => referrer,
  ...utmProducers,
  browser: ({ client }) => client.browser,
  os: ({ client }) => client.os,
  device: ({ client }) => client.device,
  country: ({ country }) => country,
  language: ({ language }) => language,
};
const producersInOrder = dimensions.map(({ name }) => producers[name]);

function valuesOf(sources: Sources): DimensionValues {
  return producersInOrder.map((produce) => produce(sources));
}

/** The number of headers to cache, and of their first characters that are read. */
const userAgentsMax = 4_096;
const userAgentCharactersMax = 1_024;
const acceptLanguagesMax = 1_024;
const acceptLanguageCharactersMax = 512;

export class Collector {
  private readonly isCrawler = ofStart(isCrawler, userAgentsMax, userAgentCharactersMax);
  private readonly clientOf = ofStart(clientOf, userAgentsMax, userAgentCharactersMax);
  private readonly languageOf = ofStart(languageOf, acceptLanguagesMax, acceptLanguageCharactersMax);

  /** Returns the referrer and the country of a hit; `hostnames` are those of its website, none for a hit without `u`. */
  originOf(hit: Hit, hostnames: readonly string[], rules: Rules): HitOrigin {
    if (hit.kind === "unload") return noOrigin;
    const own = referrerOf(hit.referrer, hostnames);
    const isIgnored = isIgnoredReferrer(rules, own.referrer);
    const { referrer, isInternal } = isIgnored ? ignoredReferrer : own;
    return { referrer, country: countryOf(hit.timeZone), isInternal, isIgnored };
  }

  /**
   * Returns why a hit is not to be counted: its user agent or referrer shows that nobody looked at the page, or the
   * website blocks it. It costs little, and so comes before anything else is made of a hit.
   */
  rejection(
    hit: LoadHit | EventHit,
    { userAgent, isPicture = false }: HitHeaders,
    address: string,
    origin: HitOrigin,
    rules: Rules,
  ): OwnRejection | undefined {
    const isReader = isPicture && isMailProxy(userAgent);
    if (!isReader && !rules.countsCrawlers && this.isCrawler(userAgent)) return "crawler";
    if (!rules.countsSpam && isSpam(origin.referrer)) return "referrer_spam";
    const { country, referrer } = origin;
    return isBlocked(rules, { address, country, path: hit.page?.path, referrer }) ? "blocked" : undefined;
  }

  /** Returns the fact for a hit. `websiteId` is that of the registered website, 0 for a hit without `u`. */
  fact(hit: Hit, headers: HitHeaders, websiteId: number, origin: HitOrigin, nowMs: number): Fact {
    const { beacon } = hit;
    if (hit.kind === "unload")
      return { kind: "unload", timeMs: nowMs, websiteId, beacon, visibleMs: hit.visibleMs };

    const values = (page: Page) =>
      valuesOf({
        page,
        referrer: origin.referrer,
        country: origin.country,
        client: this.clientOf(headers.userAgent),
        language: this.languageOf(headers.acceptLanguage),
      });
    const { properties, numbers } = hit;
    if (hit.kind === "event") {
      const event: Unlogged<"event"> = {
        kind: "event",
        timeMs: nowMs,
        websiteId,
        beacon,
        values: hit.page === null ? null : values(hit.page),
        properties,
      };
      if (numbers !== undefined) event.numbers = numbers;
      return event;
    }
    const { unique, seen, sharesBeacon } = hit;
    const load: Unlogged<"load"> = {
      kind: "load",
      timeMs: nowMs,
      websiteId,
      beacon,
      unique,
      seen,
      values: values(hit.page),
      properties,
    };
    if (numbers !== undefined) load.numbers = numbers;
    if (sharesBeacon) load.sharesBeacon = sharesBeacon;
    return load;
  }

  /**
   * Does the same for a line of an access log, or returns why it does not count; undefined if its URL is none that a
   * tracker could send. A log has no country, so no line is blocked for its own.
   */
  pastView(line: PastLine, websiteHostname: string, rules: Rules): PastView | OwnRejection | undefined {
    const page = pageOf(line.url);
    if (page === undefined) return undefined;
    const { userAgent = "" } = line;
    if (line.userAgent !== undefined && !rules.countsCrawlers && this.isCrawler(userAgent)) return "crawler";
    const own = referrerOf(line.referrer, [websiteHostname]);
    const { referrer, isInternal } = isIgnoredReferrer(rules, own.referrer) ? ignoredReferrer : own;
    if (!rules.countsSpam && isSpam(referrer)) return "referrer_spam";
    const { address, hostPath = "" } = line;
    const path = hostPath + page.path;
    if (isBlocked(rules, { address, country: undefined, path, referrer })) return "blocked";
    const client = this.clientOf(userAgent);
    const language = this.languageOf(line.acceptLanguage);
    const values = valuesOf({ page, referrer, client, country: "", language });
    return { values, isInternal, utm: utmOf(page) };
  }
}

/** The number of referrers to cache, and the characters of the longest. */
const referrersMax = 4_096;
const cachedReferrerCharactersMax = 256;
const cachedReferrer = remembering(readReferrer, referrersMax, cachedReferrerCharactersMax);

function readReferrer(sent: string): string {
  return normalizeReferrer(sent) ?? "";
}

/** Returns "" for a referrer on the website itself, for one that is no page or app, and for none. */
function referrerOf(sent: string, hostnames: readonly string[]): Pick<HitOrigin, "referrer" | "isInternal"> {
  const referrer = isPlainUrl(sent) ? cachedReferrer(sent) : readReferrer(sent);
  const host = referrer === "" ? undefined : hostOf(referrer);
  const isInternal = hostnames.some((hostname) => bareHost(hostname) === host);
  return { referrer: isInternal ? "" : referrer, isInternal };
}

/** Returns a function of the first characters of a text that remembers its latest results. */
function ofStart<V extends {}>(compute: (text: string) => V, entriesMax: number, charactersMax: number) {
  return remembering((text) => compute(text.slice(0, charactersMax)), entriesMax, charactersMax);
}
