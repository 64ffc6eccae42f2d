import { describe, expect, test } from "bun:test";
import type { LogLine } from "../../../src/cli/import/formats/logs/log-line.ts";
import { whyNoPageView } from "../../../src/cli/import/formats/logs/page-view.ts";

const view: LogLine = {
  hostname: "",
  address: "203.0.113.7",
  time: { timeMs: Date.UTC(2015, 4, 17), offsetMs: 0 },
  method: "GET",
  target: "/",
  status: 200,
  referrer: "",
  userAgent: "",
  acceptLanguage: "",
};
const why = (change: Partial<LogLine>) => whyNoPageView({ ...view, ...change });

describe("whyNoPageView", () => {
  test.each([200, 203, 206, 299, 304])("status %d is a page view", (status) => {
    expect(why({ status })).toBeUndefined();
  });

  test.each([100, 199, 300, 301, 302, 303, 307, 400, 404, 416, 500, 503])("status %d is none", (status) => {
    expect(why({ status })).toBe("status");
  });

  test.each(["POST", "HEAD", "OPTIONS", "PUT", "PROPFIND"])("%s is none", (method) => {
    expect(why({ method })).toBe("method");
  });

  test.each([
    "/",
    "/about",
    "/about/",
    "/a.html",
    "/a.HTM",
    "/a.xhtml",
    "/index.php?page=2",
    "/a.asp",
    "/a.jsp",
    "/blog/logstash-1.3",
    "/john.doe",
    "/blog/tags/X11",
    "/?file=a.png",
    "/a.b/",
    "/a.html#b.png",
  ])("%s is a page", (target) => {
    expect(why({ target })).toBeUndefined();
  });

  test.each([
    "/style.css",
    "/a.js?v=3",
    "/favicon.ico",
    "/A.PNG",
    "/font.woff2",
    "/talk.mp4",
    "/release-1.3.2.jar",
    "/a.tar.gz",
    "/paper.pdf",
    "/robots.txt",
    "/sitemap.xml",
    "/feed.rss",
    "/data.json",
    "/configlib.py",
    "/app.webmanifest",
  ])("%s is none", (target) => {
    expect(why({ target })).toBe("asset");
  });
});
