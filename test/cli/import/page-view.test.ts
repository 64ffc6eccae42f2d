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
    "/feedback/",
    "/news-feed",
    "/feed/7",
    // WordPress sends it on to /feed/; elsewhere it may be a page.
    "/feed",
    "/newsfeed/",
    "/wp-admin-tips/",
    "/tag/wp-admin/",
    "/blog/wp-json",
    "/about-wp-login.php",
    "/wp-signup.php",
    "/?feed=7",
    "/?newsfeed=rss",
    "/shop/?add-to-cart=7",
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
    "/feed/",
    "/feed/atom/",
    "/comments/feed/",
    "/blog/2026/11/a-title/feed/?x=1",
    "/?feed=rss2",
    "/?p=7&feed=comments-rss2",
    "/wp-json",
    "/wp-json/",
    "/wp-json/wp/v2/posts?per_page=10",
    "/index.php/wp-json/oembed/1.0/embed",
    "/index.php?rest_route=/wp/v2/posts",
    "/shop/wp-json/wc/store/v1/cart",
    "/?wc-ajax=get_refreshed_fragments",
    "/wp-admin/",
    "/wp-admin/admin-ajax.php?action=heartbeat",
    "/wp-admin/load-scripts.php?c=0&load=jquery-core",
    "/blog/wp-admin/edit.php",
    "/wp-includes/js/tinymce/wp-tinymce.php",
    "/wp-content/plugins/cache/count.php",
    "/wp-login.php?redirect_to=%2Fwp-admin%2F",
    "/blog/wp-login.php",
    "//xmlrpc.php",
    "/wp-cron.php?doing_wp_cron=1",
  ])("%s is none", (target) => {
    expect(why({ target })).toBe("asset");
  });
});
