import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { VisitorKeys } from "../../src/collect/visits/visitor-key.ts";
import { openVisitsMax, Visits, type VisitHit } from "../../src/collect/visits/visits.ts";
import {
  dimensionIndex,
  unknownReferrer,
  visitValuesOf,
  type VisitValues,
} from "../../src/core/questions/stored-dimension.ts";
import { dayMs } from "../../src/core/hit.ts";
import { seededRandom } from "../support/clock.ts";
import { heapBytes } from "../support/heap-bytes.ts";
import { ModelVisits } from "../support/model-visits.ts";
import { noonMs, valuesOf } from "../support/records.ts";
import { randomBySeed, seed } from "../support/seed.ts";

const minuteMs = 60_000;
const ada = {
  websiteId: 1,
  sender: { address: "192.0.2.7" },
  headers: { userAgent: "Firefox", acceptLanguage: "de" },
};

/** A load from the website itself, at noon and so many minutes. */
function load(minutes: number, more: Partial<VisitHit> = {}): VisitHit {
  const values = valuesOf(`/${minutes}`);
  const arrival = { unique: false, isUniqueKnown: true, isInternal: true, isIgnored: false, utm: "" };
  const hit = { kind: "load", beacon: `b${minutes}`, visit: 0, values } as const;
  return { ...ada, ...arrival, ...hit, timeMs: noonMs + minutes * minuteMs, ...more };
}

function newVisits(random = seededRandom(1), visitsMax?: number) {
  let last = 0;
  return new Visits({ random, nextNumber: () => ++last, ...(visitsMax && { visitsMax }) });
}

function numbersOf(...hits: readonly VisitHit[]): readonly number[] {
  const visits = newVisits();
  return hits.map((hit) => visits.visitOf(hit).visit);
}

function referrerOf(values: VisitValues) {
  return values[1];
}

test("visits with the longest names take the memory for each name once", () => {
  const visits = newVisits();
  const before = heapBytes();
  // Each hit has texts of its own, as from a request.
  const long = (letter: string) => Buffer.from(letter.repeat(2_000)).toString();
  for (let at = 0; at < 10_000; at++) {
    const values = valuesOf(`/${long("p")}`).with(dimensionIndex.referrer, long("r"));
    const sender = { address: `10.0.${at >> 8}.${at & 255}` };
    visits.visitOf(load(0, { sender, values, utm: `${long("u")}${at}`, beacon: `b${at}` }));
  }
  expect(visits.size).toBe(10_000);
  // With 6,000 characters each they would be 60 MB; other tests of the process leave some.
  expect(heapBytes() - before).toBeLessThan(20_000_000);
});

test("events under one beacon to two websites in turn wait as two, and are forgotten", () => {
  const visits = newVisits();
  const event = (at: number, websiteId: number) =>
    visits.visitOf({ ...load(0), kind: "event", beacon: "b", websiteId, timeMs: noonMs + at });
  event(0, 1);
  const before = heapBytes();
  for (let at = 0; at < 100_000; at++) event(at, 1 + (at % 2));
  // Each of them would be 48 bytes.
  expect(heapBytes() - before).toBeLessThan(1_000_000);
});

describe("a visit", () => {
  test("goes on with a pause of half an hour, and ends after that", () => {
    expect(numbersOf(load(0), load(30), load(60), load(91))).toEqual([1, 1, 1, 2]);
  });

  test("ends after twelve hours", () => {
    const hits = Array.from({ length: 38 }, (_, at) => load(at * 20));
    expect(numbersOf(...hits)).toEqual(hits.map((_, at) => (at * 20 <= 12 * 60 ? 1 : 2)));
  });

  test.each([
    ["website", { websiteId: 2 }],
    ["address", { sender: { address: "192.0.2.8" } }],
    ["user agent", { headers: { userAgent: "Chrome", acceptLanguage: "de" } }],
    ["language", { headers: { userAgent: "Firefox", acceptLanguage: "fr" } }],
  ])("is one of another visitor with another %s", (_, other) => {
    const visits = newVisits();
    expect(visits.visitOf(load(0)).visit).toBe(1);
    expect(visits.visitOf(load(1, other)).visit).toBe(2);
    expect(visits.visitOf(load(2)).visit).toBe(1);
    expect(visits.visitOf(load(3, other)).visit).toBe(2);
  });

  test("is one for all addresses of a /64", () => {
    const from = (address: string) => load(0, { sender: { address } });
    expect(numbersOf(from("2001:db8::1"), from("2001:db8:0:0:ffff::9"), from("2001:db8:0:1::1"))).toEqual([
      1, 1, 2,
    ]);
  });

  test("has the campaign of a tagged page view that a page of the website itself forwards to, open or not", () => {
    const values = valuesOf("/en").with(dimensionIndex.utm_campaign, "november");
    const of = (hit: VisitHit) => newVisits().visitOf(hit).visitValues;
    expect(of(load(0, { values, utm: "november" }))).toEqual(visitValuesOf(values, false));
    expect(of(load(0, { values }))).toEqual(visitValuesOf(values, true));
    const visits = newVisits();
    visits.visitOf(load(0, { kind: "event", beacon: "early" }));
    const joined = visits.visitOf(load(1, { beacon: "early", values, utm: "november" }));
    expect(joined).toMatchObject({ visit: 1, visitValues: visitValuesOf(values, false) });
  });

  test("begins with a tagged page view, though an event of it came before and went on with the visit that there was", () => {
    const values = valuesOf("/sale").with(dimensionIndex.utm_campaign, "november");
    const visits = newVisits();
    const of = (more: Partial<VisitHit>) => visits.visitOf(load(1, more));
    expect(visits.visitOf(load(0, {})).visit).toBe(1);
    expect(of({ kind: "event", beacon: "", values, utm: "november" }).visit).toBe(1);
    expect(of({ kind: "event", beacon: "untagged" }).visit).toBe(1);
    const tagged = { beacon: "sale", values, utm: "november" };
    expect(of({ ...tagged, kind: "event" }).visit).toBe(1);
    expect(of(tagged)).toMatchObject({ visit: 2, visitValues: visitValuesOf(values, false) });
    // One of a tab from the day before, whose page view is known no more.
    expect(of({ beacon: "old", kind: "event", values, utm: "spring" }).visit).toBe(2);
    expect(of({}).visit).toBe(2);
  });

  test("decides about a visitor whom the tracker does not know: one for a visit that comes from elsewhere", () => {
    const visits = newVisits();
    const asked = (minutes: number, more: Partial<VisitHit>) => visits.visitOf(load(minutes, more)).unique;
    const unknown = { isUniqueKnown: false };
    expect(asked(0, { ...unknown, isInternal: false })).toBeTrue();
    // The browser does not know that it was here: what it says of being new is not so, once.
    expect(asked(1, { unique: true })).toBeFalse();
    expect(asked(2, { unique: true })).toBeUndefined();
    expect(asked(3, unknown)).toBeUndefined();
    expect(asked(4, {})).toBeUndefined();
    expect(asked(5, { unique: true })).toBeFalse();
    // Who comes from the website itself was there before.
    expect(asked(60, unknown)).toBeUndefined();
    expect(asked(61, { unique: true })).toBeFalse();
    expect(asked(120, { isInternal: false })).toBeUndefined();
  });

  test("goes on where its visitor leaves a page too soon and arrives again; the next one is another", () => {
    const arrives = { unique: true, isInternal: false };
    const hasty = { isUniqueKnown: false, isInternal: false };
    expect(numbersOf(load(0, hasty), load(1, arrives), load(2), load(3, arrives))).toEqual([1, 1, 1, 2]);
    // An ad begins a visit, of nobody new.
    const visits = newVisits();
    visits.visitOf(load(0, hasty));
    const byAd = visits.visitOf(load(1, { ...arrives, utm: "ad" }));
    expect(byAd).toMatchObject({ visit: 2, unique: false });
  });

  test("begins anew with other utm values, and with a new visitor who came from elsewhere", () => {
    const ad = { utm: "ad\n\n" };
    expect(
      numbersOf(
        load(0),
        load(1, ad),
        load(2),
        load(3, ad),
        load(4, { unique: true }),
        load(5, { utm: "news\n\n" }),
      ),
    ).toEqual([1, 2, 2, 2, 2, 3]);
    const elsewhere = { unique: true, isInternal: false };
    expect(numbersOf(load(0), load(1, elsewhere), load(2), load(3, { isInternal: false }))).toEqual([
      1, 2, 2, 2,
    ]);
  });

  test("has the values of its first page view", () => {
    const visits = newVisits();
    const values = valuesOf("/landing").with(dimensionIndex.referrer, "news.example");
    const first = visits.visitOf(load(0, { values, unique: true, isInternal: false }));
    const paid = valuesOf("/paid").with(dimensionIndex.referrer, "payment.example");
    const later = visits.visitOf(load(1, { values: paid, isInternal: false }));
    expect(later.visitValues).toEqual(first.visitValues);
    expect(first.visitValues.slice(0, 2)).toEqual(["/landing", "news.example"]);
  });

  test("has an unknown source if its first page view comes from the website itself", () => {
    const visits = newVisits();
    expect(referrerOf(visits.visitOf(load(0)).visitValues)).toBe(unknownReferrer);
    // An advertisement on the website itself begins a visit whose source is known: it is that advertisement.
    expect(referrerOf(visits.visitOf(load(1, { utm: "banner\n\n" })).visitValues)).toBe("");
  });

  test("goes on if the page before is not a source, and is direct if it begins there", () => {
    const visits = newVisits();
    const values = valuesOf("/landing").with(dimensionIndex.referrer, "news.example");
    const first = visits.visitOf(load(0, { values, unique: true, isInternal: false, utm: "ad\n\n" }));
    const back = visits.visitOf(load(29, { isIgnored: true, unique: true }));
    expect(back).toMatchObject({ visit: first.visit, visitValues: first.visitValues });
    const later = visits.visitOf(load(60, { isIgnored: true }));
    expect([later.visit, referrerOf(later.visitValues)]).toEqual([2, ""]);
    const named = visits.visitOf(load(61, { isIgnored: true, utm: "mail\n\n" }));
    expect(named.visit).toBe(3);
    visits.visitOf(load(120, { kind: "event" }));
    expect(referrerOf(visits.visitOf(load(121, { isIgnored: true })).visitValues)).toBe("");
  });

  test.each([
    ["noon", noonMs],
    ["midnight", noonMs + dayMs / 2],
  ])("takes no hit of the past after a later visit of its visitor, also around %s", (_, aroundMs) => {
    const visits = newVisits();
    const numbers = [
      { minute: -5, hoursAgo: 20 },
      { minute: 5, hoursAgo: 10 },
      { minute: 6, hoursAgo: 20 },
    ].map(({ minute, hoursAgo }) => {
      const cameMs = aroundMs + minute * minuteMs;
      return visits.visitOf(load(0, { timeMs: aroundMs - hoursAgo * 60 * minuteMs, cameMs })).visit;
    });
    expect(numbers).toEqual([1, 2, 3]);
  });
});

describe("a hit of a known page view", () => {
  test("belongs to its visit, whoever sends it, and keeps it open", () => {
    const visits = newVisits();
    const { visit } = visits.visitOf(load(0));
    visits.note({ ...ada, timeMs: noonMs + 25 * minuteMs, visit });
    expect(visits.visitOf(load(50)).visit).toBe(visit);
    const elsewhere = { sender: { address: "203.0.113.1" }, visit };
    expect(visits.visitOf(load(70, elsewhere)).visit).toBe(visit);
    expect(visits.visitOf(load(71, { ...elsewhere, visit: 0 })).visit).toBe(2);
    visits.note({ ...ada, timeMs: noonMs + 180 * minuteMs, visit });
    expect(visits.visitOf(load(181)).visit).toBe(3);
  });

  test("keeps a visit open past midnight, when the key of the day before is gone", () => {
    const visits = newVisits();
    const lateMs = dayMs - (noonMs % dayMs) - 10 * minuteMs;
    const at = (minutes: number) => load(lateMs / minuteMs + minutes);
    expect(visits.visitOf(at(0)).visit).toBe(1);
    visits.note({ ...ada, timeMs: at(25).timeMs, visit: 1 });
    expect(visits.visitOf(at(50)).visit).toBe(1);
  });
});

describe("an event without a page view", () => {
  const event = (minutes: number, more: Partial<VisitHit> = {}) =>
    load(minutes, { kind: "event", isInternal: false, beacon: "x", ...more });

  test("begins a visit of unknown source, and the load with its beacon joins it and names the source", () => {
    const visits = newVisits();
    expect(referrerOf(visits.visitOf(event(0)).visitValues)).toBe(unknownReferrer);
    const values = valuesOf("/").with(dimensionIndex.referrer, "news.example");
    const joined = visits.visitOf(load(1, { beacon: "x", unique: true, isInternal: false, values }));
    expect([joined.visit, referrerOf(joined.visitValues)]).toEqual([1, "news.example"]);
    // The beacon waits as long as the event does.
    visits.visitOf(event(2, { beacon: "y" }));
    expect(visits.visitOf(load(13, { beacon: "y", unique: true, isInternal: false })).visit).toBe(2);
  });

  test("joins the visit of its visitor", () => {
    expect(numbersOf(load(0), event(10), load(39))).toEqual([1, 1, 1]);
  });
});

describe("a visit whose first hit is not logged", () => {
  test("is forgotten, and the one before goes on", () => {
    const visits = newVisits();
    const elsewhere = { unique: true, isInternal: false };
    expect(visits.visitOf(load(0)).visit).toBe(1);
    const failed = visits.visitOf(load(1, elsewhere));
    failed.undo();
    expect(failed.visit).toBe(2);
    expect(visits.visitOf(load(2)).visit).toBe(1);
    expect(visits.visitOf(load(3, elsewhere)).visit).toBe(3);
    // A hit that joined a visit takes nothing away.
    visits.visitOf(load(4)).undo();
    expect(visits.visitOf(load(5)).visit).toBe(3);
  });
});

describe("memory", () => {
  test("is bounded: the visit whose sign of life is longest ago goes first", () => {
    const visits = newVisits(seededRandom(1), 100);
    const of = (person: number) => load(0, { sender: { address: `192.0.2.${person}` } });
    for (let person = 0; person < 101; person++) {
      visits.visitOf(of(person));
      expect(visits.size).toBeLessThanOrEqual(100);
    }
    expect(visits.visitOf(of(50)).visit).toBe(51);
    for (let person = 101; person < 150; person++) visits.visitOf(of(person));
    // One more would double the table.
    expect(visits.size).toBeLessThanOrEqual(100);
    expect(visits.visitOf(of(50)).visit).toBe(51);
    expect(visits.visitOf(of(9)).visit).toBeGreaterThan(101);
    expect(openVisitsMax).toBe(65_536);
  });

  test("is bounded for tokens apart from browsers, and each account has its part", () => {
    const visits = newVisits(seededRandom(1), 100);
    const by = (person: number, account?: number) =>
      load(0, { sender: { address: `198.18.${person >> 8}.${person & 255}`, ...(account && { account }) } });
    const all = (from: number, to: number, account?: number) =>
      Array.from({ length: to - from }, (_, at) => visits.visitOf(by(from + at, account)).visit);
    const ofBrowsers = all(0, 40);
    const ofOther = all(40, 80, 8);
    all(80, 2_000, 7);
    expect(visits.size).toBeWithin(40 + 90, 40 + 101);
    expect(all(0, 40)).toEqual(ofBrowsers);
    expect(all(40, 80, 8)).toEqual(ofOther);
    // A server's hit joins the visit of a browser, which stays one, and a browser's hit makes a visit one of browsers.
    expect(all(0, 40, 7)).toEqual(ofBrowsers);
    expect(all(40, 80)).toEqual(ofOther);
    all(2_000, 4_000, 7);
    expect([...all(0, 40), ...all(40, 80)]).toEqual([...ofBrowsers, ...ofOther]);
    // An unload alone, which no budget limits, does not.
    const begun = all(5_000, 5_050, 7);
    begun.forEach((visit, at) => visits.note({ ...by(5_000 + at), visit }));
    expect([...all(0, 40), ...all(40, 80)]).toEqual([...ofBrowsers, ...ofOther]);
    all(6_000, 8_000, 7);
    expect(all(5_000, 5_050, 7)).not.toContain(begun[0]!);
  });

  test("has nothing of a visit half an hour after its last sign of life", () => {
    const visits = newVisits();
    visits.visitOf(load(0));
    visits.forget(load(30).timeMs);
    expect(visits.size).toBe(1);
    visits.forget(load(31).timeMs);
    expect(visits.size).toBe(0);
  });
});

describe("the key", () => {
  const hashesOf = (keys: VisitorKeys, timeMs: number) => keys.hashOf(ada, timeMs);

  test("is new in every process and on every day, and the old one is kept for half an hour", () => {
    const keys = new VisitorKeys(seededRandom(1));
    const midnightMs = noonMs + dayMs / 2;
    const [before, same, after] = [noonMs, midnightMs - 1, midnightMs].map((timeMs) =>
      hashesOf(keys, timeMs),
    );
    expect(same).toBe(before as bigint);
    expect(after).not.toBe(before as bigint);
    expect(keys.earlierHashOf(ada, midnightMs + 30 * minuteMs)).toBe(before as bigint);
    expect(keys.earlierHashOf(ada, midnightMs + 30 * minuteMs + 1)).toBeUndefined();
    expect(hashesOf(new VisitorKeys(seededRandom(2)), noonMs)).not.toBe(before as bigint);
    // Two days later there is no day before.
    expect(keys.earlierHashOf(ada, midnightMs + 2 * dayMs)).toBeUndefined();
  });

  test("makes an HMAC of what tells visitors apart", () => {
    const key = seededRandom(3).bytes(32);
    const hash = new VisitorKeys({ bytes: () => key }).hashOf(ada, noonMs);
    const hmac = createHmac("sha256", key).update("1\n192.0.2.7\nFirefox\nde").digest();
    expect(hash).toBe(hmac.readBigUInt64LE(0));
    const far = { ...ada, sender: { address: "2001:db8:7::9" } };
    const place = createHmac("sha256", key).update("1\n20010db800070000::/64\nFirefox\nde").digest();
    expect(new VisitorKeys({ bytes: () => key }).hashOf(far, noonMs)).toBe(place.readBigUInt64LE(0));
  });

  test("gives 64 bits that are told apart by every part of a visitor", () => {
    const keys = new VisitorKeys(seededRandom(seed()));
    const hashes = new Set<bigint>();
    for (let at = 0; at < 20_000; at++)
      hashes.add(keys.hashOf({ ...ada, sender: { address: `198.18.${at >> 8}.${at & 255}` } }, noonMs));
    expect(hashes.size).toBe(20_000);
    expect([...hashes].reduce((all, hash) => all | hash, 0n)).toBe(2n ** 64n - 1n);
  });
});

/** A page view that was logged. */
interface Page {
  readonly visit: number;
  readonly websiteId: number;
  readonly sender: { readonly address: string };
  readonly headers: typeof ada.headers;
}

test("random traffic has the visits of an array of hits, over midnights and restarts", () => {
  const random = randomBySeed();
  const chance = seededRandom(seed());
  const upTo = (bound: number) => Math.floor(random() * bound);
  let given = 0;
  let expected = 0;
  const restarted = () => new Visits({ random: chance, nextNumber: () => ++given });
  let visits = restarted();
  let joined = 0;
  const model = new ModelVisits(() => ++expected);
  let pages: Page[] = [];
  let timeMs = noonMs;
  for (let at = 0; at < 4_000; at++) {
    timeMs += random() < 0.02 ? upTo(14 * 60) * minuteMs : upTo(4 * minuteMs);
    if (random() < 0.003) {
      visits = restarted();
      model.restart();
    }
    const address = `192.0.2.${upTo(4)}`;
    const visitor = { websiteId: 1 + upTo(2), sender: { address }, headers: ada.headers };
    const page = pages.at(-1 - upTo(6));
    if (page !== undefined && random() < 0.3) {
      visits.note({ ...page, timeMs });
      model.note(page.visit, timeMs);
      continue;
    }
    const kind = random() < 0.2 ? ("event" as const) : ("load" as const);
    const known = page !== undefined && random() < 0.1 ? page : { ...visitor, visit: 0 };
    // A sender's hits are of its own page views: past midnight nobody else's sign of life lets it be found.
    const beacon = `${known.sender.address} ${random() < 0.3 ? upTo(30) : at}`;
    const referrer = random() < 0.3 ? "news.example" : "";
    const isIgnored = referrer === "" && random() < 0.2;
    const isUniqueKnown = random() < 0.8;
    const hit: VisitHit = {
      ...known,
      kind,
      timeMs,
      beacon,
      unique: isUniqueKnown && kind === "load" && random() < 0.2,
      isUniqueKnown,
      mayBeKnown: random() < 0.2,
      isInternal: isIgnored || (referrer === "" && random() < 0.7),
      isIgnored,
      utm: random() < 0.15 ? `utm ${upTo(3)}` : "",
      values: valuesOf(`/${at}`).with(dimensionIndex.referrer, referrer),
    };
    const { visit, visitValues } = visits.visitOf(hit);
    // One website's beacons are no other's.
    const told = { ...hit, beacon: hit.beacon && `${hit.websiteId} ${hit.beacon}` };
    expect({ visit, visitValues }).toEqual(model.visitOf(told, `${hit.websiteId} ${hit.sender.address}`));
    const { websiteId, sender, headers } = hit;
    pages = [...pages.slice(-20), { visit, websiteId, sender, headers }];
    if (visit < given) joined++;
  }
  expect(given).toBeGreaterThan(300);
  expect(joined).toBeGreaterThan(300);
});
