/**
 * Answers of Matomo's API, made into rows by the command of docs/importing.md and imported into a real folder: the figures are
 * those that are counted from the visits themselves.
 */
import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { recognised } from "../../../src/cli/import/formats/formats.ts";
import { matomo } from "../../../src/cli/import/formats/matomo.ts";
import { Import } from "../../../src/cli/import/import.ts";
import { withFolder } from "../../support/folder.ts";
import { importFolder } from "../../support/import-folder.ts";
import { counted, decoded, madeHost, madeUpViews } from "../../support/made-up-people.ts";
import { matomoAnswers, matomoOffset, matomoVisit, type MatomoAction } from "../../support/matomo-visits.ts";
import { describeWith } from "../../support/needs.ts";
import { randomFrom } from "../../support/random.ts";
import { seed } from "../../support/seed.ts";

const newWebsite = importFolder();
/** Returns the rows that the command of the page makes of answers. */
function rowsOf(text: string): Promise<string> {
  return withFolder(async (folder) => {
    writeFileSync(join(folder, "visits.json"), text);
    const { stderr } = Bun.spawnSync(["bash", "-c", matomo.madeBy as string], { cwd: folder });
    expect(stderr.toString()).toBe("");
    return await Bun.file(join(folder, "matomo.jsonl")).text();
  });
}

async function imported(hostname: string, text: string) {
  const { ask, options } = await newWebsite(hostname);
  const lines = text.replaceAll(madeHost, hostname);
  const format = recognised(lines.split("\n").slice(0, 50), "the file");
  expect(format.name).toBe("matomo");
  const chunks = (async function* () {
    yield Buffer.from(lines);
  })();
  return { ask, report: await new Import({ ...options(), format }).run(chunks, () => {}) };
}

describeWith("jq", "rows of Matomo's answers", () => {
  // It comes with status 200, so that curl does not end.
  test("are none after an answer that is an error, or an import would take part of them", () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, "visits.json"), '[]{"result":"error","message":"You must be logged in"}[]');
      const { exitCode, stderr } = Bun.spawnSync(["bash", "-c", matomo.madeBy as string], { cwd: folder });
      expect(exitCode).not.toBe(0);
      expect(stderr.toString()).toContain("You must be logged in");
      expect(existsSync(join(folder, "matomo.jsonl"))).toBe(false);
    }));

  test("have the page views, visitors, visits, events and times of the visits", async () => {
    const views = madeUpViews(randomFrom(seed()));
    const pageViews = views.filter(({ kind }) => kind === "view");
    const { events } = counted(views);
    const { ask, report } = await imported("made.example", await rowsOf(matomoAnswers(views)));
    expect(report).toMatchObject({ taken: pageViews.length, events, lines: views.length });

    const days: Record<string, [number, number]> = {};
    const pages: Record<string, [number, number]> = {};
    const known = new Set<string>();
    const add = (counts: Record<string, [number, number]>, key: string, who: string) => {
      const cell = (counts[key] ??= [0, 0]);
      cell[0]++;
      if (known.size < known.add(who).size) cell[1]++;
    };
    for (const { timeMs, person, path } of pageViews) {
      const local = `${Math.floor((timeMs / 1_000 + matomoOffset) / 86_400)} ${person}`;
      add(days, new Date(timeMs).toISOString().slice(0, 10), local);
      add(pages, decoded(path), `${local} ${path}`);
    }
    const { interval } = (await ask("summary", "interval=day")) as unknown as {
      interval: { date: string; pageviews: number; visitors: number }[];
    };
    const filled = interval.filter(({ pageviews }) => pageviews > 0);
    expect(
      Object.fromEntries(filled.map((day) => [day.date.slice(0, 10), [day.pageviews, day.visitors]])),
    ).toEqual(days);
    const rows = await ask("pages");
    expect(
      Object.fromEntries(
        rows.map((row) => [decoded(String(row["path"])), [row["pageviews"], row["visitors"]]]),
      ),
    ).toEqual(pages);

    const firsts = [...Map.groupBy(views, ({ visit }) => visit).values()].map(([first]) => first!);
    const spent = pageViews.reduce(
      (sum, { durationMs }) => sum + Math.floor((durationMs ?? 0) / 1_000) * 1_000,
      0,
    );
    expect(await ask("summary", "by=visit&metrics=visits,time_total")).toMatchObject({
      current: { visits: firsts.length, time_total: spent },
    });
    const direct = firsts.filter(({ referrer }) => referrer === "").length;
    expect(await ask("referrers", "by=visit&metrics=visits&referrer[eq]=")).toMatchObject([
      { referrer: "", visits: direct },
    ]);
    expect(await ask("properties", "metrics=events")).toMatchObject([
      { name: "Form: sign up", events },
      { name: "eventName", events },
      { name: "eventValue", events },
    ]);
    expect(await ask("browsers")).toMatchObject([{ browser: "Firefox" }]);
    expect(await ask("os")).toMatchObject([{ os: "Linux" }]);
    expect(await ask("devices")).toMatchObject([{ device: "Mobile" }]);
    expect(await ask("countries")).toMatchObject([{ country: "Romania" }]);
    expect(await ask("languages")).toMatchObject([{ language: "Romanian" }]);
  });

  test("have campaigns, and events of downloads, links, searches and orders on the page before them", async () => {
    const at = 1_714_000_000;
    const actions: MatomoAction[] = [
      { type: "action", timestamp: at, url: `https://www.${madeHost}/shop?p=1`, timeSpent: 20 },
      { type: "download", timestamp: at + 20, url: `https://files.example/list.pdf?token=secret` },
      { type: "action", timestamp: at + 30, url: `${madeHost}/cart`, timeSpent: 0 },
      { type: "outlink", timestamp: at + 40, url: "https://bank.example/pay#now" },
      { type: "search", timestamp: at + 50, url: null, siteSearchKeyword: "tea" },
      { type: "ecommerceOrder", timestamp: at + 60, orderId: "secret", revenue: 31.5 },
      { type: "goal", timestamp: at + 60, url: `https://${madeHost}/cart`, goalName: "Order" },
    ];
    const campaign = {
      referrerType: "campaign",
      referrerName: "spring",
      referrerKeyword: "tea",
      campaignSource: "news",
    };
    const elsewhere: MatomoAction[] = [{ type: "action", timestamp: at, url: "https://other.example/" }];
    const visits = [
      matomoVisit(1, actions, campaign),
      matomoVisit(2, elsewhere),
      { ...matomoVisit(3, elsewhere), actionDetails: [] },
    ];
    const { ask, report } = await imported("shop.example", await rowsOf(JSON.stringify(visits)));
    expect(report).toMatchObject({ taken: 2, events: 4, leftOut: { host: 1, other: 1, unreadable: 0 } });
    expect(await ask("campaigns")).toMatchObject([{ campaign: "spring", visitors: 1 }]);
    expect(await ask("sources")).toMatchObject([{ source: "news" }]);
    const properties = async (query: string) =>
      (await ask("properties", query)).map(({ name, value }) => [name, value]).toSorted();
    expect(await properties("prop_name[eq]=file_download")).toEqual([
      ["file_download", "https://files.example/list.pdf"],
    ]);
    expect(await properties("prop_name[eq]=outbound_link")).toEqual([
      ["outbound_link", "https://bank.example/pay"],
    ]);
    expect(await properties("prop_name[eq]=search")).toEqual([["search", "tea"]]);
    expect(await properties("prop_name[eq]=revenue&path[eq]=/cart")).toEqual([["revenue", "31.5"]]);
  });
});

test("a visit with a pause is two, and nobody knows where the second came from", async () => {
  const page = { offset: 0, type: "action", url: `https://${madeHost}/`, idVisit: 1 };
  const from = { referrerType: "search", referrerName: "Google", referrerUrl: "https://www.google.com/" };
  const rows = [0, 60, 3_600].map((second) => ({ timestamp: 1_714_000_000 + second, ...page, ...from }));
  const { ask } = await imported("pause.example", rows.map((each) => JSON.stringify(each)).join("\n"));
  expect(await ask("referrers", "by=visit&metrics=visits,pageviews")).toMatchObject([
    { referrer: "Google", visits: 1, pageviews: 2 },
    { referrer: "Unknown", visits: 1, pageviews: 1 },
  ]);
});

test("a row that no visit could have is left out alone, and no page was seen for more than a day", async () => {
  const row = {
    timestamp: 1_714_000_000,
    offset: 0,
    type: "action",
    url: `https://${madeHost}/`,
    idVisit: 1,
  };
  const rows = [
    { ...row, timeSpent: 0.0005 },
    { ...row, timeSpent: 1e12, idVisit: 2 },
    { ...row, offset: 1e300 },
    { ...row, offset: "" },
    { ...row, timestamp: -5 },
    { ...row, type: "event", eventCategory: { a: 1 }, eventAction: "b", eventValue: "1e400" },
    { ...row, url: "https://[bad/" },
    { ...row, type: "outlink", url: "mailto:ada@example.com" },
  ];
  const { ask, report } = await imported("odd.example", rows.map((each) => JSON.stringify(each)).join("\n"));
  expect(report).toMatchObject({ taken: 2, events: 1, leftOut: { unreadable: 3, other: 2 } });
  expect(await ask("summary", "metrics=time_total")).toMatchObject({ current: { time_total: 86_400_000 } });
});

test("answers that are no rows yet, and reports, are refused with where the command stands", () => {
  const visit = JSON.stringify([
    matomoVisit(1, [{ type: "action", timestamp: 1_714_000_000, url: `https://${madeHost}/` }]),
  ]);
  for (const line of [visit, "idSite,idVisit,visitIp", "label,nb_visits,nb_hits"])
    expect(() => recognised([line], "the file")).toThrow(
      "the file is what Matomo's API answers: docs/importing.md says how",
    );
});
