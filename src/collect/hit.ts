/**
 * Parses a tracker's message once into plain values. A wrong type or a broken limit is a 400 that names the field; a
 * bad optional field loses no hit. Websites, clocks and headers are handled later, in `fact.ts`.
 */
import { beaconCharactersMax, visibleMsMax } from "../core/hit.ts";
import { badInput } from "../core/refusal.ts";
import { isJsonObject, type JsonObject } from "../lib/texts/json-object.ts";
import { fromMedama } from "./medama.ts";
import { parsePage, type Page } from "./page.ts";
import { parseProperties, type GivenProperties } from "./properties.ts";

/** The two headers that are read, "" if missing, and what they came with. */
export interface HitHeaders {
  readonly userAgent: string;
  readonly acceptLanguage: string;
  /** The request is for a picture, which the proxies of mail programs fetch; false if missing. */
  readonly isPicture?: boolean;
}

/** The sender of a hit, in memory only, until it is decided whether and how it counts. */
export interface Sender {
  /** The client's address, for the networks that a website blocks. */
  readonly address: string;
  /** The network of the client's address: /24 of IPv4, /48 of IPv6. For what a token sends, one of its account's own. */
  readonly network: string;
  /** The account whose token sent the hit; missing for what a browser sent. */
  readonly account?: number;
  /** It came through a proxy that no setting names: many visitors may have this network. */
  readonly isUnnamedProxy: boolean;
}

/** The sender of a request, as the node judged it that the request came to: of several nodes no other has a say in it. */
export interface JudgedSender extends Sender {
  /** Whether it came by a proxy of ours, which is believed. */
  readonly isPeerTrusted: boolean;
}

const sentMark = "account ";

/** Returns the network of a hit that a token of an account sends: nobody but that account can use up its budgets. */
export function sentNetwork(account: number, network: string): string {
  return `${sentMark}${account} ${network}`;
}

export function isSentNetwork(network: string): boolean {
  return network.startsWith(sentMark);
}

export interface LoadHit extends GivenProperties {
  readonly kind: "load";
  readonly beacon: string;
  readonly hostname: string;
  readonly page: Page;
  /** Whether it is the first page view of this visitor (`p`); false where the tracker does not know. */
  readonly unique: boolean;
  /** Whether the tracker knows `unique`. It does not (`n`) where its ping had no answer or none is kept. */
  readonly isUniqueKnown: boolean;
  /** Whether a visitor who is new at its hostname may be known at another one of the website (aliased.ts). */
  readonly mayBeKnown?: boolean;
  /** Whether the visitor has seen this page before (`q`). */
  readonly seen: boolean;
  /** The referrer as sent; "" if missing. */
  readonly referrer: string;
  /** The time zone as sent; "" if missing. */
  readonly timeZone: string;
  /** Whether its tracker may send several pages under one beacon. */
  readonly sharesBeacon: boolean;
}

export interface UnloadHit {
  readonly kind: "unload";
  readonly beacon: string;
  /** The hostname in `u`; "" without one. */
  readonly hostname: string;
  /** Milliseconds for which the page was visible; null if the tracker does not say. */
  readonly visibleMs: number | null;
}

/** Its properties are never empty. */
export interface EventHit extends GivenProperties {
  readonly kind: "event";
  /** The beacon of its page view; "" for an event of the website. */
  readonly beacon: string;
  /** The hostname in `u`; "" without one. */
  readonly hostname: string;
  readonly page: Page | null;
  readonly referrer: string;
  readonly timeZone: string;
  /** The id with which the event counts once, such as the number of an order; "" for none. It is never stored as it is. */
  readonly eventId: string;
}

export type Hit = LoadHit | UnloadHit | EventHit;

/** Parses the value of the JSON body, in our dialect or in Medama's. Throws Refusal 400, never anything else. */
export function parseHit(body: unknown): Hit {
  if (!isJsonObject(body)) throw badInput("body", body, "a JSON object");
  if (body.e !== undefined && body.e !== null) {
    const { kind, body: translated } = fromMedama(body);
    const hit = makers[kind](fieldsOf(translated));
    // In hash mode Medama's tracker makes one beacon for all routes.
    return hit.kind === "load" ? { ...hit, sharesBeacon: true } : hit;
  }
  const fields = fieldsOf(body);
  return makers[kindOf(fields, body)](fields);
}

/** The fields of a body, each checked by itself; undefined if missing. */
interface Fields {
  readonly b: string | undefined;
  readonly u: Page | undefined;
  readonly p: boolean | undefined;
  readonly q: boolean | undefined;
  readonly n: boolean | undefined;
  readonly r: string;
  readonly t: string;
  readonly m: number | undefined;
  readonly i: string;
  readonly d: GivenProperties | undefined;
}

function fieldsOf(body: JsonObject): Fields {
  const u = read(body, "u", "string");
  return {
    b: beaconOf(read(body, "b", "string")),
    u: u === undefined ? undefined : parsePage(u),
    p: read(body, "p", "boolean"),
    q: read(body, "q", "boolean"),
    n: read(body, "n", "boolean"),
    r: read(body, "r", "string") ?? "",
    t: read(body, "t", "string") ?? "",
    m: visibleMsOf(read(body, "m", "number")),
    i: eventIdOf(body.i),
    d: body.d === undefined || body.d === null ? undefined : parseProperties(body.d),
  };
}

interface JsonTypes {
  string: string;
  boolean: boolean;
  number: number;
}

function read<T extends keyof JsonTypes>(body: JsonObject, name: string, type: T): JsonTypes[T] | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== type) throw badInput(name, value, `a ${type}`);
  return value as JsonTypes[T];
}

function beaconOf(b: string | undefined): string | undefined {
  if (b !== undefined && (b === "" || b.length > beaconCharactersMax))
    throw badInput("b", b, `1 to ${beaconCharactersMax} characters`);
  return b?.toWellFormed();
}

function visibleMsOf(m: number | undefined): number | undefined {
  if (m === undefined) return undefined;
  if (!Number.isInteger(m) || m < 0 || m > visibleMsMax)
    throw badInput("m", m, `an integer from 0 to ${visibleMsMax}`);
  // JSON allows -0.
  return Math.abs(m);
}

/** Returns the id as a text, "" for none: an event without one is not lost. Throws Refusal 400. */
function eventIdOf(i: unknown): string {
  if (i === undefined || i === null) return "";
  if (typeof i !== "string" && typeof i !== "number") throw badInput("i", i, "a string or a number");
  return String(i).toWellFormed();
}

/**
 * Returns the kind of hit, which follows from the fields that are present. Of `d` what was sent counts, with properties that
 * are null: an event that has no others would pass for the load of its beacon, and that load for a duplicate.
 */
function kindOf({ u, p, q, m, d }: Fields, sent: JsonObject): Hit["kind"] {
  if (p !== undefined || q !== undefined) return "load";
  if (d !== undefined) return Object.keys(sent.d as object).length > 0 ? "event" : "load";
  return m !== undefined || u === undefined ? "unload" : "load";
}

const noProperties: GivenProperties = { properties: [] };

const makers: Readonly<Record<Hit["kind"], (fields: Fields) => Hit>> = {
  load: ({ b, u, p = false, q = !p, n = false, r, t, d = noProperties }) => {
    const page = required(u, "u", "the URL of the page");
    return {
      kind: "load",
      beacon: required(b, "b", "the beacon of the page view"),
      hostname: page.hostname,
      page,
      unique: p && !n,
      isUniqueKnown: !n,
      seen: q,
      referrer: r,
      timeZone: t,
      ...d,
      sharesBeacon: false,
    };
  },
  unload: ({ b, u, m = null }) => ({
    kind: "unload",
    beacon: required(b, "b", "the beacon of the page view"),
    hostname: u?.hostname ?? "",
    visibleMs: m,
  }),
  event: ({ b, u, r, t, i, d = noProperties }) => {
    if (d.properties.length === 0) throw badInput("d", 0, "at least one property that is not null");
    if (b === undefined && u === undefined)
      throw badInput("b", undefined, "the beacon of the page view, or else its URL in u");
    return {
      kind: "event",
      beacon: b ?? "",
      hostname: u?.hostname ?? "",
      page: u ?? null,
      referrer: r,
      timeZone: t,
      eventId: i,
      ...d,
    };
  },
};

function required<T>(value: T | undefined, field: string, expected: string): T {
  if (value === undefined) throw badInput(field, undefined, expected);
  return value;
}
