import { beforeAll, describe, expect, test } from "bun:test";
import { definitions, otherDefinitions } from "../../src/core/definition.ts";
import { derivedDimensions, dimensions } from "../../src/core/questions/dimension.ts";
import { languages } from "../../src/core/languages.ts";
import { TestServer } from "../support/http.ts";

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.open();
});

function sha256(text: string | undefined): string {
  return `'sha256-${new Bun.CryptoHasher("sha256").update(text ?? "").digest("base64")}'`;
}

function secondScript(html: string): string {
  return `/dashboard/modules/${/data-modules="([^"]+)"/.exec(html)?.[1]}`;
}

describe("the dashboard", () => {
  test("is one page, at the root and for every view", async () => {
    const html = await (await server.ask("GET", "/")).text();
    expect(html).toStartWith("<!doctype html>");
    for (const path of ["/dashboard", "/dashboard/", "/dashboard/websites/example.com?x=y"]) {
      const response = await server.ask("GET", path);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(response.headers.get("x-robots-tag")).toBe("noindex");
      expect(await response.text()).toBe(html);
    }
    expect((await server.ask("GET", "/dashboards")).status).toBe(404);
    expect((await server.ask("GET", "/api/")).status).toBe(404);
  });

  test("may run its two scripts and its style, known by their hashes, and nothing else", async () => {
    const response = await server.ask("GET", "/");
    const html = await response.text();
    const scripts = [...html.matchAll(/<script[^>]*>(.*?)<\/script>/gs)].map(([, text]) => text);
    const styles = [...html.matchAll(/<style>(.*?)<\/style>/gs)].map(([, text]) => text);
    expect([scripts.length, styles.length]).toEqual([1, 1]);
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy.split("; ")).toEqual([
      "default-src 'none'",
      `script-src ${sha256(scripts[0])} ${sha256(await (await server.ask("GET", secondScript(html))).text())}`,
      `style-src ${sha256(styles[0])}`,
      "img-src data:",
      "connect-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ]);
    const markup = html.replace(/<script.*<\/script>/s, "").replace(/<style.*<\/style>/s, "");
    expect(markup).not.toMatch(/ style=| on\w+=|javascript:/);
    expect(markup).not.toMatch(/(src|href)="(?!data:)/);
  });

  test("has no declaration of style that Safari knows in another form only", async () => {
    const html = await (await server.ask("GET", "/")).text();
    const rules = [...html.matchAll(/\{([^{}]*)\}/g)].map(([, rule = ""]) => rule.split(";"));
    // Until Safari 26 the short form takes a line alone, and `user-select` is not known without its prefix.
    expect(rules.flat().filter((each) => /^text-decoration:.* /.test(each))).toEqual([]);
    const selecting = rules.filter((rule) => rule.some((each) => each.startsWith("user-select:")));
    expect(selecting.length).toBeGreaterThan(1);
    for (const rule of selecting) expect(rule.join()).toContain("-webkit-user-select:");
  });

  test("has of core's tables only what it reads itself", async () => {
    const html = await (await server.ask("GET", "/")).text();
    for (const name of ["channel", "bounce_percentage"]) expect(html).toContain(name);
    for (const { description } of [...dimensions, ...derivedDimensions])
      expect(html).not.toContain(description);
  });

  test("takes one request of at most 70 KB; the second script, the map's outlines, flags and marks take more", async () => {
    const html = await (await server.ask("GET", "/")).text();
    for (const [path, bytesMax] of [
      ["/", 70_000],
      [secondScript(html), 40_000],
      ["/dashboard/world.json", 25_000],
      ["/dashboard/marks.json", 45_000],
    ] as const) {
      const response = await server.ask("GET", path, { headers: { "accept-encoding": "gzip" } });
      expect(response.headers.get("content-encoding")).toBe("gzip");
      const { length } = await response.bytes();
      console.log(`${path}: ${length} bytes with gzip`);
      expect(length).toBeGreaterThan(5_000);
      expect(length).toBeLessThanOrEqual(bytesMax);
    }
  });

  test.each(languages.filter((code) => code !== "en"))("takes at most 70 KB in %s, too", async (code) => {
    const sizeOf = async (path: string) =>
      (await (await server.ask("GET", path, { headers: { "accept-encoding": "gzip" } })).bytes()).length;
    const [page, words, more] = [
      await sizeOf("/"),
      await sizeOf(`/dashboard/words/${code}.json`),
      await sizeOf(`/dashboard/more/${code}.json`),
    ];
    console.log(`page and words: ${page + words} bytes with gzip; then ${more} of names and other words`);
    expect(words).toBeGreaterThan(5_000);
    expect(page + words).toBeLessThanOrEqual(70_000);
    expect(more).toBeLessThanOrEqual(32_000);
  });

  test("is asked for anew, and not sent again while it is the same", async () => {
    const first = await server.ask("GET", "/");
    expect(first.headers.get("cache-control")).toBe("private, no-cache");
    const etag = first.headers.get("etag") ?? "";
    const again = await server.ask("GET", "/dashboard/settings", { headers: { "if-none-match": etag } });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe("");
  });

  test("names its second script by what is in it, so that browsers keep it for ever", async () => {
    const path = secondScript(await (await server.ask("GET", "/")).text());
    for (const method of ["GET", "HEAD"]) {
      const { status, headers } = await server.ask(method, path);
      expect([status, headers.get("content-type"), headers.get("cache-control")]).toEqual([
        200,
        "text/javascript; charset=utf-8",
        "public, max-age=31536000, immutable",
      ]);
      const again = await server.ask(method, path, {
        headers: { "if-none-match": headers.get("etag") ?? "" },
      });
      expect(again.status).toBe(304);
    }
    const other = await server.ask("GET", "/dashboard/modules/1.js");
    expect([other.status, other.headers.get("cache-control")]).toEqual([404, "no-store"]);
  });

  test("knows under which name the tracker is served", async () => {
    expect(await (await server.ask("GET", "/")).text()).toContain(' data-script="stats.js"');
  });
});

test("the outlines are paths by the names of countries", async () => {
  const response = await server.ask("GET", "/dashboard/world.json");
  expect(response.headers.get("content-type")).toBe("application/json");
  const { viewBox, countries } = (await response.json()) as {
    viewBox: string;
    countries: Record<string, string>;
  };
  expect(viewBox).toMatch(/^[\d. -]+$/);
  expect(Object.keys(countries)).toContain("Germany");
  for (const path of Object.values(countries)) expect(path).toMatch(/^M[-\d.,a-zA-Z ]+$/);
});

test("the words of a language, and the definitions in it, are files that a browser keeps", async () => {
  const read = async (path: string) => {
    const response = await server.ask("GET", path);
    expect([path, response.status, response.headers.get("cache-control")]).toEqual([
      path,
      200,
      "public, max-age=86400",
    ]);
    return (await response.json()) as Record<string, unknown>;
  };
  const first = await read("/dashboard/words/de.json?1");
  const more = await read("/dashboard/more/de.json?1");
  expect(Object.keys(first).filter((text) => text in (more["words"] as object))).toEqual([]);
  expect(first["Visitors"]).toBe("Besucher");
  expect(more).toMatchObject({
    words: { "Filter added": "Filter hinzugefügt" },
    country: { Germany: "Deutschland" },
    language: { English: "Englisch" },
  });
  const words = { ...first, ...(more["words"] as object) };
  const texts = [...Object.values(definitions), ...Object.values(otherDefinitions).map(({ text }) => text)];
  expect(texts.filter((text) => text in words)).toEqual([]);
  const [english, german] = [
    await read("/dashboard/definitions/en.json"),
    await read("/dashboard/definitions/de.json"),
  ];
  expect(Object.keys(german)).toEqual(Object.keys(english));
  expect(english["visits"]).toEqual({ text: definitions.visits });
  expect(german["live"]).toMatchObject({ label: "Besucher jetzt" });
  // Another version of the files has another address.
  const html = await (await server.ask("GET", "/")).text();
  expect(html).toMatch(/<html lang="en" [^>]*data-languages="en de" data-words="[0-9a-f]{8}"/);
});
