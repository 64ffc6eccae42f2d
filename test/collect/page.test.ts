import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { adNetworks } from "../../src/collect/ad-click.ts";
import { parsePage } from "../../src/collect/page.ts";
import { Refusal } from "../../src/core/refusal.ts";
import { heapBytes } from "../support/heap-bytes.ts";
import { rounds } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";

describe("hostname", () => {
  test.each([
    ["https://Example.COM:8443/", "example.com"],
    ["http://user:secret@example.com/", "example.com"],
    ["http://bücher.example/", "xn--bcher-kva.example"],
    ["http://127.0.0.1:3000/x", "127.0.0.1"],
    ["  https://www.example.com/  ", "www.example.com"],
    ["https://example.com./a", "example.com"],
    ["https://example.com.../a", "example.com"],
  ])("of %p is %p", (url, hostname) => {
    expect(parsePage(url).hostname).toBe(hostname);
  });
});

describe("path", () => {
  test.each([
    ["https://a.b", "/"],
    ["https://a.b/", "/"],
    ["https://a.b/x", "/x"],
    ["https://a.b/x/", "/x"],
    ["https://a.b/x//", "/x/"],
    ["https://a.b/X/Y", "/X/Y"],
    ["https://a.b/x/../y", "/y"],
    ["https://a.b/ü x", "/%C3%BC%20x"],
    ["https://a.b/%C3%BC", "/%C3%BC"],
    ["https://a.b/x?secret=1", "/x"],
    ["https://a.b/x/?secret=1", "/x"],
    ["https://a.b/x#section", "/x"],
    ["https://a.b/x#", "/x"],
    ["https://a.b/x#!section", "/x"],
    ["https://a.b/app/#/about", "/app/#/about"],
    ["https://a.b/app/#!/about", "/app/#!/about"],
    ["https://a.b/app#/about/", "/app#/about"],
    ["https://a.b/app?x=1#/about", "/app#/about"],
    ["https://a.b/#/reset?token=secret", "/#/reset"],
    ["https://a.b/#/reset?token=\nsecret", "/#/reset"],
    ["https://a.b/#/login#access_token=secret", "/#/login"],
    ["https://a.b/#!/docs/#part", "/#!/docs"],
    ["https://a.b/\ud800", "/%EF%BF%BD"],
    ["https://a.b/__proto__", "/__proto__"],
  ])("of %p is %p", (url, path) => {
    expect(parsePage(url).path).toBe(path);
  });
});

describe("utm", () => {
  const utm = (search: string) => {
    const { utm_source, utm_medium, utm_campaign, utm_content, utm_term } = parsePage(
      `https://a.b/${search}`,
    ).utm;
    return [utm_source, utm_medium, utm_campaign, utm_content, utm_term];
  };

  test("are the first of each name, decoded, or nothing", () => {
    expect(utm("")).toEqual(["", "", "", "", ""]);
    expect(utm("?ref=x")).toEqual(["", "", "", "", ""]);
    expect(utm("?utm_source=a&utm_medium=b&utm_campaign=c")).toEqual(["a", "b", "c", "", ""]);
    expect(utm("?utm_content=top%20button&utm_term=caf%C3%A9")).toEqual(["", "", "", "top button", "café"]);
    expect(utm("?utm_source=first&utm_source=second")).toEqual(["first", "", "", "", ""]);
    expect(utm("?utm_campaign=spring+sale%20%C3%BC")).toEqual(["", "", "spring sale ü", "", ""]);
    expect(utm("?utm%5Fsource=a")).toEqual(["a", "", "", "", ""]);
    expect(utm("?utm_source=")).toEqual(["", "", "", "", ""]);
    expect(utm("#?utm_source=a")).toEqual(["", "", "", "", ""]);
  });

  test.each([
    ["?gclid=Cj0KCQ", ["google", "cpc", "", "", ""]],
    ["?gad_source=1&gad_campaignid=7", ["google", "cpc", "7", "", ""]],
    ["?gad_source=1&gad_campaignid=21873645012&gbraid=0A", ["google", "cpc", "21873645012", "", ""]],
    ["?wbraid=x&gad_campaignid=ada@example.com", ["google", "cpc", "", "", ""]],
    ["?msclkid=0a&utm_campaign=spring&utm_term=shoes", ["bing", "cpc", "spring", "", "shoes"]],
    ["?gclid=x&utm_campaign=spring&gad_campaignid=7", ["google", "cpc", "spring", "", ""]],
    ["?yclid=YSS.1000012345.EAIaIQ", ["yahoo", "cpc", "", "", ""]],
    ["?yclid=YJAD.1700000000.aBcD", ["yahoo", "cpc", "", "", ""]],
    ["?yclid=1234567890123456789", ["yandex", "cpc", "", "", ""]],
    ["?yclid=1.YSS.2", ["yandex", "cpc", "", "", ""]],
  ])("of %p are those of a paid click: nothing else says a source", (search, values) => {
    expect(utm(search)).toEqual(values);
  });

  test("are those of a paid click for each identifier", () => {
    for (const { source, parameters, begins = ["1"] } of adNetworks)
      for (const name of parameters)
        for (const begin of begins) expect(utm(`?${name}=${begin}x`)).toEqual([source, "cpc", "", "", ""]);
  });

  test("are the owner's own where these say a source or a medium", () => {
    expect(utm("?gclid=x&utm_source=letter")).toEqual(["letter", "", "", "", ""]);
    expect(utm("?gclid=x&gad_campaignid=7&utm_medium=display")).toEqual(["", "display", "", "", ""]);
  });

  test("have the medium of a paid click where the owner's own name no other source and no medium", () => {
    expect(utm("?utm_source=Google&utm_campaign=brand&gclid=x")).toEqual(["Google", "cpc", "brand", "", ""]);
    expect(utm("?utm_source=bing&msclkid=x")).toEqual(["bing", "cpc", "", "", ""]);
    expect(utm("?utm_source=bing&gclid=x")).toEqual(["bing", "", "", "", ""]);
  });

  test("are none for identifiers that links without an advertisement carry too, or that are empty", () => {
    for (const search of ["?fbclid=IwAR3", "?srsltid=x", "?gclid=", "?gad_source=", "?GCLID=x", "#gclid=x"])
      expect(utm(search)).toEqual(["", "", "", "", ""]);
  });

  test("keep their first 255 characters, well-formed", () => {
    expect(utm(`?utm_source=${"x".repeat(300)}`)[0]).toBe("x".repeat(255));
    const cut = utm(`?utm_source=${"x".repeat(254)}😀`)[0] ?? "";
    expect(cut.isWellFormed()).toBe(true);
    expect(cut.length).toBe(255);
  });
});

describe("what is kept in memory", () => {
  test("is a utm value, and not the URL that it is a part of", () => {
    const before = heapBytes();
    const kept = Array.from({ length: 2_000 }, (_, at) => {
      const url = `https://a.b/?utm_source=${at}文${"x".repeat(7_800)}`;
      return parsePage(url).utm.utm_source;
    });
    expect(kept).toHaveLength(2_000);
    // The URLs would be 31 MB. After other files of tests in the same process some 9 MB were seen.
    expect(heapBytes() - before).toBeLessThan(16_000_000);
  });

  test("is a URL without query, fragment and credentials", () => {
    const url = "https://kept.example/docs";
    expect(parsePage(url)).toBe(parsePage(url));
    for (const secret of [`${url}?token=1`, `${url}#token`, "https://ada:pw@kept.example/docs"]) {
      expect(parsePage(secret)).not.toBe(parsePage(secret));
      expect(parsePage(secret)).toEqual(parsePage(url));
    }
  });
});

describe("a 400 that names u", () => {
  test.each([
    ["", 'u: expected an http or https URL, got ""'],
    ["/x", 'u: expected an http or https URL, got "/x"'],
    ["example.com", 'u: expected an http or https URL, got "example.com"'],
    ["ftp://a.b/", 'u: expected an http or https URL, got "ftp://a.b/"'],
    ["javascript:alert(1)", 'u: expected an http or https URL, got "javascript:alert(1)"'],
    ["file:///etc/passwd", 'u: expected an http or https URL, got "file:///etc/passwd"'],
    ["http://", 'u: expected an http or https URL, got "http://"'],
    ["https://./", 'u: expected a URL with a host, got "https://./"'],
    ["https://../x", 'u: expected a URL with a host, got "https://../x"'],
  ])("for %p", (url, message) => {
    expect(() => parsePage(url)).toThrow(message);
  });

  test("past 8,192 characters of URL and 2,048 of path", () => {
    const url = (length: number) => "https://a.b/?".padEnd(length, "x");
    expect(parsePage(url(8_192)).path).toBe("/");
    expect(() => parsePage(url(8_193))).toThrow("u: expected a URL of at most 8192 characters");
    expect(parsePage(`https://a.b/${"x".repeat(2_047)}`).path.length).toBe(2_048);
    expect(parsePage(`https://a.b/${"x".repeat(2_047)}/`).path.length).toBe(2_048);
    expect(() => parsePage(`https://a.b/${"x".repeat(2_048)}`)).toThrow(/path has at most 2048 characters/);
    // The stored form counts: each of these is six characters of it.
    expect(() => parsePage(`https://a.b/${"ü".repeat(400)}`)).toThrow(Refusal);
    expect(() => parsePage(`https://a.b/#/${"x".repeat(2_048)}`)).toThrow(Refusal);
  });
});

test("what is kept is short, printable ASCII or well-formed, and has no query", () => {
  const url = fc.oneof(
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc.string({ unit: "binary", maxLength: 160, size: "max" }).map((text) => `https://a.b/${text}`),
  );
  fc.assert(
    fc.property(url, (text) => {
      const page = parsePage(text);
      expect(page.path).toMatch(/^\/[\x21-\x7e]{0,2047}$/);
      expect(page.path).not.toContain("?");
      expect(Object.values(page.utm).join("").isWellFormed()).toBe(true);
    }),
    { seed: seed(), numRuns: rounds(500) },
  );
});
