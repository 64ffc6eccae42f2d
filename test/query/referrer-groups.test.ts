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
  ],
  Gmail: ["mail.google.com", "com.google.android.gm"],
  "Google Docs": ["docs.google.com/document"],
  "Google News": ["news.google.com"],
  Bing: ["bing.com/search", "cn.bing.com"],
  DuckDuckGo: ["duckduckgo.com", "html.duckduckgo.com"],
  Yahoo: ["yahoo.com", "search.yahoo.com", "de.search.yahoo.com", "yahoo.co.jp"],
  Yandex: ["yandex.ru", "yandex.com.tr", "yandex.kz"],
  Baidu: ["baidu.com/s", "m.baidu.com"],
  Ecosia: ["ecosia.org"],
  Reddit: ["reddit.com/r/web", "old.reddit.com", "out.reddit.com", "com.reddit.frontpage"],
  "Hacker News": ["news.ycombinator.com/item"],
  GitHub: ["github.com/a/b", "gist.github.com"],
  Facebook: ["facebook.com", "m.facebook.com", "l.facebook.com/l.php", "lm.facebook.com"],
  Instagram: ["instagram.com", "l.instagram.com"],
  X: ["x.com", "t.co/abc", "twitter.com", "mobile.twitter.com"],
  LinkedIn: ["linkedin.com/feed", "lnkd.in/x", "de.linkedin.com", "com.linkedin.android"],
  YouTube: ["youtube.com", "m.youtube.com", "youtu.be"],
  Mastodon: ["mastodon.social/@a", "fosstodon.org", "hachyderm.io"],
  Bluesky: ["bsky.app", "go.bsky.app"],
  Wikipedia: ["en.wikipedia.org/wiki/A"],
};

for (const [name, referrers] of Object.entries(table))
  for (const referrer of referrers)
    test(`${JSON.stringify(referrer)} is ${JSON.stringify(name)}`, () => {
      expect(referrerGroup(referrer)).toBe(name);
    });

describe("a site that is not known is its host", () => {
  const hosts = [
    "google.evil.com",
    "google.com.evil.example",
    "notgoogle.com",
    "google.example",
    "evil-google.de",
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
  const labels = "a.".repeat(1_000);
  const startMs = cpuMs();
  expect(referrerGroup(`${labels}example`)).toBe(`${labels}example`);
  expect(cpuMs() - startMs).toBeLessThan(1_000);
});
