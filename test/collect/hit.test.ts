import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseHit, type EventHit, type Hit, type LoadHit } from "../../src/collect/hit.ts";
import { Refusal } from "../../src/core/refusal.ts";
import { cpuMs } from "../support/cpu-time.ts";
import { rounds } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";

const u = "https://example.com/blog/";
const page = {
  hostname: "example.com",
  path: "/blog",
  utm: { utm_source: "", utm_medium: "", utm_campaign: "", utm_content: "", utm_term: "" },
};

function refusal(body: unknown): string {
  try {
    parseHit(body);
  } catch (error) {
    if (error instanceof Refusal && error.code === 400) return error.message;
    throw error;
  }
  return "accepted";
}

describe("variants are told apart by their fields", () => {
  test.each([
    [{ b: "1", u }, "load"],
    [{ b: "1", u, p: true }, "load"],
    [{ b: "1", u, q: false }, "load"],
    [{ b: "1", u, p: true, d: { a: 1 } }, "load"],
    [{ b: "1", u, q: true, d: { a: 1 } }, "load"],
    [{ b: "1", u, d: {} }, "load"],
    [{ b: "1", u, q: true, d: { a: null } }, "load"],
    [{ b: "1", u, p: true, m: 5 }, "load"],
    [{ b: "1", u, d: { a: 1 } }, "event"],
    [{ b: "1", d: { a: 1 } }, "event"],
    [{ u, d: { a: 1 } }, "event"],
    [{ b: "1", m: 5, d: { a: 1 } }, "event"],
    [{ b: "1", u, p: null, q: null, d: { a: 1 } }, "event"],
    [{ b: "1" }, "unload"],
    [{ b: "1", m: 0 }, "unload"],
    [{ b: "1", u, m: 5 }, "unload"],
    [{ b: "1", u: null, d: null, m: null }, "unload"],
    [{ b: "1", r: "https://x.example/", t: "UTC" }, "unload"],
  ] as const)("%j is %p", (body, kind) => {
    expect(parseHit(body).kind).toBe(kind);
  });
});

describe("a load", () => {
  test("has everything that was sent", () => {
    const body = { b: "1", u, p: true, q: false, r: "https://x.example/", t: "Europe/Berlin", d: { a: 1 } };
    expect(parseHit(body)).toEqual({
      kind: "load",
      beacon: "1",
      hostname: "example.com",
      page,
      unique: true,
      isUniqueKnown: true,
      seen: false,
      referrer: "https://x.example/",
      timeZone: "Europe/Berlin",
      properties: [["a", "1"]],
      numbers: [1],
      sharesBeacon: false,
    });
  });

  test.each([
    [{}, false, true],
    [{ p: true }, true, false],
    [{ p: false }, false, true],
    [{ q: true }, false, true],
    [{ q: false }, false, false],
    [{ p: true, q: true }, true, true],
    [{ p: null, q: null }, false, true],
  ])("with %j is unique: %p, seen: %p", (fields, unique, seen) => {
    expect(parseHit({ b: "1", u, ...fields })).toMatchObject({ unique, seen });
  });

  test.each([
    [{}, false, true],
    [{ p: false }, false, true],
    [{ p: true, n: null }, true, true],
    [{ p: true, n: false }, true, true],
    [{ p: false, q: true, n: true }, false, false],
    [{ n: true }, false, false],
    [{ p: true, n: true }, false, false],
  ])("with %j is unique: %p, which is known: %p", (fields, unique, isUniqueKnown) => {
    expect(parseHit({ b: "1", u, ...fields })).toMatchObject({ kind: "load", unique, isUniqueKnown });
  });

  test("needs b and u", () => {
    expect(refusal({ u })).toBe("b: expected the beacon of the page view, got nothing");
    expect(refusal({ b: "1", p: true })).toBe("u: expected the URL of the page, got nothing");
    expect(refusal({ b: "1", d: {} })).toBe("u: expected the URL of the page, got nothing");
  });

  test("is not lost to an odd referrer or time zone", () => {
    const hit = parseHit({ b: "1", u, r: `junk ${"x".repeat(9_000)}`, t: "Nowhere/At all" }) as LoadHit;
    expect(hit.timeZone).toBe("Nowhere/At all");
    expect(hit.referrer.startsWith("junk ")).toBe(true);
  });
});

describe("an unload", () => {
  test("has the time that the page was visible, if it was sent", () => {
    expect(parseHit({ b: "1" })).toEqual({ kind: "unload", beacon: "1", hostname: "", visibleMs: null });
    expect(parseHit({ b: "1", u, m: 1_234 })).toEqual({
      kind: "unload",
      beacon: "1",
      hostname: "example.com",
      visibleMs: 1_234,
    });
  });

  test("takes whole milliseconds from 0 to a day", () => {
    expect(parseHit({ b: "1", m: 86_400_000 })).toMatchObject({ visibleMs: 86_400_000 });
    expect(Object.is((parseHit(JSON.parse('{"b":"1","m":-0}')) as { visibleMs: number }).visibleMs, 0)).toBe(
      true,
    );
    for (const m of [-1, 1.5, 86_400_001, 1e300])
      expect(refusal({ b: "1", m })).toBe(`m: expected an integer from 0 to 86400000, got ${m}`);
    expect(refusal({ b: "1", m: "5" })).toBe('m: expected a number, got "5"');
  });

  test("needs b", () => {
    expect(refusal({})).toBe("b: expected the beacon of the page view, got nothing");
    expect(refusal({ m: 5 })).toBe("b: expected the beacon of the page view, got nothing");
  });
});

describe("a custom event", () => {
  test("names its page view, or the website, or both", () => {
    expect(parseHit({ b: "1", d: { a: "x" } })).toEqual({
      kind: "event",
      beacon: "1",
      hostname: "",
      page: null,
      referrer: "",
      timeZone: "",
      eventId: "",
      properties: [["a", "x"]],
    });
    expect(parseHit({ u, d: { a: "x" } })).toMatchObject({ beacon: "", hostname: "example.com", page });
    expect(parseHit({ b: "1", u, d: { a: "x" } })).toMatchObject({ beacon: "1", hostname: "example.com" });
    expect(refusal({ d: { a: "x" } })).toBe(
      "b: expected the beacon of the page view, or else its URL in u, got nothing",
    );
  });
});

test("an event whose properties are all null is refused, and no load in its place", () => {
  const d = JSON.parse('{"a":null,"__proto__":null}') as object;
  for (const body of [{ b: "1", u }, { b: "1" }, { u }, { b: "1", u, t: "UTC" }, { b: "1", m: 5 }])
    expect(refusal({ ...body, d })).toBe("d: expected at least one property that is not null, got 0");
  expect(parseHit({ b: "1", u, d: { a: null, b: 1 } })).toMatchObject({ properties: [["b", "1"]] });
});

describe("the id of an event", () => {
  test("is a text or a number, however long; one that is empty is none, and loses no event", () => {
    const idOf = (i: unknown) => (parseHit({ u, i, d: { a: "x" } }) as { eventId: string }).eventId;
    for (const [i, eventId] of [
      ["A-17", "A-17"],
      [" A ", " A "],
      [4711, "4711"],
      [1.5, "1.5"],
      ["\ud800", "\ufffd"],
      ["x".repeat(5_000), "x".repeat(5_000)],
      ...["", null, undefined].map((none) => [none, ""] as const),
    ] as const)
      expect(idOf(i)).toBe(eventId);
    // A browser has rounded it before: the event is not lost for that.
    expect(idOf(2 ** 60)).toBe("1152921504606847000");
    for (const i of [true, {}, ["1"]])
      expect(refusal({ u, i, d: { a: "x" } })).toStartWith("i: expected a string or a number, got ");
  });

  test("makes no event of a page view or its end, and is none of theirs", () => {
    expect(parseHit({ b: "1", u, p: true, i: "7" })).toEqual(parseHit({ b: "1", u, p: true }));
    expect(parseHit({ b: "1", m: 5, i: "7" })).toEqual(parseHit({ b: "1", m: 5 }));
  });
});

describe("types and limits", () => {
  test.each([
    [undefined, "body: expected a JSON object, got nothing"],
    [null, "body: expected a JSON object, got null"],
    ["{}", 'body: expected a JSON object, got "{}"'],
    [1, "body: expected a JSON object, got 1"],
    [[], "body: expected a JSON object, got an array"],
    [{ b: 1, u }, "b: expected a string, got 1"],
    [{ b: "", u }, 'b: expected 1 to 64 characters, got ""'],
    [{ b: "1", u: 1 }, "u: expected a string, got 1"],
    [{ b: "1", u: [] }, "u: expected a string, got an array"],
    [{ b: "1", u, p: "true" }, 'p: expected a boolean, got "true"'],
    [{ b: "1", u, q: 0 }, "q: expected a boolean, got 0"],
    [{ b: "1", u, n: "yes" }, 'n: expected a boolean, got "yes"'],
    [{ b: "1", u, r: {} }, "r: expected a string, got an object"],
    [{ b: "1", u, t: 3600 }, "t: expected a string, got 3600"],
    [{ b: "1", u, m: true }, "m: expected a number, got true"],
    [{ b: "1", u, d: "x" }, 'd: expected an object, got "x"'],
    [{ b: "1", u, d: ["x"] }, "d: expected an object, got an array"],
    // A field is checked even where the variant does not read it.
    [{ b: "1", r: 1 }, "r: expected a string, got 1"],
  ])("%j: %s", (body, message) => {
    expect(refusal(body)).toBe(message);
  });

  test("b has 1 to 64 characters, whatever they are", () => {
    expect(parseHit({ b: "x".repeat(64) }).beacon).toBe("x".repeat(64));
    expect(refusal({ b: "x".repeat(65) })).toStartWith("b: expected 1 to 64 characters, got ");
    expect(parseHit({ b: "a\u0000\u202e\ud800" }).beacon).toBe("a\u0000\u202e\ufffd");
  });

  test("what is unknown is ignored, own or inherited", () => {
    expect(parseHit({ b: "1", m: 5, x: 1, constructor: 2, length: [] })).toMatchObject({ visibleMs: 5 });
    const hostile = JSON.parse('{"b":"1","__proto__":{"p":true,"u":"junk"}}');
    expect(parseHit(hostile).kind).toBe("unload");
  });
});

const jsonHit = fc.record(
  {
    b: fc.oneof(fc.string({ unit: "binary", maxLength: 70, size: "max" }), fc.jsonValue()),
    u: fc.oneof(fc.webUrl({ withFragments: true, withQueryParameters: true }), fc.jsonValue()),
    p: fc.oneof(fc.boolean(), fc.jsonValue()),
    q: fc.oneof(fc.boolean(), fc.jsonValue()),
    n: fc.oneof(fc.boolean(), fc.jsonValue()),
    r: fc.oneof(fc.webUrl(), fc.jsonValue()),
    t: fc.oneof(fc.constantFrom("Europe/Berlin", "UTC"), fc.jsonValue()),
    m: fc.oneof(fc.integer(), fc.double(), fc.jsonValue()),
    i: fc.oneof(fc.string({ unit: "binary" }), fc.integer(), fc.jsonValue()),
    d: fc.oneof(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()), fc.jsonValue()),
    e: fc.oneof(fc.constantFrom("load", "unload", "custom", "__proto__"), fc.jsonValue()),
    g: fc.oneof(fc.domain(), fc.jsonValue()),
  },
  { requiredKeys: [] },
);

describe("any JSON", () => {
  test("is a hit or a 400, and soon", () => {
    fc.assert(
      fc.property(fc.oneof(jsonHit, fc.jsonValue()), (value) => {
        const body: unknown = JSON.parse(JSON.stringify(value));
        const start = cpuMs();
        let hit: Hit | undefined;
        try {
          hit = parseHit(body);
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal);
          expect((error as Refusal).code).toBe(400);
          expect((error as Refusal).message).toMatch(/^(body|[bupqnrtmideg])(\[.*\])?: expected .+, got .+$/);
        }
        expect(cpuMs() - start).toBeLessThan(100);
        if (hit !== undefined) checkHit(hit);
      }),
      { seed: seed(), numRuns: rounds(3_000) },
    );
  });

  test("of the greatest size takes no longer than any other", () => {
    const d = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`name ${index}`, "😀".repeat(1_000)]),
    );
    const bodies = [
      { b: "1", u: `https://a.b/?${"utm_source=x&".repeat(600)}`, p: true, d },
      { b: "1", u: `https://a.b/${"../".repeat(2_000)}`, p: true },
      { b: "1", u: `https://a.b/#/${"?".repeat(8_000)}`, p: true },
      { b: "1", u: `https://${"ü".repeat(8_000)}/`, p: true },
      { b: "1", u, d: Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [index, 1])) },
    ];
    const start = cpuMs();
    for (const body of bodies) refusal(body);
    expect(cpuMs() - start).toBeLessThan(250);
  });
});

function checkHit(hit: Hit): void {
  expect(hit.beacon.length).toBeLessThanOrEqual(64);
  expect(hit.beacon.isWellFormed()).toBe(true);
  if (hit.kind === "unload") return;
  expect(hit.properties.length).toBeLessThanOrEqual(30);
  expect((hit.page?.path.length ?? 0) <= 2_048).toBe(true);
  if (hit.kind === "load") checkLoad(hit);
  else checkEvent(hit);
}

function checkLoad({ beacon, unique, isUniqueKnown }: LoadHit): void {
  expect(beacon).not.toBe("");
  expect(unique && !isUniqueKnown).toBe(false);
}

function checkEvent({ beacon, page, properties }: EventHit): void {
  expect(beacon !== "" || page !== null).toBe(true);
  expect(properties.length).toBeGreaterThan(0);
}
