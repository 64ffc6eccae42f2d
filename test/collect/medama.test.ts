import { describe, expect, test } from "bun:test";
import { parseHit } from "../../src/collect/hit.ts";

const u = "https://example.com/blog";

/** A hit of ours, whose tracker may send several pages under one beacon. */
function inMedamas(body: object) {
  return { ...parseHit(body), sharesBeacon: true };
}

describe("Medama's dialect", () => {
  test("load: q is true on a first visit there", () => {
    const load = (fields: object) => parseHit({ e: "load", b: "1", u, ...fields });
    expect(load({ p: true, q: true })).toEqual(inMedamas({ b: "1", u, p: true, q: false }));
    expect(load({ p: false, q: false })).toEqual(inMedamas({ b: "1", u, p: false, q: true }));
    expect(load({ p: true })).toEqual(inMedamas({ b: "1", u, p: true }));
    expect(load({ r: "https://x.example/", t: "UTC", d: { a: 1 } })).toMatchObject({
      kind: "load",
      referrer: "https://x.example/",
      timeZone: "UTC",
      properties: [["a", "1"]],
    });
  });

  test("the variant is what e says, not what the fields say", () => {
    expect(parseHit({ e: "load", b: "1", u, d: { a: 1 } }).kind).toBe("load");
    expect(parseHit({ e: "unload", b: "1", u, p: true }).kind).toBe("unload");
    expect(parseHit({ e: "custom", b: "1", u, p: true, d: { a: 1 } }).kind).toBe("event");
  });

  test("unload", () => {
    expect(parseHit({ e: "unload", b: "1", m: 42 })).toEqual(parseHit({ b: "1", m: 42 }));
    expect(parseHit({ e: "unload", b: "1" })).toEqual(parseHit({ b: "1" }));
  });

  test("custom: g is the hostname", () => {
    const d = { plan: "pro" };
    expect(parseHit({ e: "custom", g: "Example.com", d })).toEqual(
      parseHit({ u: "https://example.com/", d }),
    );
    expect(parseHit({ e: "custom", g: "example.com", b: "1", d })).toMatchObject({
      beacon: "1",
      hostname: "example.com",
    });
    expect(parseHit({ e: "custom", b: "1", d })).toEqual(parseHit({ b: "1", d }));
    expect(parseHit({ e: "custom", g: "a.example", u, d })).toEqual(parseHit({ u, d }));
  });

  test.each([
    [{ e: "click" }, 'e: expected load, unload or custom, got "click"'],
    [{ e: "" }, 'e: expected load, unload or custom, got ""'],
    [{ e: "__proto__" }, 'e: expected load, unload or custom, got "__proto__"'],
    [{ e: 1 }, "e: expected load, unload or custom, got 1"],
    [{ e: "load", b: "1" }, "u: expected the URL of the page, got nothing"],
    [{ e: "load", u }, "b: expected the beacon of the page view, got nothing"],
    [{ e: "load", b: "1", u, q: 1 }, "q: expected a boolean, got 1"],
    [{ e: "unload" }, "b: expected the beacon of the page view, got nothing"],
    [{ e: "custom", g: "example.com" }, "d: expected at least one property that is not null, got 0"],
    [{ e: "custom", g: "example.com", d: {} }, "d: expected at least one property that is not null, got 0"],
    [
      { e: "custom", d: { a: 1 } },
      "b: expected the beacon of the page view, or else its URL in u, got nothing",
    ],
    [{ e: "custom", g: 5, d: { a: 1 } }, "g: expected a hostname, got 5"],
    [{ e: "custom", g: "a/b", d: { a: 1 } }, 'g: expected a hostname, got "a/b"'],
  ])("%j: %s", (body, message) => {
    expect(() => parseHit(body)).toThrow(message);
  });

  test("e that is null is missing", () => {
    expect(parseHit({ e: null, b: "1", u, p: true, q: true })).toMatchObject({ seen: true });
  });
});
