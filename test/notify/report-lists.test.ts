/** The lists of a report by mail and webhook: which there are, how long they are, and how rows are called. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { dayMs, partOf, Told } from "../support/told.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";

const email = "ada@example.com";
const headers = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" };

let told: Told;
let receiver: WebhookReceiver;
beforeEach(async () => {
  told = await Told.open();
  receiver = new WebhookReceiver();
  await told.subscribe("reports", { kind: "weekly", email });
  const webhook = { url: receiver.url, format: "json" };
  await told.ask("POST", "reports", { kind: "weekly", time_zone: "Europe/Berlin", webhook });
});
afterEach(async () => {
  await told[Symbol.asyncDispose]();
  await receiver.stop();
});

let beacons = 0;
async function visit(query: string, referrer = "", event?: object): Promise<void> {
  const b = `b${beacons++}`;
  const load = { b, u: `https://example.com/${query}`, p: true, q: false, r: referrer };
  for (const body of [load, ...(event === undefined ? [] : [{ b, d: event }])])
    expect((await told.server.ask("POST", "/event/hit", { body, headers })).status).toBe(200);
}

/** Returns the plain text of the report of the week, and what the webhook got. */
async function report() {
  await told.after(2 * dayMs);
  const text = partOf(told.smtp.mails.at(-1)!, "plain");
  return { text, values: JSON.parse(receiver.received.at(-1)?.body ?? "") as Record<string, unknown[]> };
}

/** Returns the lines of a section of the mail without the changes, from its title to the empty line. */
function linesOf(text: string, title: string): string[] | undefined {
  const section = text
    .replaceAll("\r\n", "\n")
    .split("\n\n")
    .find((part) => part.startsWith(title));
  return section
    ?.split("\n")
    .slice(1)
    .map((line) => line.trim().replace(/ {2}\(.*/, ""));
}

test("channels and campaigns stand beside pages, referrers and countries, five rows each", async () => {
  for (let at = 0; at < 7; at++) await visit(`?utm_campaign=c${at}`, "https://duckduckgo.com/");
  await visit("?utm_campaign=c3", "https://news.ycombinator.com/");
  const { text, values } = await report();
  expect(linesOf(text, "Channels (Visitors)")).toEqual(["7  Search", "1  Social"]);
  expect(linesOf(text, "Campaigns (Visitors)")).toHaveLength(5);
  expect(linesOf(text, "Campaigns (Visitors)")?.[0]).toBe("2  c3");
  expect(values["channels"]).toEqual([
    { channel: "Search", visitors: 7 },
    { channel: "Social", visitors: 1 },
  ]);
  expect(values["campaigns"]).toHaveLength(5);
  expect(values["campaigns"]?.[0]).toEqual({ campaign: "c3", visitors: 2 });
});

test("a list without rows is left out of the mail, and empty for programs", async () => {
  await visit("");
  const { text, values } = await report();
  expect(linesOf(text, "Channels (Visitors)")).toEqual(["1  Direct"]);
  expect(text).not.toContain("Campaigns");
  expect(text).not.toContain("Goals");
  expect(values["campaigns"]).toEqual([]);
});

test("channels have the names of the reader's language, campaigns those that they were given", async () => {
  await told.server.ask("PATCH", "/user", { cookie: told.cookie, body: { settings: { language: "de" } } });
  await told.subscribe("reports", { kind: "weekly", email: "grace@example.com" });
  await visit("?utm_campaign=Search", "https://duckduckgo.com/");
  await told.after(2 * dayMs);
  const text = partOf(
    told.smtp.mails.findLast(
      ({ to, source }) => to === "grace@example.com" && !source.includes("/mail/confirm/"),
    )!,
    "plain",
  );
  expect(linesOf(text, "Kanäle (Besucher)")).toEqual(["1  Suche"]);
  expect(linesOf(text, "Kampagnen (Besucher)")).toEqual(["1  Search"]);
});

test("of many goals the mail has the five that most visits reached; programs get all", async () => {
  for (let at = 0; at < 7; at++)
    await told.ask("POST", "goals", {
      name: `Goal ${at}`,
      event: { prop_name: `goal${at}`, amount: "price" },
    });
  for (const at of [0, 2, 3, 4, 5, 6, 6]) await visit("", "", { [`goal${at}`]: true, price: 10 - at });
  const { text, values } = await report();
  expect(linesOf(text, "Goals (Visits)")).toEqual([
    "2  Goal 6",
    "1  Goal 0",
    "1  Goal 2",
    "1  Goal 3",
    "1  Goal 4",
  ]);
  expect(linesOf(text, "Goals (Amount)")).toEqual([
    "10  Goal 0",
    "8  Goal 2",
    "8  Goal 6, on average 4",
    "7  Goal 3",
    "6  Goal 4",
  ]);
  expect(values["goals"]).toHaveLength(7);
});

test("changes are left out where figures begin in the week before, and the mail says so", async () => {
  const begins = new Intl.DateTimeFormat("en", { dateStyle: "long", timeZone: "Europe/Berlin" }).format(
    told.server.clock.nowMs(),
  );
  const changes = (text: string) => text.match(/ {2}\([+−±].*/g) ?? [];
  const said = `. No changes are shown: figures begin on ${begins}, within the period compared with.`;
  await visit("");
  const first = await report();
  expect([first.text.includes("compared with"), changes(first.text)]).toEqual([false, []]);
  for (let at = 0; at < 9; at++) await visit("");
  await told.after(5 * dayMs);
  const second = await report();
  expect(second.text.replaceAll(/\s+/g, " ")).toContain(said);
  expect([second.text.includes("compared with"), changes(second.text)]).toEqual([true, []]);
  expect(second.values).toMatchObject({ previous: { visitors: 1 }, totals: { visitors: 9 } });
  expect(second.values["recorded_from"]).toBeString();
  for (let at = 0; at < 3; at++) await visit("");
  await told.after(5 * dayMs);
  const third = await report();
  expect(third.text).not.toContain("No changes are shown");
  expect(third.text).toContain("compared with the week before");
  expect(changes(third.text)).not.toEqual([]);
  expect(third.values).not.toHaveProperty("recorded_from");
});
