import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Collector, type Fact } from "../../src/collect/fact.ts";
import type { Rejection } from "../../src/core/rejection.ts";
import { parseHit } from "../../src/collect/hit.ts";
import type { DimensionName } from "../../src/core/questions/dimension.ts";
import { dimensionIndex, noVisitValues } from "../../src/core/questions/stored-dimension.ts";
import { noRules, type Rules } from "../../src/core/website/rules.ts";
import { assert } from "../../src/lib/assert.ts";
import { decodeBatch, encodeBatch, SegmentStrings } from "../../src/record/codec.ts";
import { cpuMs } from "../support/cpu-time.ts";
import { rounds } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";
import { crawlers, visitors } from "./userAgents.ts";

const userAgent = "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0";
const headers = { userAgent, acceptLanguage: "de-AT,de;q=0.9" };
const u =
  "https://www.example.com/blog/?utm_source=news&utm_medium=mail&utm_campaign=may&utm_content=top&utm_term=web";
const load = { b: "1", u, p: true, r: "https://www.google.com/search?q=x", t: "Europe/Vienna" };
const spam = "http://semalt.com/";
const nowMs = 1_750_000_000_000;

function factOf(body: unknown, { sent = headers, judged = true, websiteId = 7 } = {}): Fact | Rejection {
  const collector = new Collector();
  const hit = parseHit(body);
  const origin = collector.originOf(hit, ["example.com"], noRules);
  const rejection =
    judged && hit.kind !== "unload"
      ? collector.rejection(hit, sent, "192.0.2.7", origin, noRules)
      : undefined;
  return rejection ?? collector.fact(hit, sent, websiteId, origin, nowMs);
}

function value(name: DimensionName, body: object, sent = headers): string | null | undefined {
  const fact = factOf({ ...load, ...body }, { sent });
  return valuesOf(fact)[dimensionIndex[name]];
}

function valuesOf(fact: Fact | Rejection): readonly (string | null)[] {
  assert(typeof fact === "object" && fact.kind === "load", "a load");
  return fact.values;
}

describe("a load", () => {
  test("becomes a record with every dimension in its place", () => {
    expect(factOf({ ...load, d: { plan: "pro" } })).toEqual({
      kind: "load",
      timeMs: nowMs,
      websiteId: 7,
      beacon: "1",
      unique: true,
      seen: false,
      values: [
        "/blog",
        "google.com/search",
        "news",
        "mail",
        "may",
        "Firefox",
        "Linux",
        "Desktop",
        "AT",
        "de-AT",
        "top",
        "web",
      ],
      properties: [["plan", "pro"]],
    });
  });

  test("with nothing to go by has empty values and unknown names", () => {
    const sent = { userAgent: "(x) y z Frobnicator (1.0) of nobody", acceptLanguage: "" };
    const fact = factOf({ b: "1", u: "http://example.com" }, { sent, judged: false });
    expect(fact).toMatchObject({
      values: ["/", "", "", "", "", "Unknown", "Unknown", "Unknown", "", "", "", ""],
    });
  });
});

describe("referrer", () => {
  test.each([
    ["https://www.google.com/search?q=x", "google.com/search"],
    ["https://www.google.com./search?q=x", "google.com/search"],
    ["https://www.google.com.../search?q=x", "google.com/search"],
    ["https://www.com../", "www.com"],
    ["https://.../search", ""],
    ["https://example.com../other", ""],
    ["https://www.com/", "www.com"],
    ["https://news.ycombinator.com/item/?id=1", "news.ycombinator.com/item"],
    ["android-app://com.google.android.gm/", "com.google.android.gm"],
    // On the website itself, whatever the scheme, port and `www.`.
    ["https://example.com/other", ""],
    ["http://www.example.com:8080/", ""],
    ["https://EXAMPLE.com", ""],
    ["https://blog.example.com/", "blog.example.com"],
    ["https://example.com.evil.example/", "example.com.evil.example"],
    ["", ""],
    ["about:blank", ""],
    ["javascript:alert(1)", ""],
    ["google.com", ""],
    ["\ud800", ""],
  ])("%p is %p", (r, referrer) => {
    expect(value("referrer", { r })).toBe(referrer);
  });

  test("is cut at 2,048 characters", () => {
    const long = value("referrer", { r: `https://x.example/${"a".repeat(5_000)}` });
    expect(long?.length).toBe(2_048 - "https://".length);
  });

  test("is judged with www. on the side of the website, too", () => {
    const hit = parseHit({ ...load, r: "https://example.com/" });
    expect(new Collector().originOf(hit, ["www.example.com"], noRules).referrer).toBe("");
  });

  test("is none, as on the website itself, if the website says that it is not a source", () => {
    const rules = { ...noRules, ignoredReferrers: ["pay.example"], referrers: ["pay.example"] };
    const originOf = (r: string) =>
      new Collector().originOf(parseHit({ ...load, r, t: null }), ["example.com"], rules);
    const none = { referrer: "", country: "", isInternal: true };
    expect(originOf("https://www.pay.example/done?order=7")).toEqual({ ...none, isIgnored: true });
    expect(originOf("https://checkout.pay.example/")).toEqual({ ...none, isIgnored: true });
    expect(originOf("https://example.com/cart")).toEqual({ ...none, isIgnored: false });
    expect(originOf("https://repay.example/")).toEqual({
      ...none,
      referrer: "repay.example",
      isInternal: false,
      isIgnored: false,
    });
  });
});

test("country and language come from the time zone and the header, or are empty", () => {
  expect(value("country", { t: "Asia/Calcutta" })).toBe("IN");
  expect(value("country", { t: "Nowhere" })).toBe("");
  expect(value("country", { t: null })).toBe("");
  expect(value("language", {}, { userAgent, acceptLanguage: "en;q=0.5,pt-BR" })).toBe("pt-BR");
  expect(value("language", {}, { userAgent, acceptLanguage: "*" })).toBe("");
});

test("browser, os and device come from the user agent", () => {
  for (const [browser, os, device, sent] of visitors) {
    const fact = factOf(load, { sent: { ...headers, userAgent: sent } });
    expect(valuesOf(fact).slice(5, 8)).toEqual([browser, os, device]);
  }
});

describe("an unload", () => {
  test("is nothing but a beacon and a time, and is never judged", () => {
    const sent = { userAgent: "curl/8.5.0", acceptLanguage: "" };
    expect(factOf({ b: "1", m: 5 }, { sent, websiteId: 0 })).toEqual({
      kind: "unload",
      timeMs: nowMs,
      websiteId: 0,
      beacon: "1",
      visibleMs: 5,
    });
    expect(factOf({ b: "1" })).toMatchObject({ visibleMs: null });
  });
});

describe("a custom event", () => {
  test("has the dimensions of its own request", () => {
    expect(factOf({ u, d: { plan: "pro" }, t: "Europe/Paris" })).toEqual({
      kind: "event",
      timeMs: nowMs,
      websiteId: 7,
      beacon: "",
      values: [
        "/blog",
        "",
        "news",
        "mail",
        "may",
        "Firefox",
        "Linux",
        "Desktop",
        "FR",
        "de-AT",
        "top",
        "web",
      ],
      properties: [["plan", "pro"]],
    });
  });

  test("without u has none", () => {
    const fact = factOf({ b: "1", d: { a: 1 } }, { websiteId: 0 });
    expect(fact).toEqual({
      numbers: [1],
      kind: "event",
      timeMs: nowMs,
      websiteId: 0,
      beacon: "1",
      values: null,
      properties: [["a", "1"]],
    });
  });
});

describe("what is not counted", () => {
  test.each(crawlers.slice(0, 10).map((sent) => [sent]))("%s", (sent) => {
    expect(factOf(load, { sent: { ...headers, userAgent: sent } })).toBe("crawler");
  });

  test("nothing as user agent, and spam as referrer", () => {
    expect(factOf(load, { sent: { ...headers, userAgent: "" } })).toBe("crawler");
    expect(factOf({ ...load, r: spam })).toBe("referrer_spam");
    expect(factOf({ u, r: spam, d: { a: 1 } })).toBe("referrer_spam");
    expect(factOf({ ...load, r: spam }, { sent: { ...headers, userAgent: "curl/8.5.0" } })).toBe("crawler");
  });

  test("only if it is judged", () => {
    const sent = { ...headers, userAgent: "curl/8.5.0" };
    expect(factOf({ b: "1", u, r: spam, d: { a: 1 } }, { sent, judged: false })).toMatchObject({
      kind: "event",
    });
    expect(factOf({ b: "1", u, d: { a: 1 } }, { sent })).toBe("crawler");
  });
});

describe("a line of an access log", () => {
  const address = "192.0.2.7";
  const line = { url: u, referrer: "https://www.google.com/", userAgent, acceptLanguage: "", address };
  const past = (fields: object, rules: Partial<Rules> = {}) =>
    new Collector().pastView({ ...line, ...fields }, "example.com", { ...noRules, ...rules });

  const client = ["Firefox", "Linux", "Desktop"];

  test("becomes a page view of unknown country", () => {
    expect(past({})).toEqual({
      values: ["/blog", "google.com", "news", "mail", "may", ...client, "", "", "top", "web"],
      isInternal: false,
      utm: "news\nmail\nmay\ntop\nweb",
    });
    expect(past({ referrer: "https://example.com/x", acceptLanguage: "de-AT,en;q=0.5" })).toMatchObject({
      values: ["/blog", "", "news", "mail", "may", ...client, "", "de-AT", "top", "web"],
      isInternal: true,
    });
  });

  test("of a log without user agents is of an unknown client, and no crawler", () => {
    expect(past({ userAgent: undefined })).toMatchObject({ isInternal: false });
  });

  test("or is refused as a hit is", () => {
    expect(past({ userAgent: "" })).toBe("crawler");
    expect(past({ referrer: spam })).toBe("referrer_spam");
    expect(past({ url: "/blog" })).toBeUndefined();
    expect(past({ url: `https://example.com/${"x".repeat(3_000)}` })).toBeUndefined();
  });

  test("counts by the rules of the website but for countries, which no log has", () => {
    expect(past({}, { networks: ["192.0.2.0/24"] })).toBe("blocked");
    expect(past({ address: "192.0.3.1" }, { networks: ["192.0.2.0/24"] })).toMatchObject({
      utm: expect.any(String),
    });
    expect(past({}, { paths: ["/blog*"] })).toBe("blocked");
    expect(past({}, { referrers: ["google.com"] })).toBe("blocked");
    expect(past({}, { countries: ["", "DE"] })).toMatchObject({ isInternal: false });
    expect(past({ userAgent: "curl/8.5.0" }, { countsCrawlers: true })).toMatchObject({ isInternal: false });
    expect(past({ referrer: spam }, { countsSpam: true })).toMatchObject({ isInternal: false });
    const ignored = past({}, { ignoredReferrers: ["google.com"], referrers: ["google.com"] });
    expect(ignored).toMatchObject({
      values: ["/blog", "", "news", ...Array(9).fill(expect.anything())],
      isInternal: true,
    });
  });
});

describe("a fact", () => {
  const text = fc.string({ unit: "binary", maxLength: 60, size: "max" });
  const bodies = fc.record({
    b: fc.string({ unit: "binary", minLength: 1, maxLength: 32, size: "max" }),
    u: fc.webUrl({ withQueryParameters: true, withFragments: true }),
    p: fc.boolean(),
    r: fc.oneof(text, fc.webUrl()),
    t: fc.oneof(text, fc.constantFrom("Europe/Kiev", "US/Pacific")),
    d: fc.dictionary(fc.string({ unit: "binary", minLength: 1, maxLength: 20, size: "max" }), text, {
      maxKeys: 5,
    }),
  });
  const sentHeaders = fc.record({
    userAgent: fc.oneof(text, fc.constantFrom(...visitors.map(([, , , sent]) => sent), ...crawlers)),
    acceptLanguage: fc.oneof(text, fc.constantFrom("de", "en-GB,en;q=0.5")),
  });

  test("follows from hit, headers and clock alone, whatever was remembered before", () => {
    const used = new Collector();
    fc.assert(
      fc.property(bodies, sentHeaders, (body, sent) => {
        const hit = parseHit(body);
        const judged = (collector: Collector) => {
          const origin = collector.originOf(hit, ["example.com"], noRules);
          return [
            hit.kind === "unload" ? undefined : collector.rejection(hit, sent, "192.0.2.7", origin, noRules),
            collector.fact(hit, sent, 7, origin, nowMs),
          ];
        };
        const again = () => judged(used);
        const fresh = judged(new Collector());
        expect(again()).toEqual(fresh);
        expect(again()).toEqual(fresh);
      }),
      { seed: seed(), numRuns: rounds(500) },
    );
  });

  test("comes out of the log as it went in, and holds no user agent", () => {
    const collector = new Collector();
    fc.assert(
      fc.property(bodies, (body) => {
        const sent = { userAgent: `${userAgent} token-4711`, acceptLanguage: "" };
        const hit = parseHit(body);
        const fact = collector.fact(hit, sent, 7, collector.originOf(hit, ["example.com"], noRules), nowMs);
        const bytes = encodeBatch([fact], new SegmentStrings());
        const later = {
          atMs: null,
          hasOthers: false,
          numbers: [],
          ...{ visit: 0, visitValues: noVisitValues },
          ...(fact.kind === "event" ? { isAdmitted: true } : { sharesBeacon: false }),
        };
        const read = fact.kind === "unload" ? { ...fact, atMs: null } : { ...later, ...fact };
        expect(decodeBatch(bytes, new SegmentStrings())).toEqual([read]);
        expect(JSON.stringify(fact)).not.toContain("token-4711");
      }),
      { seed: seed(), numRuns: rounds(200) },
    );
  });

  test("of an endless user agent comes soon, and a later one is as the first", () => {
    const sent = { userAgent: "naver(1.".repeat(2_000), acceptLanguage: "en-GB,".repeat(2_000) };
    const collector = new Collector();
    const start = cpuMs();
    const hit = parseHit(load);
    const origin = collector.originOf(hit, ["example.com"], noRules);
    const facts = [1, 2, 3].map(() => collector.fact(hit, sent, 7, origin, nowMs));
    expect(cpuMs() - start).toBeLessThan(200);
    expect(facts[1]).toEqual(facts[0] as Fact);
    expect(facts[2]).toEqual(facts[0] as Fact);
  });
});
