/** Who counts, on the set-up page: the rules as texts, and in a real browser with hits that were not counted. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  changesOf,
  countryNamed,
  entriesOf,
  fieldsOf,
  trackerHref,
  type Rules,
} from "../../src/web/lib/set-up/rules.ts";
import type { Tab } from "../support/chromium.ts";
import { axeFindings, overflowPixels, send, shownText, troubles } from "../support/dashboard.ts";
import { demoHost, sendHit, type Demo } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";
import { until } from "../support/until.ts";

const rules: Rules = {
  blocked_networks: ["192.0.2.7", "fd00::/8"],
  blocked_countries: ["Germany"],
  blocked_paths: ["/%C3%BCber/*", "/a%25b", "/a%0Ab", "/100%", "/#/route"],
  blocked_referrers: [],
  count_crawlers: false,
  count_referrer_spam: true,
  ignored_referrers: ["pay.example", "klarna.com"],
};

test("rules are one entry a line, and paths are decoded where the server gets the same path back", () => {
  expect(fieldsOf(rules)).toEqual({
    blocked_networks: "192.0.2.7\nfd00::/8",
    blocked_countries: "Germany",
    blocked_paths: "/über/*\n/a%25b\n/a%0Ab\n/100%\n/#/route",
    blocked_referrers: "",
    count_crawlers: false,
    count_referrer_spam: true,
    ignored_referrers: "pay.example\nklarna.com",
  });
});

test("a form sends only the fields that it changed", () => {
  const kept = fieldsOf(rules);
  expect(changesOf(kept, { ...kept }, rules)).toEqual({});
  expect(changesOf(kept, { ...kept, blocked_paths: "/a\n\n/b", count_crawlers: true }, rules)).toEqual({
    blocked_paths: ["/a", "/b"],
    count_crawlers: true,
  });
  expect(changesOf(kept, { ...kept, blocked_networks: "" }, rules)).toEqual({ blocked_networks: [] });
});

test("a form keeps the lines that others have added to a list meanwhile, and brings none back that they removed", () => {
  const before = { ...rules, blocked_networks: ["10.0.0.1", "10.0.0.2", "10.0.0.3"] };
  const kept = fieldsOf(before);
  const typed = { ...kept, blocked_networks: "10.0.0.4\n10.0.0.3\n10.0.0.1", blocked_countries: "" };
  const now = { ...before, blocked_networks: ["10.0.0.2", "10.0.0.3", "10.0.0.5"], blocked_paths: ["/new"] };
  expect(changesOf(kept, typed, now)).toEqual({
    blocked_networks: ["10.0.0.4", "10.0.0.3", "10.0.0.5"],
    blocked_countries: [],
  });
  const countries = { ...now, blocked_countries: ["Germany", "Japan"] };
  expect(changesOf(kept, typed, countries)).toMatchObject({ blocked_countries: ["JP"] });
});

test("lines that are empty are no entries", () => {
  expect(entriesOf("")).toEqual([]);
  expect(entriesOf(" a \r\n\n  \nb c\n")).toEqual(["a", "b c"]);
});

test("countries are named in any language of the page", () => {
  const named = (text: string) => countryNamed(text, ["en", "de"]);
  expect(["Deutschland", "österreich", "DE", "Atlantis"].map(named)).toEqual(["DE", "AT", "DE", "Atlantis"]);
});

test("links for the tracker lead to the first page", () => {
  expect(trackerHref("example.com", "ignore")).toBe("https://example.com/#footfall-ignore");
  expect(trackerHref("localhost", "count")).toBe("http://localhost/#footfall-count");
});

describeTour("the set-up page", () => {
  let page: DemoPage;
  let demo: Demo;
  let tab: Tab;

  async function open(): Promise<void> {
    await tab.go(`${demo.url}dashboard/websites/${demoHost}/install`);
    await tab.named("button", "Save rules");
    await tab.still();
  }

  beforeAll(async () => {
    page = await DemoPage.open({ days: 2, perDay: 20 });
    ({ demo, tab } = page);
    await page.logIn();
  });
  afterAll(() => page?.close());

  test("says that everything was counted", async () => {
    await open();
    expect(await shownText(tab)).toContain("Everything that came in the last 14 days was counted.");
    const hrefs = await tab.evaluate<string[]>(
      "[...document.querySelectorAll('a[target]')].map((a) => a.href)",
    );
    expect(hrefs).toEqual(
      ["debug", "ignore", "count"].map((mode) => `https://${demoHost}/#footfall-${mode}`),
    );
  });

  test("says which single-page applications need a feature, and where it is", async () => {
    await open();
    expect(await shownText(tab)).toContain(
      "unless its addresses have a # like /#/about: then switch on Hash routes",
    );
    const href = `[...document.querySelectorAll("ol.points a")].map((link) => link.getAttribute("href"))`;
    expect(await tab.evaluate<string[]>(href)).toEqual(["/dashboard/settings"]);
  });

  test("switches on beside the line what else the script counts", async () => {
    await open();
    await tab.choose(
      "DisclosureTriangle",
      /^Also count outbound links, file downloads and more, on all your/,
    );
    expect(await shownText(tab)).toContain("The line in the pages stays the same.");
    await tab.choose("checkbox", "Outbound links");
    await tab.choose("button", "Save script");
    await tab.until("document.body.innerText.includes('Browsers load the new script within an hour;')");
    const script = await (await fetch(`${demo.url}script.js?h=${demoHost}`)).text();
    expect(script).toContain("outbound_link");
    expect(script).not.toContain("file_download");
  });

  test("leaves on what another tab has switched on meanwhile", async () => {
    await open();
    await tab.choose("DisclosureTriangle", /^Also count outbound links/);
    await tab.named("checkbox", "File downloads");
    await send(tab, "PATCH", "/user", { settings: { script_type: ["outbound-links", "file-downloads"] } });
    await tab.choose("checkbox", "Hash routes");
    await tab.choose("button", "Save script");
    await tab.until("document.body.innerText.includes('Browsers load the new script within an hour;')");
    const { settings } = await tab.evaluate<{ settings: object }>(
      `fetch("/user").then((answer) => answer.json())`,
    );
    expect(settings).toMatchObject({ script_type: ["outbound-links", "file-downloads", "hash-routes"] });
  });

  test("says beside the way to the console what makes each page a new visitor there", async () => {
    await open();
    expect(await shownText(tab)).toContain(
      "While “Disable cache” is on in its developer tools, or it does not trust the certificate of this server, each page counts",
    );
  });

  test("begins with links to its parts", async () => {
    await open();
    const texts = (selector: string) =>
      tab.evaluate<string[]>(
        `[...document.querySelectorAll(${JSON.stringify(selector)})].map(({ textContent }) => textContent)`,
      );
    const parts = await texts("section h2");
    expect(parts).toContain("Who counts");
    expect(await texts(".contents a")).toEqual(parts);
    await tab.choose("link", "Who counts");
    await tab.until("document.querySelector(':target')?.textContent === 'Who counts'");
    expect(
      await tab.evaluate<number>("document.querySelector(':target').getBoundingClientRect().top"),
    ).toBeLessThan(100);
  });

  test("has the links to its parts from its first frame on, so that on a phone nothing moves down", async () => {
    await open();
    await tab.resize(390, 800);
    await tab.choose("link", "Statistics");
    await tab.named("link", "Set up");
    await tab.evaluate(`{
      self.heights = [];
      const look = () => {
        const links = document.querySelector(".contents");
        if (links) heights.push(links.offsetHeight);
        requestAnimationFrame(look);
      };
      look();
    }`);
    await tab.choose("link", "Set up");
    await tab.until("heights.length > 1");
    await tab.still();
    const heights = await tab.evaluate<number[]>("heights");
    expect(new Set(heights).size).toBe(1);
    expect(heights[0]).toBeGreaterThan(50);
    await tab.resize(1_200, 900);
  });

  test("does not say so where nothing came", async () => {
    await open();
    await send(tab, "POST", "/websites", { hostname: "quiet.example" });
    await tab.go(`${demo.url}dashboard/websites/quiet.example/install`);
    await tab.until("document.body.innerText.includes('No page view came in the last 14 days.')");
    expect(await shownText(tab)).not.toContain("was counted.");
  });

  test("keeps what somebody else changes while the form is open", async () => {
    const path = `/website/${demoHost}/rules`;
    const change = (body: object) => send(tab, "PATCH", path, body);
    const value = (name: string) => `document.querySelector('textarea[name=${name}]').value`;
    await open();
    await tab.choose("link", "Statistics");
    await tab.named("link", "Set up");
    await tab.still();
    await change({ blocked_networks: ["192.0.2.0/24"], count_crawlers: true });
    // The form is there with the rules of before, until those of now come.
    await tab.choose("link", "Set up");
    await tab.named("button", "Save rules");
    await tab.fill("textbox", "Blocked paths", "/admin");
    await tab.until(`${value("blocked_networks")} === "192.0.2.0/24"`);
    // Others may also change something after that.
    await change({ blocked_referrers: ["spam.example"] });
    await tab.choose("button", "Save rules");
    await tab.until(`${value("blocked_referrers")} === "spam.example"`);
    expect(await tab.evaluate<Rules>(`fetch("${path}").then((answer) => answer.json())`)).toMatchObject({
      blocked_networks: ["192.0.2.0/24"],
      blocked_paths: ["/admin"],
      blocked_referrers: ["spam.example"],
      count_crawlers: true,
    });
    await change({ count_crawlers: false });
    // And to the same list: before the form knows it, which asks again, and after that.
    await tab.fill("textbox", "Blocked paths", "/admin\n/drafts");
    await change({ blocked_paths: ["/admin", "/shop"], blocked_networks: [] });
    await tab.evaluate("void dispatchEvent(new Event('online'))");
    await tab.until(`${value("blocked_networks")} === ""`);
    await change({ blocked_paths: ["/admin", "/shop", "/cart"] });
    await tab.choose("button", "Save rules");
    await tab.until("/^Saved/.test(document.querySelector('.announcer').textContent)");
    await tab.still();
    expect(await tab.evaluate<string>(value("blocked_paths"))).toBe("/admin\n/drafts\n/shop\n/cart");
    await tab.fill("textbox", "Blocked paths", "");
    await tab.choose("button", "Save rules");
    await tab.until(
      `fetch("${path}").then((answer) => answer.json()).then((now) => now.blocked_paths.length === 0)`,
    );
  });

  test("changes the rules and shows them as they are kept", async () => {
    await open();
    await tab.fill("textbox", "Blocked networks", "192.0.2");
    await tab.choose("button", "Save rules");
    const refused = "document.querySelector('textarea[name=blocked_networks]')";
    const below = ".field:has([name=blocked_networks]) > .form-error";
    await tab.until(`document.querySelector("${below}")?.innerText.startsWith("Blocked networks: ")`);
    const { described, focused, bottom, others } = await tab.evaluate<Record<string, unknown>>(`({
      described: ${refused}.getAttribute("aria-describedby").split(" ").includes(document.querySelector("${below}").id),
      focused: document.activeElement === ${refused},
      bottom: document.querySelector("${below}").getBoundingClientRect().bottom,
      others: [...document.querySelectorAll(".form-error")].filter((error) => error.checkVisibility()).length,
    })`);
    expect([described, focused, others]).toEqual([true, true, 1]);
    expect(bottom).toBeLessThanOrEqual(900);
    expect(await axeFindings(tab)).toEqual([]);
    await tab.fill("textbox", "Blocked networks", "192.0.2.7\n2001:db8::/32");
    await tab.fill("textbox", "Blocked countries", "de\n\nJapan");
    await tab.fill("textbox", "Blocked paths", "/Über/*");
    await tab.fill("textbox", "Blocked referrers", "www.spam.example");
    await tab.fill("textbox", "Referrers that are not a source", "www.pay.example\nklarna.com");
    await tab.choose("checkbox", "Count referrer spam");
    await tab.choose("button", "Save rules");
    const shown = () =>
      tab.evaluate<string[]>(
        "[...document.querySelectorAll('textarea[name*=ed_]')].map(({ value }) => value).concat(document.querySelector('[name=count_referrer_spam]').checked)",
      );
    const kept = [
      "192.0.2.7\n2001:db8::/32",
      "Germany\nJapan",
      "/Über/*",
      "spam.example",
      "pay.example\nklarna.com",
      true,
    ];
    await tab.until("document.querySelectorAll('textarea')[3].value === 'spam.example'");
    expect(await tab.evaluate(`document.querySelector("${below}")`)).toBeNull();
    expect(await shown()).toEqual(kept as string[]);
    await open();
    expect(await shown()).toEqual(kept as string[]);
  });

  test("switches visits off and on, and names the proxy that hides visitors", async () => {
    const path = `/websites/${demoHost}`;
    const isOn = () => tab.evaluate<boolean>("document.querySelector('[name=visits]').checked");
    const kept = () =>
      tab.evaluate<boolean>(
        `fetch("${path}").then((answer) => answer.json()).then((website) => website.visits)`,
      );
    await open();
    expect([await isOn(), await kept()]).toEqual([true, true]);
    await tab.choose("checkbox", "Tell visits apart");
    await tab.choose("button", "Save visits");
    await until(async () => !(await kept()), "visits to be off");
    await open();
    expect(await isOn()).toBeFalse();
    await tab.choose("checkbox", "Tell visits apart");
    await tab.choose("button", "Save visits");
    await until(kept, "visits to be on");
    expect(await shownText(tab)).not.toContain("--trust-proxy");
    // Nearly all hits of this hour, however many the demo had.
    for (let at = 0; at < 1_500; at++) await sendHit(demo, { b: `proxy-${at}`, u: `https://${demoHost}/` });
    await open();
    expect(await shownText(tab)).toContain("--trust-proxy loopback,127.0.0.1");
  });

  test("says in words what was not counted, and keeps strangers' names from turning it round", async () => {
    const u = `https://${demoHost}/`;
    await sendHit(demo, { b: "1", u }, { userAgent: "Googlebot/2.1" });
    expect(await sendHit(demo, { b: "2", u: `${u}%C3%BCber/uns` })).toEqual({
      accepted: false,
      reason: "blocked",
    });
    for (let at = 0; at < 3; at++) await sendHit(demo, { b: "3", u });
    for (const unknown of ["https://unknown.example/", "https://xn--mgbh0fb.example/<b>"])
      expect(await sendHit(demo, { b: "4", u: unknown }).catch(String)).toContain(
        "is not a website of this server",
      );
    await open();
    const text = await shownText(tab);
    for (const words of ["A crawler or a headless browser", "Blocked by the rules", "Sent a second time"])
      expect(text).toContain(words);
    expect(text).toContain("Sent twice: 2; Crawlers: 1; Blocked: 1");
    expect(text).toContain("unknown.example");
    expect(await tab.evaluate("document.querySelectorAll('.rows [dir=auto]').length")).toBe(2);
  });

  test("gives axe nothing to find in either theme, and fits 320 pixels", async () => {
    await open();
    for (const [theme, width] of [
      ["light", 1_200],
      ["dark", 1_200],
      ["dark", 320],
      ["light", 320],
    ] as const) {
      await tab.prefer(theme);
      await tab.resize(width, 900);
      expect([theme, width, await axeFindings(tab)]).toEqual([theme, width, []]);
      expect(await overflowPixels(tab)).toBe(0);
    }
    await tab.resize(1_200, 900);
  });

  test("never met an error, nor what the Content-Security-Policy refuses", async () => {
    expect(await troubles(tab)).toEqual([]);
  });
});
