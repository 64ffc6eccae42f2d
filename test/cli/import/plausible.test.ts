/** Plausible's export becomes months without rows: what it says of days is what questions get that filter nothing. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { utcDate } from "../../../src/core/calendar/date.ts";
import { run } from "../../support/program.ts";
import { dayMs } from "../../../src/core/hit.ts";
import { apacheTime, userAgent } from "../../support/made-up-people.ts";
import { zipOf } from "../../support/made-zip.ts";
import { plausibleFiles, plausibleFilesOf, plausibleZip } from "../../support/plausible-export.ts";
import { longTest } from "../../support/long-test.ts";
import { RecordedTerminal } from "../../support/recorded-terminal.ts";
import { rounds } from "../../support/rounds.ts";
import { serverTexts } from "../../support/words.ts";

const folder = mkdtempSync(join(tmpdir(), "footfall-plausible-"));
const data = ["--data", join(folder, "data")];
const zip = join(folder, "example_com_20240503.zip");
let websites = 0;
let hostname = "";

async function footfall(...words: string[]) {
  const terminal = new RecordedTerminal("a good password\n");
  const exitCode = await run([...words, ...data], {}, terminal);
  return { exitCode, output: terminal.printed.join("\n"), errors: terminal.noted.join("\n") };
}

type Row = Readonly<Record<string, unknown>>;
async function stats<T = readonly Row[]>(list: string, period: string, ...more: string[]): Promise<T> {
  const { output, errors } = await footfall("stats", hostname, list, "--period", period, "--json", ...more);
  expect(errors).toBe("");
  return JSON.parse(output) as T;
}

function file(name: string, bytes: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

const viewOn = (date: string) =>
  `203.0.113.7 - - [${apacheTime(Date.parse(`${date}T09:00:00Z`), 0)}] "GET /log HTTP/1.1" 200 5 "-" "${userAgent}"\n`;

beforeAll(async () => {
  await footfall("user", "add", "ada");
});
beforeEach(async () => {
  hostname = `h${++websites}.example`;
  writeFileSync(zip, plausibleZip(false, hostname));
  await footfall("website", "add", hostname);
});
afterAll(() => rmSync(folder, { recursive: true }));

const months = ["summary", "2024-01-01..2024-12-31"] as const;

describe("Plausible's export", () => {
  test("has the totals that it had there, and is taken once", async () => {
    const dry = await footfall("import", hostname, zip, "--dry-run");
    expect(dry).toMatchObject({ exitCode: 0, errors: "" });
    expect(dry.output).toContain("Plausible's export");
    expect(dry.output).toEndWith("a dry run: nothing was imported");
    expect(await stats<object>(...months)).toMatchObject({ current: { pageviews: 0 } });
    const { exitCode, output } = await footfall("import", hostname, zip);
    expect(exitCode).toBe(0);
    expect(output).toContain("5 days of 3 months read");
    expect(output).toContain(`5 taken as sums of ${hostname}: 110 page views, 51 visits, 8 events`);
    const again = await footfall("import", hostname, zip, "--format", "plausible");
    expect(again).toMatchObject({ exitCode: 0, errors: "" });
    expect(again.output).toContain("5 already imported");
    // 15 of 51 visits bounced there.
    expect(await stats<object>(...months)).toMatchObject({
      current: { pageviews: 110, visitors: 43, visits: 51, bounce_percentage: 29.41 },
      imported_until: "2024-06-01T00:00:00.000Z",
    });
    // The durations of visits there are 3,600 s together, and those of the pages 2,800 s.
    const { current } = await stats<{ current: object }>(...months);
    expect(current).toMatchObject({ time_per_visit: Math.round(3_600_000 / 51) });
    expect(current).not.toHaveProperty("time_median");
    expect(await stats("pages", "2024-01-01..2024-12-31")).toMatchObject([
      { path: "/", time_total: 2_600_000 },
      { path: "/a%20%22b%22", time_total: 200_000 },
    ]);
    expect((await footfall("check")).exitCode).toBe(0);
  });

  longTest("is the same with deflated files, and is refused where it is damaged or another ZIP", async () => {
    const refused = async (bytes: Uint8Array, why: string) => {
      const { exitCode, errors } = await footfall("import", hostname, file("a.zip", bytes));
      expect([exitCode, errors]).toEqual([2, expect.stringContaining(why)]);
    };
    const whole = plausibleZip(true, hostname);
    const log = file("a.log", viewOn("2024-05-01"));
    expect(await footfall("import", hostname, log, "--format", "plausible")).toMatchObject({ exitCode: 2 });
    await refused(whole.subarray(0, -30), "cut off or damaged");
    await refused(whole.with(400, (whole[400] as number) ^ 255), "");
    await refused(zipOf({ "logs/": "", "access.log": viewOn("2024-05-01") }), "unzip -p");
    // As Umami Cloud packs them: piped, the files would be one, and the events would have no values.
    await refused(
      zipOf({ "website_event.csv": "event_id", "event_data.csv": "data_key" }),
      "Unpack it, and name all files to import in one command",
    );
    const [name, text] = Object.entries(plausibleFiles)[0] as [string, string];
    await refused(
      zipOf({ [name]: text.replace("10,30", "10,many") }),
      `${name}", line 2: "pageviews": got "many"`,
    );
    await refused(zipOf({ [name]: text.replace("2024-02-29", "29.2.2024") }), "line 3: date");
    expect(await stats<object>(...months)).toMatchObject({ current: { pageviews: 0 } });
    await footfall("import", hostname, file("b.zip", whole));
    expect(await stats<object>(...months)).toMatchObject({ current: { pageviews: 110 } });
  });

  test.each(["export/", "export\\", "a/b/"])("is read where its files are in the folder %s", async (path) => {
    const inFolder = Object.entries(plausibleFilesOf(hostname)).map(([name, text]) => [path + name, text]);
    // Finder adds such files.
    const all = [["__MACOSX/export/._imported_visitors_20240101_20240503.csv", "\0"], ...inFolder];
    const packed = file("folder.zip", zipOf(Object.fromEntries(all) as Record<string, string>));
    const { exitCode, output } = await footfall("import", hostname, packed, "--dry-run");
    expect([exitCode, output]).toEqual([0, expect.stringContaining("110 page views, 51 visits, 8 events")]);
  });

  test("is refused where two exports with the same days are in one ZIP, and not where days are in files by year", async () => {
    const rows = (date: string) =>
      `date,visitors,pageviews,bounces,visits,visit_duration\n${date},1,2,1,1,0\n`;
    const imported = (files: Readonly<Record<string, string>>) =>
      footfall("import", hostname, file("two.zip", zipOf(files)), "--dry-run");
    const first = { "imported_visitors_20240101_20240131.csv": rows("2024-01-31") };
    const twice = await imported({ ...first, "imported_visitors_20240101_20240229.csv": rows("2024-01-31") });
    expect([twice.exitCode, twice.errors]).toEqual([
      2,
      expect.stringContaining('_20240229.csv", line 2: another line of the ZIP has "2024-01-31" too'),
    ]);
    const doubled = await imported({
      ...first,
      "imported_visitors_20240201_20240229.csv": `${rows("2024-02-01")}2024-02-01,5,6,1,5,0\n`,
    });
    expect([doubled.exitCode, doubled.errors]).toEqual([
      2,
      expect.stringContaining('_20240229.csv", line 3: another line of the ZIP has "2024-02-01" too'),
    ]);
    const next = await imported({ ...first, "imported_visitors_20240201_20240229.csv": rows("2024-02-01") });
    expect([next.exitCode, next.output]).toEqual([0, expect.stringContaining("4 page views")]);
  });

  test("has a visit for each visitor where the visits are not known", async () => {
    const text = "date,visitors,pageviews\n2024-01-31,7,9\n";
    const packed = file("few.zip", zipOf({ "imported_visitors.csv": text }));
    const { exitCode, output } = await footfall("import", hostname, packed, "--dry-run");
    expect([exitCode, output]).toEqual([0, expect.stringContaining("9 page views, 7 visits")]);
  });

  test("is refused where it needs a password, and not as damaged", async () => {
    // `zip -P secret` made it of a file with one day.
    const locked =
      "UEsDBBQACQAIAFF9fF1MhDuaPwAAADoAAAAVAAAAaW1wb3J0ZWRfdmlzaXRvcnMuY3N2brPAleYtaY05hUQ7" +
      "VCbPMBDWdN1AcuONquVNiYixWniUrjN0SlwCeKnoynFo+mS6arFksCTs1FhW16C2cNgnUEsHCEyEO5o/AAAA" +
      "OgAAAFBLAQIeAxQACQAIAFF9fF1MhDuaPwAAADoAAAAVAAAAAAAAAAEAAACkgQAAAABpbXBvcnRlZF92aXNp" +
      "dG9ycy5jc3ZQSwUGAAAAAAEAAQBDAAAAggAAAAAA";
    const { exitCode, errors } = await footfall(
      "import",
      hostname,
      file("locked.zip", Buffer.from(locked, "base64")),
    );
    expect([exitCode, errors]).toEqual([
      2,
      expect.stringContaining(
        'locked.zip", "imported_visitors.csv" is packed in a way that is not read: expected a plain ZIP without a password',
      ),
    ]);
  });

  test("is refused where another format is named, and where a file of it comes alone", async () => {
    const named = await footfall("import", hostname, zip, "--format", "combined", "--dry-run");
    expect(named).toMatchObject({ exitCode: 2, output: "" });
    expect(named.errors).toContain("--format: expected plausible or none for a ZIP");
    for (const [name, text] of Object.entries(plausibleFiles)) {
      const alone = await footfall("import", hostname, file(name, text));
      expect([alone.exitCode, alone.errors]).toEqual([
        2,
        expect.stringContaining("import that ZIP as it is"),
      ]);
    }
    const other = await footfall("import", hostname, file("other.csv", "day,hits\n2024-01-01,3\n"));
    expect(other.errors).toMatch(/Expected is one of .*\bplausible\b/);
  });

  test("is told from the download of Plausible's dashboard, which is refused with the way to the right one", async () => {
    const visitors =
      "date,visitors,pageviews,visits,views_per_visit,bounce_rate,visit_duration\n2024-02-10,1,1,1,1.0,100,0\n";
    const pages = "name,visitors,pageviews,bounce_rate,time_on_page,scroll_depth\n/,1,1,100,,\n";
    const asked = async (name: string, bytes: string | Uint8Array) => {
      const { exitCode, errors } = await footfall("import", hostname, file(name, bytes));
      expect(exitCode).toBe(2);
      return errors;
    };
    const zipped = await asked("download.zip", zipOf({ "visitors.csv": visitors, "pages.csv": pages }));
    expect(zipped).toContain("is the download of Plausible's dashboard");
    expect(zipped).toContain("Prepare download makes the ZIP to import");
    expect(zipped).not.toContain("unzip");
    // Each file of it alone, and all of them piped, as unzip -p writes them.
    for (const text of [visitors, visitors + pages])
      expect(await asked("visitors.csv", text)).toContain("is the download of Plausible's dashboard");
    expect(await asked("pages.csv", pages)).toContain("is of no format that can be imported");
    expect(await asked("other.csv", "date,visitors\n2024-02-10,1\n")).not.toContain("import that ZIP");
  });

  test("is told from the ZIPs with sums of Footfall, GoatCounter and Umami, whose files are of no use unpacked", async () => {
    // As goatcounter/exportjson.go (c957f51c) and the route of Umami's export button (3.1) name them.
    const others = {
      Footfall: ["totals", "pages", "referrers", "browsers", "os"].map((name) => `${name}.csv`),
      GoatCounter: ["info.json", "paths.jsonl", "refs.jsonl", "hit_stats.jsonl"].map(
        (name) => `goatcounter-export-a-20261101T120000Z/${name}`,
      ),
      Umami: ["events", "pages", "referrers", "browsers", "os"].map((name) => `${name}.csv`),
    };
    for (const [product, names] of Object.entries(others)) {
      const zip = file("other.zip", zipOf(Object.fromEntries(names.map((name) => [name, "x,y\n/,5\n"]))));
      const { exitCode, errors } = await footfall("import", hostname, zip);
      expect([exitCode, errors]).toEqual([
        2,
        expect.stringContaining(`is an export of ${product} with sums`),
      ]);
      expect(errors).toContain("docs/importing.md says");
      // The dashboard looks up what the server says of an upload.
      expect<readonly string[]>(serverTexts).toContain(
        `the file is an export of ${product} with sums: docs/importing.md says what can be imported`,
      );
    }
  });

  test("may be files that somebody wrote by the examples of docs/importing.md", async () => {
    const page = await Bun.file(join(import.meta.dir, "../../../docs/importing.md")).text();
    const section = page.split("\n## ").find((text) => text.startsWith("Sums of any other product")) ?? "";
    const [visitors = "", pages = ""] = [...section.matchAll(/```csv\n([^]*?)```/g)].map(([, text]) => text);
    const [all, some] = [
      zipOf({ "imported_visitors.csv": visitors, "imported_pages.csv": pages }),
      zipOf({ "imported_visitors.csv": visitors }),
    ];
    for (const bytes of [some, all])
      expect((await footfall("import", hostname, file("sums.zip", bytes), "--dry-run")).output).toContain(
        `2 taken as sums of ${hostname}: 550 page views, 250 visits, 0 events`,
      );
    await footfall("import", hostname, file("sums.zip", all));
    expect(await stats<object>("summary", "2023-03-01..2023-03-31")).toMatchObject({
      current: { visitors: 215, pageviews: 550, visits: 250, time_per_visit: (8_400 + 6_900) * 4 },
    });
    const parts = [27.27, 10, 62.73];
    expect(await stats("pages", "2023-03-01..2023-03-31")).toMatchObject([
      { path: "/", visitors: 90, pageviews: 150, pageviews_percentage: parts[0] },
      { path: "/pricing", visitors: 40, pageviews: 55, pageviews_percentage: parts[1] },
      { path: "(other)", pageviews: 345, pageviews_percentage: parts[2] },
    ]);
    // Beside days with sources, the shares of those are of all visitors.
    for (const [list, name] of [
      ["channels", "channel"],
      ["referrers", "referrer"],
      ["countries", "country"],
    ] as const)
      expect(await stats(list, "2023-03-01..2023-03-31")).toMatchObject([
        { [name]: "Unknown", visitors: 215, visitors_percentage: 100, visits: 250 },
      ]);
  });

  test.each([
    ["rows of a day", "2024-02-10", "2024-02-10", "pages"],
    ["days of a month", "2024-02-10", "2024-02-29", "visitors"],
    ["days of a month", "2024-02-10", "2024-02-29", "pages"],
  ])("is refused where %s have more together than can be kept", async (_, first, second, table) => {
    const most = 2 ** 32 - 1;
    const name = `imported_${table}_20240210_20240503.csv`;
    const head = "date,page,visitors,pageviews,bounces,visits,visit_duration";
    const rowsOf = (a: number, b: number) => ({
      ...plausibleFilesOf(hostname),
      [name]: `${head}\n${first},/,1,${a},0,1,0\n${second},/,1,${b},0,1,0\n`,
    });
    const full = file("full.zip", zipOf(rowsOf(most - 1, 1)));
    expect(await footfall("import", hostname, full, "--dry-run")).toMatchObject({ exitCode: 0, errors: "" });
    const { exitCode, errors } = await footfall(
      "import",
      hostname,
      file("over.zip", zipOf(rowsOf(most - 1, 2))),
    );
    expect(exitCode).toBe(2);
    expect(errors).toContain(
      `"${name}", line 3: the sum of "pageviews" in "2024-02" is ${most + 1}: expected at most ${most}`,
    );
  });

  test("is refused where a day is none of the calendar, or none that an export can have", async () => {
    const [name, text] = Object.entries(plausibleFiles)[0] as [string, string];
    for (const date of [
      "2024-02-30",
      "2023-02-29",
      "1999-12-31",
      "9999-01-01",
      utcDate(Date.now() + 3 * dayMs),
    ]) {
      const path = file("day.zip", zipOf({ [name]: text.replace("2024-02-29", date) }));
      const { exitCode, errors } = await footfall("import", hostname, path);
      expect([exitCode, errors]).toEqual([
        2,
        expect.stringContaining(`line 3: date: got "${date}", expected`),
      ]);
      expect(errors).toContain(`from "2000-01-01" to "20`);
    }
    expect((await footfall("import", hostname, zip, "--until", "2024-02-30")).exitCode).toBe(2);
  });

  longTest("counts pages with a path that is too long as others, and not as the first page", async () => {
    const long = `/${"a".repeat(3_000)}`;
    const rename = (text: string) =>
      text.replaceAll('"/",5,5,9', `"${long}",5,5,9`).replace('"/",5,5,100', `"${long}",5,5,100`);
    const files = Object.entries(plausibleFilesOf(hostname)).map(
      ([name, text]) => [name, rename(text)] as const,
    );
    await footfall("import", hostname, file("long.zip", zipOf(Object.fromEntries(files))));
    expect(await stats("pages", "2024-02-29..2024-02-29")).toMatchObject([
      { path: "(other)", pageviews: 9, visitors: 5 },
    ]);
    expect(await stats("entries", "2024-02-29..2024-02-29")).toMatchObject([{ path: "(other)", visits: 5 }]);
    expect(await stats("pages", "2024-02-01..2024-02-29")).toMatchObject([
      { path: "/", pageviews: 20 },
      { path: "/a%20%22b%22", pageviews: 10 },
      { path: "(other)", pageviews: 9 },
    ]);
  });

  test("says of months with events and no page views that they are left out", async () => {
    const added = {
      "imported_custom_events_20240601_20240630.csv": "date,name,events\n2024-06-03,Signup,3\n",
    };
    const { exitCode, output } = await footfall(
      "import",
      hostname,
      file("events.zip", zipOf({ ...plausibleFilesOf(hostname), ...added })),
    );
    expect(exitCode).toBe(0);
    expect(output).toContain("6 days of 4 months read");
    expect(output).toContain("1 of months with events, and without page views (2024-06)");
    expect(output).toContain("5 taken as sums");
  });

  test("leaves out months with page views here, those that go on, and those from a day on", async () => {
    const log = file("a.log", viewOn("2024-05-02"));
    expect((await footfall("import", hostname, zip, "--until", "2024-03-31")).output).toContain(
      "3 of months that do not end before the day that --until names (2024-03 to 2024-05)",
    );
    await footfall("import", hostname, log, "--complete");
    const { output } = await footfall("import", hostname, zip);
    expect(output).toContain("2 already imported (2024-02)");
    expect(output).toContain("1 of months from the first page views here on (2024-05)");
    expect(output).toContain("2 taken as sums");
    expect(await stats<object>(...months)).toMatchObject({ current: { pageviews: 110 } });
    const now = new Date().toISOString().slice(0, 10);
    const [name, text] = Object.entries(plausibleFiles)[0] as [string, string];
    const late = file("late.zip", zipOf({ [name]: text.replace("2024-05-03", now) }));
    expect((await footfall("import", hostname, late)).output).toMatch(
      /1 of months (that are not over|from the first)/,
    );
  });

  test("says from when on the month of the change-over can be imported", async () => {
    const minuteAgoMs = Date.now() - 60_000;
    // On the first of a month no day of it is before today.
    const isFirst = utcDate(minuteAgoMs).endsWith("-01");
    const timeMs = isFirst ? minuteAgoMs - dayMs : minuteAgoMs;
    const begun = utcDate(timeMs);
    const view = viewOn(begun).replace(/\[.*?\]/, `[${apacheTime(timeMs, 0)}]`);
    await footfall("import", hostname, file("begun.log", view), "--complete");
    const month = begun.slice(0, 7);
    const text = `date,visitors,pageviews,bounces,visits,visit_duration\n${month}-01,1,2,0,1,9\n${begun},3,4,0,3,9\n`;
    const { output } = await footfall(
      "import",
      hostname,
      file("begun.zip", zipOf({ "imported_visitors.csv": text })),
    );
    const again = utcDate(timeMs + 8 * dayMs);
    expect(output).toContain("2 days of 1 month read\n  0 taken");
    expect(output).toContain(
      `\n  1 before the first page view here: import the file again from ${again} on (${month})`,
    );
    expect(output).toContain(`\n  1 from the day of the first page views here on (${month})`);
  });

  test("leaves out months that begin before a day", async () => {
    const { output } = await footfall(
      "import",
      hostname,
      zip,
      "--from",
      "2024-03-01",
      "--until",
      "2024-05-01",
    );
    expect(output).toContain("2 taken as sums");
    expect(output).toContain("2 of months that begin before the day that --from names (2024-02)");
    expect(output).toContain("1 of months that do not end before the day that --until names (2024-05)");
    expect((await footfall("import", hostname, zip)).output).toContain("2 already imported (2024-03)");
  });

  test("says which days a month has that the files have only partly", async () => {
    const { output } = await footfall("import", hostname, zip);
    expect(output).toContain("\n  2024-02 has days from 2024-02-10 to 2024-02-29 only\n");
    expect(output).toEndWith("\n  2024-05 has days from 2024-05-03 to 2024-05-03 only");
    expect(output).not.toContain("2024-03 has");
  });

  longTest("fills the month in which page views begin up to the day of the first of them", async () => {
    await footfall("import", hostname, file("begun.log", viewOn("2024-03-10")), "--complete");
    const dry = await footfall("import", hostname, zip, "--dry-run");
    const { output, errors, exitCode } = await footfall("import", hostname, zip);
    expect([exitCode, errors]).toEqual([0, ""]);
    expect(dry.output).toStartWith(`${output}\na dry run`);
    expect(output).toContain(`5 days of 3 months read\n  3 taken as sums of ${hostname}: 59 page views`);
    expect(output).toContain("\n  2024-03 has days from 2024-03-01 to 2024-03-01 only\n");
    expect(output).toContain("1 from the day of the first page views here on (2024-03)");
    expect(output).toContain("1 of months from the first page views here on (2024-05)");
    expect((await footfall("import", hostname, zip)).output).toContain("4 already imported");
    const march = "2024-03-01..2024-03-31";
    const looks = rounds(2);
    for (let look = 1; look <= looks; look++) {
      expect(await stats<object>(...months)).toMatchObject({
        current: { pageviews: 60, visitors: 23 },
        imported_until: "2024-03-10T00:00:00.000Z",
      });
      expect(await stats("pages", march)).toMatchObject([
        { path: "/", pageviews: 20 },
        { path: "/log", pageviews: 1 },
      ]);
      expect(await stats("pages", "2024-03-10..2024-03-31")).toMatchObject([{ path: "/log", pageviews: 1 }]);
      expect(await stats("pages", "2024-03-01..2024-03-09")).toMatchObject([{ path: "/", pageviews: 20 }]);
      const filter = ["--filter", "browser[eq]=Firefox"];
      expect(await stats<object>("summary", march, ...filter)).toMatchObject({
        current: { pageviews: 1 },
        rows_from: "2024-03-10T00:00:00.000Z",
      });
      expect((await footfall("check")).exitCode).toBe(0);
      // Other rows come and go.
      if (look === looks) continue;
      expect(
        await footfall("import", hostname, file("more.log", viewOn("2024-05-20")), "--complete"),
      ).toMatchObject({
        exitCode: 0,
        errors: "",
      });
      expect(await stats<object>(...months)).toMatchObject({ current: { pageviews: 61 } });
      const purged = ["--filter", "path[eq]=/log", "--from", "2024-05-15", "--yes"];
      expect(await footfall("website", "purge", hostname, ...purged)).toMatchObject({ exitCode: 0 });
    }
  });

  test("is no part of what needs page views, which says from when it is answered", async () => {
    await footfall("import", hostname, zip, "--until", "2024-05-01");
    await footfall("import", hostname, file("later.log", viewOn("2024-05-20")), "--complete");
    expect(await stats("pages", "2024-01-01..2024-12-31", "--filter", "browser[eq]=Firefox")).toMatchObject([
      { path: "/log", pageviews: 1 },
    ]);
    expect(
      await stats<object>("summary", "2024-01-01..2024-12-31", "--filter", "browser[eq]=Firefox"),
    ).toMatchObject({
      current: { pageviews: 1 },
      rows_from: "2024-04-01T00:00:00.000Z",
    });
    const { exitCode, errors } = await footfall(
      ...[
        "stats",
        hostname,
        "pages",
        "--period",
        "2024-02-01..2024-03-31",
        "--filter",
        "browser[eq]=Firefox",
      ],
    );
    expect([exitCode, errors]).toEqual([2, expect.stringContaining("have sums only")]);
  });
});

describe("an export of another website", () => {
  const imported = (...more: string[]) =>
    footfall("import", hostname, file("other.zip", plausibleZip()), ...more);
  const pageviews = async () =>
    (await stats<{ current: { pageviews: number } }>(...months)).current.pageviews;

  test("is not taken before somebody says so", async () => {
    const text = `the pages of the file are of "example.com", and none is of ${hostname}`;
    const { exitCode, errors } = await imported();
    expect(exitCode).toBe(2);
    expect(errors).toContain(`${text}: footfall import ${hostname} `);
    expect(errors).toEndWith(`--yes imports it all the same`);
    expect(await pageviews()).toBe(0);
    const dry = await imported("--dry-run");
    expect(dry).toMatchObject({ exitCode: 0, errors: text });
    expect(await imported("--yes")).toMatchObject({ exitCode: 0, errors: text });
    expect(await pageviews()).toBe(110);
  });

  test("is asked for in a terminal", async () => {
    const path = file("other.zip", plausibleZip());
    for (const [answer, taken] of [
      ["n\n", 0],
      ["y\n", 110],
    ] as const) {
      const terminal = new RecordedTerminal(answer, true);
      expect(await run(["import", hostname, path, ...data], {}, terminal)).toBe(0);
      expect(terminal.noted[0]).toContain(`none is of ${hostname}. Import it all the same? [y/N]`);
      expect(await pageviews()).toBe(taken);
    }
  });

  test("is none with one page of the website, also with www., and none where no page has a host", async () => {
    const [pages = ""] = Object.keys(plausibleFiles).filter((name) => name.startsWith("imported_pages"));
    const own = `"2024-05-03","www.${hostname}","/b",1,1,1,0,0,0,0\n`;
    const files = [
      { ...plausibleFiles, [pages]: plausibleFiles[pages] + own },
      plausibleFilesOf(""),
      plausibleFilesOf(`WWW.${hostname}`),
    ];
    for (const each of files)
      expect(await footfall("import", hostname, file("own.zip", zipOf(each)), "--dry-run")).toMatchObject({
        exitCode: 0,
        errors: "",
      });
  });
});

test("sums that were imported are removed by a purge of their own, and imported again", async () => {
  const purge = (...more: string[]) => footfall("website", "purge", hostname, "--imported-sums", ...more);
  expect(await purge()).toMatchObject({ exitCode: 0, output: `${hostname} has no imported sums` });
  await footfall("import", hostname, zip);
  const there = `3 months of imported sums with 110 page views, 2024-02-10 to 2024-05-03, of ${hostname}`;
  expect((await purge("--dry-run")).output).toBe(there);
  expect(await purge("--from", "2024-02-01")).toMatchObject({
    exitCode: 2,
    errors: expect.stringContaining("none beside --imported-sums"),
  });
  expect(await stats<object>(...months)).toMatchObject({ current: { pageviews: 110 } });
  expect(await purge("--yes")).toMatchObject({ exitCode: 0, output: `${there}\nremoved ${there}` });
  expect(await stats<object>(...months)).toMatchObject({ current: { pageviews: 0 } });
  expect((await footfall("import", hostname, zip)).output).toContain("5 taken as sums");
  expect(await stats<object>(...months)).toMatchObject({ current: { pageviews: 110 } });
});

describe("a month of sums", () => {
  const february = "2024-02-01..2024-02-29";
  beforeAll(async () => {
    await footfall("website", "add", "lists.example");
    writeFileSync(zip, plausibleZip(false, "lists.example"));
    await footfall("import", "lists.example", zip);
  });
  beforeEach(() => {
    hostname = "lists.example";
  });

  test.each([
    [
      "pages",
      [
        ["/", 14, 29, 15],
        ["/a%20%22b%22", 5, 10, 5],
      ],
    ],
    [
      "referrers",
      [
        ["", 9, undefined, 10],
        ["Google", 6, undefined, 7],
      ],
    ],
    [
      "channels",
      [
        ["Direct", 9, undefined, 10],
        ["Search", 6, undefined, 7],
      ],
    ],
    ["sources", []],
    [
      "browsers",
      [
        ["Firefox", 8, undefined, 9],
        ["Safari", 5, undefined, 5],
        ["Chrome", 2, undefined, 3],
      ],
    ],
    [
      "os",
      [
        ["macOS", 8, undefined, 9],
        ["iOS", 5, undefined, 5],
        ["Linux", 2, undefined, 3],
      ],
    ],
    [
      "devices",
      [
        ["Desktop", 13, undefined, 14],
        ["Mobile", 2, undefined, 3],
      ],
    ],
    [
      "countries",
      [
        ["Germany", 7, undefined, 8],
        ["Austria", 5, undefined, 5],
        ["Unknown", 3, undefined, 4],
      ],
    ],
    ["languages", [["Unknown", 15, undefined, 17]]],
    ["time", []],
  ] as const)("answers %s as the export has them", async (list, expected) => {
    const rows = await stats(list, february);
    const name = Object.keys(rows[0] ?? {})[0] ?? "";
    expect(rows.map((row) => [row[name], row["visitors"], row["pageviews"], row["visits"]])).toEqual(
      expected.map((row) => [...row]),
    );
  });

  test("knows where visits began and ended, and which events there were", async () => {
    expect(await stats("entries", february)).toMatchObject([
      { path: "/", visits: 14, bounce_percentage: 35.71 },
      { path: "/a%20%22b%22", visits: 3, bounce_percentage: 33.33 },
    ]);
    expect(await stats("exits", february)).toMatchObject([
      { path: "/", visits: 13 },
      { path: "/a%20%22b%22", visits: 4 },
    ]);
    expect(await stats("properties", february)).toMatchObject([
      { name: "Signup", events: 3 },
      { name: "outbound_link", events: 1 },
    ]);
    expect(await stats("sources", "2024-03-01..2024-03-31")).toMatchObject([
      { source: "newsletter", visits: 8 },
    ]);
    expect(await stats("campaigns", "2024-03-01..2024-03-31")).toMatchObject([{ campaign: "März, 2024" }]);
    expect(await stats("referrers", "2024-05-01..2024-05-31")).toMatchObject([{ referrer: "Some Blog" }]);
  });

  test("has single days", async () => {
    expect(await stats<object>("summary", "2024-02-29..2024-02-29")).toMatchObject({
      current: { pageviews: 9, visitors: 5, visits: 5 },
    });
    expect(await stats("browsers", "2024-02-29..2024-02-29")).toMatchObject([
      { browser: "Safari", visits: 5 },
    ]);
    expect(await stats("browsers", "2024-02-11..2024-02-28")).toEqual([]);
    expect(await stats("browsers", "2024-02-29..2024-03-01")).toMatchObject([
      { browser: "Unknown", visits: 8 },
      { browser: "Safari", visits: 5 },
    ]);
  });
});
