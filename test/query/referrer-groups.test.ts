import { describe, expect, test } from "bun:test";
import { referrerGroup } from "../../src/query/names/referrer-groups.ts";
import { cpuMs } from "../support/cpu-time.ts";

const table: Readonly<Record<string, readonly string[]>> = {
  "": [""],
  Google: [
    "google.com",
    "google.de/search",
    "google.co.uk",
    "google.com.br",
    "google.fr/url",
    "google.com.hk",
    "google.cat",
    "google.co.uk/search",
    "images.google.co.uk/imgres",
    "images.google.de",
    "images.google.com.hk",
    "scholar.google.com.br",
    "cse.google.co.in",
  ],
  Gmail: ["mail.google.com", "mail.google.co.uk", "com.google.android.gm"],
  "Google Docs": ["docs.google.com/document"],
  "Google Drive": ["drive.google.com"],
  "Google Maps": ["maps.google.de/maps", "maps.google.com.au"],
  "Google Meet": ["meet.google.com/abc"],
  "Google News": ["news.google.com", "news.google.co.jp"],
  "Google Translate": ["translate.google.com", "translate.google.co.jp/translate"],
  "Google Classroom": ["classroom.google.com/u/0/c"],
  Bing: ["bing.com/search", "cn.bing.com"],
  DuckDuckGo: ["duckduckgo.com", "html.duckduckgo.com"],
  Yahoo: [
    "yahoo.com",
    "search.yahoo.com",
    "de.search.yahoo.com",
    "yahoo.co.jp",
    "search.yahoo.co.jp",
    "br.search.yahoo.com",
  ],
  "Yahoo Mail": ["mail.yahoo.com", "mail.yahoo.co.jp"],
  Yandex: [
    "yandex.ru",
    "yandex.com.tr",
    "yandex.kz",
    "ya.ru",
    "ya.ru/search",
    "m.yandex.com.tr",
    "yandex.com.ge",
  ],
  "Yandex Mail": ["mail.yandex.ru", "mail.yandex.com.tr"],
  Baidu: ["baidu.com/s", "m.baidu.com"],
  Ecosia: ["ecosia.org"],
  Reddit: ["reddit.com/r/web", "old.reddit.com", "out.reddit.com", "com.reddit.frontpage"],
  "Hacker News": ["news.ycombinator.com/item"],
  GitHub: ["github.com/a/b", "gist.github.com"],
  Facebook: ["facebook.com", "m.facebook.com", "l.facebook.com/l.php", "lm.facebook.com"],
  Instagram: ["instagram.com", "l.instagram.com"],
  X: ["x.com", "t.co/abc", "twitter.com", "mobile.twitter.com"],
  LinkedIn: ["linkedin.com/feed", "lnkd.in/x", "de.linkedin.com", "com.linkedin.android"],
  Threads: ["threads.com", "l.threads.com", "com.instagram.barcelona"],
  Amazon: ["amazon.co.jp/dp", "smile.amazon.co.uk", "amazon.com.au"],
  eBay: ["ebay.co.uk", "m.ebay.com.au", "cgi.ebay.de"],
  Pinterest: ["pinterest.co.uk", "br.pinterest.com", "pinterest.com.mx"],
  YouTube: ["youtube.com", "m.youtube.com", "youtu.be"],
  Mastodon: ["mastodon.social/@a", "fosstodon.org", "hachyderm.io"],
  Bluesky: ["bsky.app", "go.bsky.app"],
  Wikipedia: ["en.wikipedia.org/wiki/A"],
  Gemini: ["gemini.google.com/app", "aistudio.google.com", "com.google.android.apps.bard"],
  NotebookLM: ["notebooklm.google.com/notebook/a"],
  Copilot: ["copilot.microsoft.com", "copilot.com", "m365.cloud.microsoft/chat", "copilot.cloud.microsoft"],
  "Duck.ai": ["duck.ai"],
  "ERNIE Bot": ["yiyan.baidu.com"],
  Lumo: ["lumo.proton.me"],
  "GMX Mail": ["deref-gmx.net/mail/client/a/dereferrer", "navigator.gmx.net", "de.gmx.mobile.android.mail"],
  "T-Online Mail": ["email.t-online.de"],
  "WEB.DE Mail": ["deref-web.de/mail/client/a/dereferrer", "navigator.web.de"],
  "WEB.DE Suche": ["suche.web.de/web"],
  // The portals are neither.
  "web.de": ["web.de/magazine/a"],
  Teams: ["statics.teams.cdn.office.net"],
  "Google Ads": ["tpc.googlesyndication.com", "googleads.g.doubleclick.net"],
  "Proton Mail": ["mail.proton.me", "ch.protonmail.android"],
};

for (const [name, referrers] of Object.entries(table))
  for (const referrer of referrers)
    test(`${JSON.stringify(referrer)} is ${JSON.stringify(name)}`, () => {
      expect(referrerGroup(referrer)).toBe(name);
    });

/** Two-label suffixes under which search engines have hosts, and those with one label. */
const suffixes =
  "com de fr it es nl pl ru be at ch se no dk fi pt cz gr ro hu bg ie ca us cn in kz by fm ws cat co.uk co.jp co.in " +
  "co.za co.kr co.il co.id co.nz co.th co.ke co.ve com.br com.au com.mx com.tr com.ar com.co com.ua com.sg com.hk " +
  "com.tw com.vn com.ph com.my com.pk com.eg com.sa com.ng com.pe com.bd com.ec com.gt com.uy com.np net.nz org.uk";
const subdomains = ["", "search.", "images.", "m.", "de.search.", "r.search.", "a.b.c."];

for (const [label, name] of [
  ["google", "Google"],
  ["yahoo", "Yahoo"],
  ["yandex", "Yandex"],
  ["bing", "Bing"],
  ["duckduckgo", "DuckDuckGo"],
  ["baidu", "Baidu"],
  ["ecosia", "Ecosia"],
] as const)
  test(`${label} is ${name} with every subdomain under every suffix`, () => {
    for (const suffix of suffixes.split(" "))
      for (const subdomain of subdomains) {
        const host = `${subdomain}${label}.${suffix}`;
        expect([host, referrerGroup(host)]).toEqual([host, name]);
      }
  });

describe("a site that is not known is its host", () => {
  const hosts = [
    "google.evil.com",
    "google.com.evil.example",
    "notgoogle.com",
    "google.example",
    "evil-google.de",
    "a.evil-google.co.uk",
    "google.evil.co.uk",
    "search.yahoo.evil.de",
    "co.uk",
    "com.br",
    "maya.ru",
    "nottwitter.com",
    "linux.com",
    "ax.com",
    "constructor",
    "constructor.com",
    "__proto__",
    "has.tostring",
    "localhost",
    "192.168.0.1",
    "[::1]",
    "xn--caf-dma.example",
  ];
  for (const host of hosts)
    test(host, () => {
      expect(referrerGroup(host)).toBe(host);
      expect(referrerGroup(`${host}/with/a/path`)).toBe(host);
    });
});

test("a host as long as a URL may be takes no time", () => {
  const hosts = ["a.".repeat(1_000), "com.".repeat(500), "google.".repeat(290), "a".repeat(2_000)];
  const startMs = cpuMs();
  for (const labels of hosts) expect(referrerGroup(`${labels}example`)).toBe(`${labels}example`);
  expect(cpuMs() - startMs).toBeLessThan(1_000);
});
