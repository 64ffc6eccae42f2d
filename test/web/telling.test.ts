/** Reports and alerts in a real browser: added and removed on the set-up page of a website. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { LogRecord } from "../../src/record/record.ts";
import type { Tab } from "../support/chromium.ts";
import { axeFindings, overflowPixels, shownText } from "../support/dashboard.ts";
import { demoHost } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";

let page: DemoPage;
let tab: Tab;

/** Chooses an option, as a person does by its text. */
async function select(name: string, value: string): Promise<void> {
  await tab.evaluate(`(() => {
    const labels = [...document.querySelectorAll("label")];
    const select = labels.find(({ textContent }) => textContent === ${JSON.stringify(name)}).control;
    select.value = ${JSON.stringify(value)};
    select.dispatchEvent(new Event("change", { bubbles: true }));
  })()`);
  await tab.still();
}

describeTour("reports and alerts", () => {
  beforeAll(async () => {
    page = await DemoPage.open({ days: 1, perDay: 5 });
    ({ tab } = page);
    await page.logIn();
    await tab.go(`${page.demo.url}dashboard/websites/${demoHost}/install`);
    await tab.named("heading", "Reports and alerts");
  });
  afterAll(() => page?.close());

  test("an alert to a webhook is added, shows its key once, and goes with a button", async () => {
    await select("What", "silence");
    await select("To", "json");
    await tab.fill("textbox", "Hours without a page view", "12");
    await tab.fill("textbox", "URL of the webhook", "https://hooks.example.com/secret");
    await tab.choose("button", "Add");
    await tab.named("table", "Reports and alerts of this website");
    const text = await shownText(tab);
    expect(text).toContain("hooks.example.com");
    expect(text).not.toContain("/secret");
    expect(text).toContain("Nothing sent yet");
    expect(text).toMatch(/whsec_[\w-]{43}/);
    expect(await axeFindings(tab)).toEqual([]);
    await tab.resize(320, 800);
    expect(await overflowPixels(tab)).toBe(0);
    await tab.resize(1_200, 900);
    const target = "Alert: no page views to hooks.example.com · Webhook (JSON)";
    await tab.choose("button", `Send a test message: ${target}`);
    await tab.until(`document.querySelector(".form-error:not(:empty)")`);
    const removal = "Remove: Alert: no page views to hooks.example.com · Webhook (JSON)";
    await tab.choose("button", removal);
    await tab.named("dialog", "Remove the alert?");
    expect(await axeFindings(tab)).toEqual([]);
    await tab.choose("button", "Cancel");
    expect(await tab.names("button")).toContain(removal);
    await tab.choose("button", removal);
    await tab.choose("button", "Remove");
    await tab.until("document.querySelector('.made-link') === null");
    await tab.until("!document.querySelector('main').innerText.includes('Nothing sent yet')");
  });

  test("an alert about a goal says that there is none", async () => {
    await select("What", "goal");
    await tab.until("document.querySelector('main').innerText.includes('This website has no goals yet')");
    await select("What", "weekly");
  });

  test("a refusal is at the row or field that it is about", async () => {
    await select("What", "silence");
    await select("To", "json");
    await tab.fill("textbox", "URL of the webhook", "https://hooks.example.com/secret");
    await tab.fill("textbox", "Hours without a page view", "many");
    await tab.choose("button", "Add");
    await tab.until(`document.activeElement.matches("[name=threshold][aria-invalid=true]")`);
    expect(await shownText(tab)).toContain('enter a whole number from 1 to 720, not "many"');
    await tab.fill("textbox", "Hours without a page view", "12");
    await tab.choose("button", "Add");
    await tab.named("table", "Reports and alerts of this website");
    expect(await tab.evaluate(`document.querySelector("[aria-invalid=true]") === null`)).toBe(true);
    await tab.choose("button", "Add");
    await tab.until(`document.activeElement.matches("[name=address][aria-invalid=true]")`);
    expect(await shownText(tab)).toContain("this is sent there already");
    await select("What", "drop");
    await tab.choose("button", "Add");
    await tab.until("document.querySelectorAll('main tbody tr td + td + td button + button').length >= 2");
    const target = "Alert: far fewer visitors than usual to hooks.example.com · Webhook (JSON)";
    await tab.choose("button", `Send a test message: ${target}`);
    await tab.until(`document.querySelector("td .form-error:not(:empty)")`);
    const row = `[...document.querySelectorAll("td .form-error:not(:empty)")].map((error) => error.closest("tr").cells[0].innerText)`;
    expect(await tab.evaluate(row)).toEqual(["Alert: far fewer visitors than usual"]);
    expect(await axeFindings(tab)).toEqual([]);
  });

  test("a refusal says what is wrong", async () => {
    await select("To", "email");
    await tab.fill("textbox", "Mail address", "ada@example.com");
    await tab.choose("button", "Add");
    await tab.until("document.querySelector('main').innerText.includes('this server sends no mail')");
  });

  test("an entry says whether its owner was asked and why not, what was sent, what waits and what failed", async () => {
    const { engine } = page.demo;
    const { websiteId, subscriptions } = [...engine.registry.websites.values()].find(
      ({ hostname }) => hostname === demoHost,
    )!;
    const subscriptionId = subscriptions.nextId;
    const timeMs = engine.nowMs();
    const recipient = "ada@example.com";
    const added = {
      ...{ kind: "subscriptionAdded", timeMs, websiteId, subscriptionId, subscribed: "weekly" },
      ...{ threshold: 0, goalId: 0, target: recipient, format: null, secret: "", timezone: "UTC" },
      ofLanguage: "en",
    };
    const ofAddress = { timeMs, websiteId, recipient };
    /** Logs records, and returns the state that the page shows then. */
    const stateAfter = async (...records: readonly object[]): Promise<string> => {
      for (const record of records) expect(await engine.commit(record as LogRecord)).toBe("done");
      await tab.reload();
      await tab.named("button", `Remove: Report on Mondays to ${recipient}`);
      const cell = `document.querySelector("[aria-label^='Remove: Report on Mondays']").closest("tr").cells[2]`;
      return (await tab.evaluate<string>(`${cell}.innerText`)).replace(/[\u2066-\u2069]/g, "").trim();
    };
    expect(await stateAfter(added)).toBe("Not confirmed yet");
    const error = "EAUTH: Invalid login: 535 5.7.8 wrong user or password";
    expect(await stateAfter({ kind: "confirmationFailed", ...ofAddress, error })).toBe(
      `Its owner could not be asked: ${error}.`,
    );
    expect(await stateAfter({ kind: "confirmationSent", ...ofAddress, tokenHash: "hash" })).toBe(
      "Not confirmed yet",
    );
    expect(await axeFindings(tab)).toEqual([]);
    const confirmed = { kind: "addressConfirmed", ...ofAddress };
    expect(await stateAfter(confirmed)).toBe("Nothing sent yet");
    const ofMessage = { timeMs, websiteId, subscriptionId };
    const due = (forMs: number) => ({ kind: "messageDue", ...ofMessage, forMs, value: 0, expected: 0 });
    expect(await stateAfter(due(1))).toBe("Nothing sent yet · One is waiting");
    const failed = { kind: "messageFailed", ...ofMessage, error };
    expect(await stateAfter({ ...failed, forMs: 1, isLast: false })).toBe(
      `Nothing sent yet · One is waiting · Not sent: ${error}.`,
    );
    const sent = await stateAfter({ kind: "messageSent", ...ofMessage, forMs: 1 });
    expect(sent).toMatch(/^Last sent \w+ \d+, \d{4}, \d+:\d+/);
    expect(sent).not.toContain("·");
    expect(await stateAfter(due(2), { ...failed, forMs: 2, isLast: true })).toBe(
      `${sent} · Not sent: ${error}.`,
    );
    await tab.resize(320, 800);
    expect(await overflowPixels(tab)).toBe(0);
    await tab.resize(1_200, 900);
  });
});
