/** Importing a file in the dashboard: its words, and from the choice of a file to new figures in a browser. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  hasImported,
  foreignHostsText,
  reportText,
  trackedText,
} from "../../src/web/lib/set-up/import-file.ts";
import type { Tab } from "../support/chromium.ts";
import { axeFindings, overflowPixels, shownText, troubles } from "../support/dashboard.ts";
import { DemoPage } from "../support/demo-page.ts";
import { demoHost, type Demo } from "../support/demo.ts";
import { goatCounterCsv, madeLogs, madeUpViews } from "../support/made-up-people.ts";
import { describeTour } from "../support/long-test.ts";
import { plausibleZip } from "../support/plausible-export.ts";
import { randomFrom } from "../support/random.ts";

test("a report is said in sentences", () => {
  const left_out = [{ reason: "crawler", text: "from a crawler", lines: 2_000 }];
  const report = {
    description: "an access log in the combined format",
    unit: "line" as const,
    pageviews: 1_234,
    events: 0,
    left_out,
    disordered_lines: 0,
    tracked_days: [],
    dry_run: true,
  };
  expect(reportText(report)).toEqual([
    "This is an access log in the combined format. Would be imported: 1,234 page views.",
    "Left out: crawlers: 2,000.",
  ]);
  expect(reportText({ ...report, events: 1, left_out: [], dry_run: false })).toEqual([
    "Imported: 1,234 page views, 1 event.",
  ]);
  expect(reportText({ ...report, left_out: [], disordered_lines: 3 })[1]).toBe(
    "The file is not in the order of time: visitors and visits count too often. Sort it first.",
  );
  expect(reportText({ ...report, left_out: [], proxy_address: "172.18.0.3" })[1]).toBe(
    "Most have the address of a proxy, 172.18.0.3: all with the same browser are one visitor a day.",
  );
  const hosts = [{ reason: "host", text: "for another host", lines: 7, host: "old.example" }];
  expect(reportText({ ...report, left_out: hosts })[1]).toBe(
    "Left out: of other hosts, most often old.example: 7.",
  );
  const waiting = [{ reason: "waiting", text: "", lines: 9, again_from: "2026-12-06" }];
  expect(reportText({ ...report, left_out: waiting })[1]).toBe(
    "Left out: days before the first page view here (import the file again from Sun, Dec 6, 2026 on): 9.",
  );
  const ofOther = {
    ...report,
    unit: "day" as const,
    left_out: [],
    foreign_hosts: ["old.example", "b.example"],
  };
  expect(foreignHostsText(ofOther, "example.com")).toBe(
    "The pages of this file are of other hosts (old.example, b.example), and none is of example.com.",
  );
  expect([foreignHostsText(report, "a"), foreignHostsText({ ...ofOther, dry_run: false }, "a")]).toEqual([
    "",
    "",
  ]);
  const days = { first_day: "2024-05-01", last_day: "2024-06-30" };
  expect(reportText({ ...report, ...days })[1]).toBe("Days in UTC: Wed, May 1, 2024 to Sun, Jun 30, 2024.");
  expect(trackedText(report)).toBe("");
  const imported = { ...report, left_out: [{ reason: "imported", text: "already imported", lines: 3 }] };
  expect([hasImported(report), hasImported(imported)]).toEqual([false, true]);
  expect(hasImported({ ...imported, dry_run: false })).toBe(false);
  expect(hasImported({ ...imported, unit: "day" })).toBe(false);
  expect(trackedText({ ...report, tracked_days: ["2026-11-20"] })).toStartWith(
    "1 day has page views here already",
  );
  expect(trackedText({ ...report, tracked_days: ["2026-11-20"], dry_run: false })).toBe("");
  expect(reportText({ ...report, events: 2, event_values: 3, left_out: [], dry_run: false })).toEqual([
    "Imported: 1,234 page views, 2 events, 3 values of events.",
  ]);
});

describeTour("in a browser", () => {
  let page: DemoPage;
  let demo: Demo;
  let tab: Tab;

  beforeAll(async () => {
    page = await DemoPage.open({ days: 2, perDay: 5 });
    ({ demo, tab } = page);
    await page.logIn();
    await tab.go(`${demo.url}dashboard/websites/${demoHost}/install`);
    await tab.named("button", "Read the file");
  });
  afterAll(() => page?.close());

  /** Chooses a file with this text, which is repeated. */
  const choose = (text: string, times = 1) =>
    tab.evaluate(`{
      const chosen = new DataTransfer();
      chosen.items.add(new File([${JSON.stringify(text)}.repeat(${times})], "access.log"));
      const input = document.querySelector("input[type=file]");
      input.files = chosen.files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    }`);
  const shows = (text: string) =>
    tab.until(`document.body.innerText.replace(/[\\u2068\\u2069]/g, "").includes(${JSON.stringify(text)})`);

  test("a file is read, imported, and adds nothing again", async () => {
    const views = madeUpViews(randomFrom(1));
    const log = (madeLogs["combined"] as (typeof madeLogs)[string])(views);
    const count = views.filter(({ kind }) => kind === "view").length;
    await choose(log);
    await tab.choose("button", "Read the file");
    await shows(`This is an access log in the combined format. Would be imported: ${count} page views.`);
    expect(await axeFindings(tab)).toEqual([]);
    expect(await overflowPixels(tab)).toBe(0);
    await tab.choose("button", `Import ${count} page views`);
    await shows(`Imported: ${count} page views.`);
    await choose(log);
    await tab.choose("button", "Read the file");
    await shows(`already imported: ${count}`);
    const begin = (day: string) =>
      tab.evaluate(`{
        const input = document.querySelector("input[name=from]");
        input.value = ${JSON.stringify(day)};
        input.dispatchEvent(new Event("input", { bubbles: true }));
      }`);
    await begin("2038-01-01");
    await choose(log.replaceAll("203.0.113.", "192.0.2."));
    await tab.choose("button", "Read the file");
    await shows(`before that day: ${count}`);
    await begin("");
    // Other rows of the same days would count twice.
    await choose(log.replaceAll("203.0.113.", "198.51.100."));
    await tab.choose("button", "Read the file");
    await shows("have page views here already and would count twice");
    await tab.choose("button", "Import all the same");
    await shows(`Imported: ${count} page views.`);
    expect(await shownText(tab)).not.toContain("would count twice:");
    expect(await tab.names("button")).toContain("Read the file");
  });

  test("a file whose page views were removed is taken again when its owner says so", async () => {
    const log = (madeLogs["common"] as (typeof madeLogs)[string])(madeUpViews(randomFrom(2)).slice(0, 40));
    await choose(log);
    await tab.choose("button", "Read the file");
    await tab.choose("button", /^Import /);
    await shows("Imported: ");
    await choose(log);
    await tab.choose("button", "Read the file");
    await shows("already imported: ");
    expect(await axeFindings(tab)).toEqual([]);
    await tab.choose("checkbox", "Take again what was imported before, and removed since");
    await tab.choose("button", "Read the file");
    await shows("Would be imported: ");
    await tab.choose("button", "Import all the same");
    await shows("Imported: ");
    expect(await tab.names("checkbox")).not.toContain(
      "Take again what was imported before, and removed since",
    );
  });

  test("a file that begins as another one is taken when its owner says so", async () => {
    const later = 10 * 86_400_000;
    const made = madeUpViews(randomFrom(4))
      .slice(0, 40)
      .map((view) => ({ ...view, timeMs: view.timeMs + later }));
    const log = (madeLogs["combined"] as (typeof madeLogs)[string])(made);
    await choose(log);
    await tab.choose("button", "Read the file");
    await tab.choose("button", /^Import /);
    await shows("Imported: ");
    const lines = log.split("\n");
    await choose([...lines.slice(0, 10), ...lines.slice(11)].join("\n"));
    await tab.choose("button", "Read the file");
    await shows("import this one anew");
    await tab.choose("checkbox", "Take again what was imported before, and removed since");
    await tab.choose("button", "Read the file");
    await shows("Would be imported: ");
  });

  test("what cannot be imported at all is not offered to be taken again", async () => {
    await choose(
      await tab.evaluate<string>(
        `fetch("/website/${demoHost}/export?of=visits&format=csv").then((answer) => answer.text())`,
      ),
    );
    await tab.choose("button", "Read the file");
    await shows("These are visits, which are made of page views");
    expect(await tab.names("checkbox")).not.toContain(
      "Take again what was imported before, and removed since",
    );
  });

  test.each(["gone", "changed"])(
    "a file that is %s since it was chosen is to be chosen again",
    async (what) => {
      const path = join(page.folder, `${what}.log`);
      writeFileSync(path, "no log line\n");
      const { result } = await tab.call<{ result: { objectId: string } }>("Runtime.evaluate", {
        expression: `document.querySelector("input[type=file]")`,
      });
      await tab.call("DOM.setFileInputFiles", { files: [path], objectId: result.objectId });
      await tab.until(`document.querySelector("input[type=file]").files[0]?.name === "${what}.log"`);
      if (what === "gone") unlinkSync(path);
      else {
        await tab.choose("button", "Read the file");
        await shows("is of no format that can be imported");
        // A browser compares times in whole seconds.
        utimesSync(path, 1, 1);
      }
      await tab.choose("button", "Read the file");
      await shows("The file has changed: choose it again.");
      expect(await shownText(tab)).not.toContain("cannot be reached");
    },
  );

  test("an export of another website is asked about, and what was imported of it is removed again", async () => {
    await tab.evaluate(`{
      const bytes = Uint8Array.from(atob("${Buffer.from(plausibleZip(false, "other.example")).toString("base64")}"), (one) => one.charCodeAt(0));
      const chosen = new DataTransfer();
      chosen.items.add(new File([bytes], "export.zip"));
      const input = document.querySelector("input[type=file]");
      input.files = chosen.files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    }`);
    await tab.choose("button", "Read the file");
    await shows(`The pages of this file are of other hosts (other.example), and none is of ${demoHost}.`);
    expect(await axeFindings(tab)).toEqual([]);
    await tab.choose("button", "Import all the same");
    await shows("Sums of 2 months were imported: Sat, Feb 10, 2024 to Sun, Mar 31, 2024.");
    expect(await axeFindings(tab)).toEqual([]);
    await tab.choose("button", "Remove these sums…");
    await shows("Remove the imported sums?");
    expect(await axeFindings(tab)).toEqual([]);
    await tab.type(demoHost);
    // The effects of a page that is drawn late, as in a busy browser, come after the answer of the server.
    await tab.evaluate(
      `ownTimeout = setTimeout; setTimeout = (run, ms = 0) => ownTimeout(run, ms + 500); null`,
    );
    await tab.choose("button", "Remove");
    await tab.until(`!document.body.innerText.includes("Sums of 2 months were imported")`);
    await tab.evaluate("setTimeout = ownTimeout; null");
    expect(await tab.evaluate("document.activeElement.textContent")).toBe("Import a file");
  });

  test("a file with events only is imported by a button that names them", async () => {
    const later = 100 * 86_400_000;
    const events = madeUpViews(randomFrom(3))
      .filter(({ kind }) => kind === "event")
      .map((event) => ({ ...event, timeMs: event.timeMs + later }));
    await choose(goatCounterCsv(events));
    await tab.choose("button", "Read the file");
    await shows(`Would be imported: 0 page views, ${events.length} events.`);
    await tab.choose("button", `Import ${events.length} events`);
    await shows(`Imported: 0 page views, ${events.length} events.`);
  });

  test("the file that was read is the one that is imported: no other is chosen meanwhile", async () => {
    const fields = `[...document.querySelectorAll("input[type=file]:not(:disabled), input[type=date]:not(:read-only)")].length`;
    const held = `{ const { send } = XMLHttpRequest.prototype;
      XMLHttpRequest.prototype.send = function (body) { self.resume = () => send.call(this, body); }; }`;
    await choose("no log line\n");
    await tab.evaluate(held);
    await tab.choose("button", "Read the file");
    await tab.until("self.resume !== undefined");
    await tab.until(`${fields} === 0`);
    await tab.evaluate("resume()");
    await shows("is of no format that can be imported");
    await tab.until(`${fields} === 3`);
    await tab.reload();
    await tab.named("button", "Read the file");
  });

  test("a large file of no format is refused in words, although much of it is still to come", async () => {
    await choose("no log line\n", 5_000_000);
    await tab.choose("button", "Read the file");
    await tab.until(`document.querySelector(".form-error:not(:empty)")`);
    await shows("is of no format that can be imported");
    expect(await shownText(tab)).not.toContain("cannot be reached");
    expect(await troubles(tab)).toEqual([]);
  });
});
