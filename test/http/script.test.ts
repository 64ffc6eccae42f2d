import { beforeAll, describe, expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { addUser } from "../../src/engine/admin/account/users.ts";
import { addWebsite } from "../../src/engine/admin/websites.ts";
import { commit, TestServer } from "../support/http.ts";

let server: TestServer;
let cookie: string;
beforeAll(async () => {
  server = await TestServer.open();
  cookie = await server.prepare();
  const { userId } = await addUser(server.engine, { username: "Grace", password: "long enough" });
  await addWebsite(server.engine, { userId, sessionId: "" }, { hostname: "grace.example" });
});

async function chooseFeatures(...script_type: string[]): Promise<void> {
  const response = await server.ask("PATCH", "/user", { cookie, body: { settings: { script_type } } });
  expect(response.status).toBe(200);
}

async function scriptAt(path: string): Promise<string> {
  const response = await server.ask("GET", path);
  expect([path, response.status]).toEqual([path, 200]);
  return response.text();
}

/** A text that only the variant with this feature has. */
const signs = {
  "click-events": "footfallClick",
  "page-events": "data-footfall-load",
  "outbound-links": "outbound_link",
  "file-downloads": "file_download",
  "hash-routes": "hashchange",
} as const;

function featuresOf(script: string): string[] {
  return Object.entries(signs)
    .filter(([, sign]) => script.includes(sign))
    .map(([feature]) => feature);
}

describe("GET /script.js", () => {
  test("is a script for every website, cached for an hour, and for a day while the next one comes", async () => {
    for (const path of ["/script.js", "/api/script.js"]) {
      const response = await server.ask("GET", path);
      expect(response.status).toBe(200);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "content-type": "text/javascript; charset=utf-8",
        "cache-control": "public, max-age=3600, stale-while-revalidate=86400",
        "cross-origin-resource-policy": "cross-origin",
        vary: "accept-encoding",
        "x-api-commit": commit,
      });
      expect(response.headers.get("set-cookie")).toBeNull();
      const script = await response.text();
      new Bun.Transpiler({ loader: "js" }).transformSync(script);
      expect(script).not.toContain("\n");
    }
  });

  test("is there before the first account, without features", async () => {
    const empty = await TestServer.open();
    const response = await empty.ask("GET", "/script.js");
    expect(response.status).toBe(200);
    expect(featuresOf(await response.text())).toEqual([]);
  });

  test("has the features of the oldest account, or of the one that owns the website", async () => {
    await chooseFeatures("outbound-links", "click-events");
    const ofAda = ["click-events", "outbound-links"];
    expect(featuresOf(await scriptAt("/script.js"))).toEqual(ofAda);
    expect(featuresOf(await scriptAt("/script.js?h=example.com"))).toEqual(ofAda);
    expect(featuresOf(await scriptAt("/script.js?h=WWW.Example.com"))).toEqual(ofAda);
    expect(featuresOf(await scriptAt("/script.js?h=grace.example"))).toEqual([]);
  });

  test("has no features for a website that does not exist or is none", async () => {
    await chooseFeatures("hash-routes");
    for (const h of ["none.example", "", "a_b", "%zz", "%00", "example.com:80"])
      expect(featuresOf(await scriptAt(`/script.js?h=${h}`))).toEqual([]);
  });

  test("has each feature that is chosen and no other", async () => {
    for (const feature of Object.keys(signs)) {
      await chooseFeatures("default", feature);
      expect(featuresOf(await scriptAt("/script.js"))).toEqual([feature]);
    }
    await chooseFeatures(...Object.keys(signs));
    expect(featuresOf(await scriptAt("/script.js"))).toEqual(Object.keys(signs));
    await chooseFeatures("default");
    expect(featuresOf(await scriptAt("/script.js"))).toEqual([]);
  });
});

describe("the tracker under a name of the owner's choice", () => {
  test("is the same, features and all, and still there under its own", async () => {
    await chooseFeatures("outbound-links");
    for (const query of ["", "?h=example.com", "?h=grace.example"])
      for (const path of ["/stats.js", "/api/stats.js"])
        expect(await scriptAt(path + query)).toBe(await scriptAt(`/script.js${query}`));
    expect((await server.ask("GET", "/other.js")).status).toBe(404);
  });
});

describe("its coding", () => {
  async function coded(accepted: string) {
    const { headers, ...response } = await server
      .ask("GET", "/script.js?h=grace.example", { headers: { "accept-encoding": accepted } })
      .then(async (answer) => ({ headers: answer.headers, body: await answer.bytes() }));
    return { coding: headers.get("content-encoding"), etag: headers.get("etag"), body: response.body };
  }

  test.each([
    ["gzip, deflate, br, zstd", "br"],
    ["BR;q=0.5", "br"],
    ["gzip;q=1.0, br;q=0", "gzip"],
    ["gzip", "gzip"],
    ["", null],
    ["identity", null],
    ["brotli, gzip;q=0.0", null],
  ])("for %p is %p", async (accepted, coding) => {
    expect((await coded(accepted)).coding).toBe(coding);
  });

  test("hides the same text, smaller, under an ETag of its own", async () => {
    const [plain, gzip, brotli] = await Promise.all(["", "gzip", "br"].map(coded));
    if (!plain || !gzip || !brotli) throw new Error("three answers");
    expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
    expect(brotliDecompressSync(brotli.body).equals(plain.body)).toBe(true);
    expect(brotli.body.length).toBeLessThan(gzip.body.length);
    expect(gzip.body.length).toBeLessThan(plain.body.length);
    expect(new Set([plain.etag, gzip.etag, brotli.etag]).size).toBe(3);
  });
});

describe("If-None-Match", () => {
  async function revalidated(etags: string, coding = "br"): Promise<Response> {
    return server.ask("GET", "/script.js", {
      headers: { "if-none-match": etags, "accept-encoding": coding },
    });
  }

  test("that names the ETag is answered 304, with what a cache needs", async () => {
    await chooseFeatures("default");
    const etag = (await revalidated("")).headers.get("etag") ?? "";
    for (const etags of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const response = await revalidated(etags);
      expect(response.status).toBe(304);
      expect(await response.text()).toBe("");
      expect(Object.fromEntries(response.headers)).toMatchObject({
        etag,
        "cache-control": "public, max-age=3600, stale-while-revalidate=86400",
        vary: "accept-encoding",
        "x-api-commit": commit,
      });
    }
  });

  test("that names another script or coding is answered in full", async () => {
    const etag = (await revalidated("")).headers.get("etag") ?? "";
    expect((await revalidated('"other"')).status).toBe(200);
    expect((await revalidated(etag, "gzip")).status).toBe(200);
    await chooseFeatures("page-events");
    expect((await revalidated(etag)).status).toBe(200);
  });
});
