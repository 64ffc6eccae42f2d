/** The script however a page loads it: deferred, at any time, as a module, and in a page that is rendered ahead. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { chromiumPath, type Chromium } from "../support/chromium.ts";
import { useFolder } from "../support/folder.ts";
import { describeWith } from "../support/needs.ts";
import { useTracked, type TrackedServer } from "../support/tracked.ts";
import { until } from "../support/until.ts";
import { watchedPage } from "../support/watched-page.ts";

const folder = useFolder();
let tracked: TrackedServer;
let browser: Chromium;

/** The names of the properties that came. */
const eventsOf = (host: string) =>
  tracked.hits
    .filter(({ u, d }) => d !== undefined && String(u).includes(`//${host}`))
    .flatMap(({ d }) => Object.keys(d as object));

describeWith("chromium", "the script", () => {
  useTracked((its) => ({ tracked, browser } = its), undefined, chromiumPath);

  test("that is async holds nothing up when it is slow, and an event of the page's load waits for it", async () => {
    const body = `${watchedPage}<script type="module">
      self.early = typeof self.footfall;
      self.footfall?.("lost");
      addEventListener("load", () => self.footfall?.("signup"));
    </script>
    <script>addEventListener("DOMContentLoaded", () => (self.ready = true))</script>`;
    const host = await tracked.site("async.example", { body, attributes: "async" });
    const held = Promise.withResolvers<void>();
    tracked.hold = ({ pathname }) => (pathname === "/script.js" ? held.promise : undefined);
    const tab = await browser.open("about:blank", await browser.newPerson());
    await tab.call("Page.navigate", { url: tracked.urlOf(host) });
    await tab.until("self.ready && self.early === 'undefined'");
    tracked.hold = () => undefined;
    held.resolve();
    await tracked.shows(host, 1, 1);
    await until(() => eventsOf(host).length > 0, "the event comes");
    expect(eventsOf(host)).toEqual(["signup"]);
    expect(await tab.evaluate("errors")).toEqual([]);
    await tab.close();
  });

  test("that is a module says so, and breaks nothing", async () => {
    const said = `<script>said = []; console.error = (...words) => said.push(words.join(" "));</script>`;
    // The browser loads no module of another host that does not allow it.
    const script = await (await tracked.server.ask("GET", "/script.js")).text();
    const file = new Blob([script], { type: "text/javascript" });
    const body = `${said}${watchedPage}<script type="module" src="/s/script.js"></script>`;
    const host = await tracked.site("module.example", (path) =>
      path === "/" ? { body, attributes: null } : { file },
    );
    const tab = await tracked.arrive(browser, host);
    expect(await tab.evaluate("[...said, typeof self.footfall, ...errors]")).toEqual([
      "footfall: no src",
      "undefined",
    ]);
    await tab.close();
  });

  test("that a consent tool adds later counts from then on, with its attributes", async () => {
    const host = await tracked.site("consent.example", { body: watchedPage, attributes: null });
    const tab = await tracked.arrive(browser, host, "/first");
    const src = JSON.stringify(tracked.urlOf("stats.example", "/script.js"));
    await tab.evaluate(`void (() => {
      const script = Object.assign(document.createElement("script"), { src: ${src} });
      script.dataset.path = "/agreed";
      document.head.append(script);
    })()`);
    await tracked.shows(host, 1, 1);
    expect(await tracked.get<object[]>(host, "pages")).toMatchObject([{ path: "/agreed" }]);
    expect(await tab.evaluate("errors")).toEqual([]);
    await tab.close();
  });

  test("in a copy of a page that somebody saved tells nobody where it lies", async () => {
    const path = join(folder, "saved.html");
    const src = tracked.urlOf("stats.example", "/script.js");
    await Bun.write(path, `<!doctype html>${watchedPage}<script defer src="${src}"></script>`);
    const tab = await browser.open();
    await tab.go(`file://${path}`);
    await tab.evaluate("footfall('signup')");
    expect(await tab.evaluate("[sent, errors]")).toEqual([[], []]);
    await tab.close();
  });

  test("in a page that is rendered ahead sends its events when it is looked at, and not before", async () => {
    const rules = JSON.stringify({ prerender: [{ urls: ["/ahead"], eagerness: "immediate" }] });
    // A browser renders nothing ahead of a page that is watched from outside: the page goes on by itself.
    const first = `<script type="speculationrules">${rules}</script><script type="module">
      const mayGo = async () => (await (await fetch("/may-go")).text()).includes("go on");
      while (!(await mayGo())) await new Promise((done) => setTimeout(done, 20));
      location.assign("/ahead");
    </script>`;
    const ahead = `<script type="module">
      const { prerendering } = document;
      self.footfall?.("found", { prerendering });
      fetch("/rendered");
    </script>`;
    let isRendered = false;
    let mayGo = false;
    const host = await tracked.site("ahead.example", (path) => {
      if (path === "/rendered") isRendered = true;
      const bodies: Record<string, string> = { "/": first, "/ahead": ahead, "/may-go": mayGo ? "go on" : "" };
      return { body: bodies[path] ?? "" };
    });
    await browser.call("Target.createTarget", { url: tracked.urlOf(host) });
    await until(() => isRendered, "the next page is rendered");
    await tracked.shows(host, 1, 1);
    expect(eventsOf(host)).toEqual([]);
    mayGo = true;
    await tracked.shows(host, 2, 1);
    await until(() => eventsOf(host).length > 0, "the event comes");
    const event = tracked.hits.find(({ u, d }) => d !== undefined && String(u).includes(`//${host}`));
    expect(event).toMatchObject({ u: tracked.urlOf(host, "/ahead"), d: { found: true, prerendering: true } });
  });
});
