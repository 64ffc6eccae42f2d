/** The second factor in a real browser: switched on and off in the settings, and asked for by the login. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { codeAt } from "../../src/accounts/login/totp.ts";
import { secondFactorChanged } from "../support/account-records.ts";
import type { Tab } from "../support/chromium.ts";
import {
  axeFindings,
  axeFindingsInThemes,
  overflowPixels,
  shownText,
  troubles,
} from "../support/dashboard.ts";
import { demoAccount } from "../support/demo.ts";
import { DemoPage } from "../support/demo-page.ts";
import { describeTour } from "../support/long-test.ts";

let page: DemoPage;
let tab: Tab;

const factor = () => page.demo.engine.registry.users.get(1)?.secondFactor;

/** A code that is right now, and of no step that was used. Without a secret: that of the account. */
function nextCode(secret = factor()?.secret ?? ""): string {
  return codeAt(secret, Math.max(Date.now(), ((factor()?.usedStep ?? 0) + 1) * 30_000));
}

function wrongCode(): string {
  const secret = factor()?.secret ?? "";
  const near = [-2, -1, 0, 1, 2].map((steps) => codeAt(secret, Date.now() + steps * 30_000));
  return ["000000", "111111", "222222", "333333", "444444", "555555"].find((code) => !near.includes(code))!;
}

const said = (text: string) =>
  tab.until(`document.querySelector(".announcer").textContent === ${JSON.stringify(text)}`);
const refused = (text: string) =>
  tab.until(
    `[...document.querySelectorAll(".form-error")].some((each) => each.textContent === ${JSON.stringify(text)})`,
  );
const inForm = (title: string) =>
  `[...document.querySelectorAll("section")].find((each) => each.querySelector("h2")?.textContent === "${title}")`;

async function fillIn(name: string, text: string, title = "Second factor"): Promise<void> {
  const input = `${inForm(title)}.querySelector("[name=${name}]")`;
  await tab.until(`!!${input}`);
  await tab.evaluate(`{ const input = ${input}; input.value = ${JSON.stringify(text)};
    input.dispatchEvent(new Event("input", { bubbles: true })); }`);
}

async function openSettings(): Promise<void> {
  await tab.go(`${page.demo.url}dashboard/settings`);
  await tab.named("heading", "Second factor");
  await tab.still();
}

describeTour("a second factor", () => {
  beforeAll(async () => {
    page = await DemoPage.open({ days: 1, perDay: 5 });
    tab = page.tab;
    await page.logIn();
  });
  afterAll(() => page?.close());

  test("needs the password as a new password does, which marks its field where it is wrong", async () => {
    await openSettings();
    await fillIn("current_password", "wrong horse", "Password");
    await fillIn("password", "correct horse battery", "Password");
    await tab.choose("button", "Change password");
    await refused("Current password: enter the current password of the account.");
    await tab.until("document.activeElement.matches('[name=current_password][aria-invalid=true]')");
  });

  test("is switched off in the settings, by the password and a code", async () => {
    const { engine } = page.demo;
    const [keepSessionId = ""] = engine.registry.sessions.keys();
    const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
    await engine.commit(secondFactorChanged(1, { timeMs: engine.nowMs(), secret, keepSessionId }));
    await openSettings();
    await tab.named("button", "Switch off");
    expect(await axeFindings(tab)).toEqual([]);
    await fillIn("current_password", demoAccount.password);
    await fillIn("code", wrongCode());
    await tab.choose("button", "Switch off");
    await refused(
      "Code: this code is wrong or was used already, enter the next one; if none is right, compare the clocks of phone and server.",
    );
    await tab.until("document.activeElement.name === 'code'");
    await fillIn("code", nextCode());
    await tab.choose("button", "Switch off");
    await said("The second factor is off.");
    await tab.named("button", "Switch on…");
    expect(factor()).toBeUndefined();
    await tab.until("document.activeElement.textContent === 'Second factor'");
  });

  test("is switched on there with a first code, and ends all other sessions", async () => {
    const { username, password } = demoAccount;
    const elsewhere = await fetch(`${page.demo.url}auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username, password }),
    });
    const [cookie = ""] = elsewhere.headers.getSetCookie();
    await openSettings();
    await fillIn("current_password", "wrong horse");
    await tab.choose("button", "Switch on…");
    await refused("Current password: enter the current password of the account.");
    await fillIn("current_password", password);
    await tab.choose("button", "Switch on…");
    await tab.named("image", "QR code");
    await tab.until("document.activeElement.ariaLabel === 'The secret of the codes'");
    const grouped = await tab.evaluate<string>("document.querySelector('.made-link pre').textContent");
    expect(grouped).toMatch(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/);
    const secret = grouped.replaceAll(" ", "");
    const url = await tab.evaluate<string>("document.querySelector('.made-link a').href");
    const { host } = new URL(page.demo.url);
    expect(url).toBe(
      `otpauth://totp/Footfall:${encodeURIComponent(`ada@${host}`)}?secret=${secret}&issuer=Footfall`,
    );
    // Not this account's name: one with a space would be two words there.
    expect(await tab.evaluate<string>("document.querySelector('.made-link p code').textContent")).toBe(
      "footfall user remove-second-factor NAME --data FOLDER",
    );
    const attributes = `["autocomplete", "inputmode", "required"].map((name) =>
      ${inForm("Second factor")}.querySelector("[name=code]").getAttribute(name))`;
    expect(await tab.evaluate<string[]>(attributes)).toEqual(["one-time-code", "numeric", ""]);
    expect(await axeFindingsInThemes(tab)).toEqual([]);
    await tab.prefer("light");
    await tab.resize(390, 800);
    expect(await overflowPixels(tab)).toBe(0);
    await tab.resize(1_200, 900);
    // Only a right code switches it on.
    await fillIn("code", "12345");
    await tab.choose("button", "Switch on");
    await refused(
      "Code: this code is wrong or was used already, enter the next one; if none is right, compare the clocks of phone and server.",
    );
    expect(factor()).toBeUndefined();
    await fillIn("code", nextCode(secret));
    await tab.choose("button", "Switch on");
    await said("The second factor is on. All other sessions have ended.");
    await tab.named("button", "Switch off");
    expect(factor()?.secret).toBe(secret);
    expect(await shownText(tab)).not.toContain(grouped);
    const { status } = await fetch(`${page.demo.url}user`, { headers: { cookie: cookie.split(";")[0]! } });
    expect(status).toBe(401);
  });

  test("has the login ask for a code, after a right password only", async () => {
    await tab.choose("button", "Log out");
    await tab.named("heading", "Log in to Footfall");
    await tab.fill("textbox", "Username", demoAccount.username);
    await tab.fill("textbox", "Password", "wrong horse");
    await tab.press("Enter");
    await refused("Username or password is wrong.");
    expect(await tab.names("textbox")).toEqual(["Username", "Password"]);
    expect(await tab.evaluate<string>("document.querySelector('summary').textContent")).toBe(
      "No account, password forgotten or phone lost?",
    );
    await tab.fill("textbox", "Password", demoAccount.password);
    await tab.press("Enter");
    await tab.named("textbox", "Code");
    // It has the focus, says what it wants, and nothing is called an error.
    await tab.until("document.activeElement.name === 'code'");
    const hint =
      "document.getElementById(document.activeElement.getAttribute('aria-describedby')).textContent";
    expect(await tab.evaluate<string>(hint)).toBe("The six digits that your app shows now.");
    const errors = "[...document.querySelectorAll('.form-error')].map((each) => each.textContent).join('')";
    expect(await tab.evaluate<string>(errors)).toBe("");
    expect(await axeFindings(tab)).toEqual([]);
    // Another account may have none.
    await tab.fill("textbox", "Username", "bob");
    await tab.until("!document.querySelector('[name=code]')");
    await tab.fill("textbox", "Username", demoAccount.username);
    await tab.press("Enter");
    await tab.until("document.activeElement.name === 'code'");
    await tab.type(wrongCode());
    await tab.press("Enter");
    await refused(
      "Code: this code is wrong or was used already, enter the next one; if none is right, compare the clocks of phone and server.",
    );
    await tab.until("document.activeElement.name === 'code'");
    await tab.fill("textbox", "Code", nextCode());
    await tab.press("Enter");
    await tab.named("button", "Log out");
    expect(await troubles(tab)).toEqual([]);
  });
});
