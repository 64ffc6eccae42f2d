import { beforeAll, describe, expect, test } from "bun:test";
import { messageOf, TestServer } from "../support/http.ts";

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const page = encodeURIComponent("https://example.com/mail?utm_source=letter");
/** Gmail's two, Yahoo Mail's, and Apple's of Mail Privacy Protection. */
const mailProxies = [
  "Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/42.0.2311.135 Safari/537.36 " +
    "Edge/12.246 Mozilla/5.0 (via ggpht.com GoogleImageProxy)",
  "YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html",
  "Mozilla/5.0",
];

let server: TestServer;
let cookie: string;
beforeAll(async () => {
  server = await TestServer.open();
  cookie = await server.prepare();
});

const pixel = (query: string, more: Record<string, string> = {}) =>
  server.ask("GET", `/event/pixel.gif?${query}`, { headers: { "user-agent": firefox, ...more } });

const rowsOf = (list: string) =>
  server.get<Record<string, unknown>[]>(`/website/example.com/${list}`, cookie);
const pagesNow = () => rowsOf("pages?metrics=pageviews,visitors");

describe("GET /event/pixel.gif", () => {
  test("counts a page view each time, and a visitor once a visit", async () => {
    for (let time = 0; time < 2; time++) {
      const answer = await pixel(`u=${page}&r=${encodeURIComponent("https://news.example/")}`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toBe("image/gif");
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expect(answer.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
      const bytes = await answer.bytes();
      expect([new TextDecoder().decode(bytes.subarray(0, 6)), bytes.length]).toEqual(["GIF89a", 42]);
    }
    expect(await pagesNow()).toEqual([{ path: "/mail", pageviews: 2, visitors: 1 }]);
    expect(await rowsOf("sources?metrics=pageviews")).toEqual([{ source: "letter", pageviews: 2 }]);
  });

  test("counts nothing by HEAD, which nobody sees, and keeps the sender's address", async () => {
    const before = await pagesNow();
    const peers: string[] = [];
    const peer = {
      requestIP: (request: Request) => ({ address: (peers.push(request.method), "192.0.2.1") }),
      timeout: () => {},
    };
    const head = (path: string) => new Request(`http://localhost${path}`, { method: "HEAD" });
    const answer = await server.app.fetch(head(`/event/pixel.gif?u=${page}`), peer);
    expect([answer.status, answer.headers.get("content-length"), await answer.text()]).toEqual([
      200,
      "42",
      "",
    ]);
    expect(await pagesNow()).toEqual(before);
    // A login asks for the address: that of the request that came, and not of the one that is answered in its place.
    await server.app.fetch(head("/metrics"), peer);
    expect(peers.every((method) => method === "HEAD")).toBe(true);
  });

  test("counts no crawler, and nothing that is fetched ahead", async () => {
    const before = await pagesNow();
    for (const headers of [
      { "user-agent": "Googlebot/2.1" },
      { "sec-purpose": "prefetch;prerender" },
      { purpose: "prefetch" },
    ])
      expect((await pixel(`u=${page}`, headers)).status).toBe(200);
    expect(await pagesNow()).toEqual(before);
  });

  test("counts what the proxies of mail programs fetch, whose browser is nobody's", async () => {
    const counted = async (userAgent: string) => {
      const before = (await pagesNow()) as { pageviews: number }[];
      expect((await pixel(`u=${page}`, { "user-agent": userAgent })).status).toBe(200);
      const after = (await pagesNow()) as { pageviews: number }[];
      return after[0]!.pageviews - before[0]!.pageviews;
    };
    for (const proxy of mailProxies) expect([proxy, await counted(proxy)]).toEqual([proxy, 1]);
    for (const near of [
      "Mozilla/5.0 Googlebot",
      "Mozilla/5.0 (compatible; YahooMailProxy;)",
      "curl/8.5.0",
      "",
    ])
      expect([near, await counted(near)]).toEqual([near, 0]);
    for (const list of ["browsers", "os", "devices"]) {
      const rows = await rowsOf(`${list}?metrics=pageviews`);
      const unknown = rows.find((row) => Object.values(row).includes("Unknown"));
      expect([list, unknown?.pageviews]).toEqual([list, mailProxies.length]);
    }
  });

  test("only a picture is for those proxies: nobody else's hits may be theirs", async () => {
    for (const proxy of mailProxies) {
      const body = { b: "b1", u: "https://example.com/mail", p: true, q: false };
      const hit = await server.ask("POST", "/event/hit", { body, headers: { "user-agent": proxy } });
      expect(await hit.json()).toEqual({ accepted: false, reason: "crawler" });
    }
  });

  test.each([
    ["", 400, "u: expected the URL of the page, got nothing"],
    ["u=nonsense", 400, "u: "],
    ["u=%ff", 400, '"u": expected percent-encoded UTF-8'],
    ["u=https://other.example/", 404, 'u: "other.example" is not a website of this server'],
  ])("%s is refused", async (query, status, message) => {
    const answer = await server.answer("GET", `/event/pixel.gif?${query}`);
    expect(answer.status).toBe(status);
    expect(messageOf(answer)).toStartWith(message);
  });
});
