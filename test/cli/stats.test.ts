/** The figures in the terminal: periods, the table, and what the command prints of a real folder. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fillFolder, hostname } from "../../bench/folder.ts";
import { askedPeriod } from "../../src/cli/stats/period.ts";
import { tableOf, totalsOf } from "../../src/cli/stats/table.ts";
import { useFolder } from "../support/folder.ts";
import { longTest } from "../support/long-test.ts";
import { useExecutable } from "../support/executable.ts";
import { runToEnd, ServerProcess } from "../support/server.ts";
import { until } from "../support/until.ts";

describe("a period", () => {
  // A Sunday, two hours before midnight in Berlin.
  const nowMs = Date.parse("2026-11-22T21:00:00Z");

  test.each([
    ["today", "2026-11-21T23:00:00.000Z", "2026-11-22T22:59:59.999Z"],
    ["yesterday", "2026-11-20T23:00:00.000Z", "2026-11-21T22:59:59.999Z"],
    ["7d", "2026-11-15T23:00:00.000Z", "2026-11-22T22:59:59.999Z"],
    ["30d", "2026-10-23T22:00:00.000Z", "2026-11-22T22:59:59.999Z"],
    ["this_week", "2026-11-15T23:00:00.000Z", "2026-11-22T22:59:59.999Z"],
    ["last_week", "2026-11-08T23:00:00.000Z", "2026-11-15T22:59:59.999Z"],
    ["this_month", "2026-10-31T23:00:00.000Z", "2026-11-30T22:59:59.999Z"],
    ["last_month", "2026-09-30T22:00:00.000Z", "2026-10-31T22:59:59.999Z"],
    ["this_year", "2025-12-31T23:00:00.000Z", "2026-12-31T22:59:59.999Z"],
    ["last_year", "2024-12-31T23:00:00.000Z", "2025-12-31T22:59:59.999Z"],
    ["6mo", "2026-05-31T22:00:00.000Z", "2026-11-30T22:59:59.999Z"],
    ["12mo", "2025-11-30T23:00:00.000Z", "2026-11-30T22:59:59.999Z"],
    ["2026-10-25", "2026-10-24T22:00:00.000Z", "2026-10-25T22:59:59.999Z"],
    ["2026-02", "2026-01-31T23:00:00.000Z", "2026-02-28T22:59:59.999Z"],
    ["2026-01..2026-02", "2025-12-31T23:00:00.000Z", "2026-02-28T22:59:59.999Z"],
    ["2026-01-05..2026-01-06", "2026-01-04T23:00:00.000Z", "2026-01-06T22:59:59.999Z"],
  ])("%s", (text, start, end) => {
    expect(askedPeriod(text, "Europe/Berlin", nowMs)).toMatchObject({ start, end });
  });

  test.each([
    // On a Sunday evening: as much of the other period as has gone of this one.
    ["today", "2026-11-14T23:00:00.000Z", "2026-11-15T20:59:59.999Z"],
    ["30d", "2026-09-18T22:00:00.000Z", "2026-10-18T19:59:59.999Z"],
    ["last_week", "2026-11-01T23:00:00.000Z", "2026-11-08T22:59:59.999Z"],
    ["this_month", "2026-09-30T22:00:00.000Z", "2026-10-22T19:59:59.999Z"],
    ["last_month", "2026-08-31T22:00:00.000Z", "2026-09-30T21:59:59.999Z"],
    ["2026-02", "2025-12-31T23:00:00.000Z", "2026-01-31T22:59:59.999Z"],
  ])("%s is compared with the same weekdays, or months, before", (text, compareStart, compareEnd) => {
    expect(askedPeriod(text, "Europe/Berlin", nowMs)).toMatchObject({ compareStart, compareEnd });
  });

  test.each([
    ["2026-10-01..2026-10-31", "2026-08-31T22:00:00.000Z", "2026-09-30T21:59:59.999Z"],
    ["2025-01-01..2025-12-31", "2023-12-31T23:00:00.000Z", "2024-12-31T22:59:59.999Z"],
    ["2026-10-01..2026-10-30", "2026-08-26T22:00:00.000Z", "2026-09-25T21:59:59.999Z"],
  ])("%s is compared with whole months where it encloses some", (text, compareStart, compareEnd) => {
    expect(askedPeriod(text, "Europe/Berlin", nowMs)).toMatchObject({ compareStart, compareEnd });
  });

  test("of a month that has days which the other lacks is compared with all of that one", () => {
    const compareEnd = (at: string, zone = "UTC") =>
      askedPeriod("this_month", zone, Date.parse(at)).compareEnd;
    expect(compareEnd("2026-03-29T08:00:00Z")).toBe("2026-02-28T23:59:59.999Z");
    expect(compareEnd("2026-03-28T08:00:00Z")).toBe("2026-02-28T07:59:59.999Z");
    expect(compareEnd("2026-03-31T23:59:00Z")).toBe("2026-02-28T23:59:59.999Z");
  });

  test("goes on until the moment to which the clocks were set forward, where the other day lacks the time", () => {
    // A week ago, 2:30 was left out in Berlin.
    const nowMs = Date.parse("2026-04-05T00:30:00Z");
    expect(askedPeriod("today", "Europe/Berlin", nowMs).compareEnd).toBe("2026-03-29T00:59:59.999Z");
  });

  test("of all time has no ends", () => {
    expect(askedPeriod("all", "UTC", nowMs)).toEqual({ words: "all time" });
  });

  test.each([
    "",
    "8d",
    "2026-13",
    "2026-02-30",
    "2026-1-1",
    "2026-02..2026-01",
    "a..b",
    "2026-01..2026-02..2026-03",
    "toString",
  ])("%p is none", (text) => {
    expect(() => askedPeriod(text, "UTC", nowMs)).toThrow("--period: expected today, yesterday, 7d");
  });
});

describe("a table", () => {
  const row = (path: string, visitors: number) => ({
    path,
    visitors,
    visitors_percentage: visitors / 10,
    time_per_visit: visitors * 1_000,
  });

  test("has a head, aligned columns, and a bar for the share", () => {
    expect(tableOf([row("/", 1000), row("/日本", 125)])).toEqual([
      "Path   Visitors  % of visitors  Time per visit",
      `/         1,000           100%         16m 40s  ${"█".repeat(20)}`,
      "/日本       125            13%          2m 05s  ██▌",
    ]);
  });

  test("writes what would steer a terminal as its code, and cuts what is too long", () => {
    const lines = tableOf([row("/\u001b[2J\u202e", 1), row("", 1), row(`/${"a".repeat(100)}`, 1)]);
    expect(lines[1]).toStartWith("/\\u{1b}[2J\\u{202e} ");
    expect(lines[2]).toStartWith("(none) ");
    expect(lines[3]).toStartWith(`/${"a".repeat(46)}… `);
  });

  test("of totals says how they were before, and a dash for what has no base", () => {
    expect(totalsOf({ visitors: 10 }, { visitors: 12 })).toEqual(["Visitors  10  (12 before)"]);
    expect(totalsOf({ visitors: 10, visits: 9 }, { visitors: 12, visits: 0 })[1]).toBe(
      "Visits     9  (0 before)",
    );
    // Nothing is known of a period before the first page view, and that is no 0.
    expect(totalsOf({ visitors: 10, visits: 9 }, { visitors: 0, visits: 0 })).toEqual([
      "Visitors  10",
      "Visits     9",
    ]);
    expect(
      tableOf([
        { path: "/", visits: 1 },
        { path: "/a", visits: 1, bounce_percentage: 50 },
      ])[1],
    ).toBe("/          1            –");
  });
});

describe("footfall stats", () => {
  const command = [useExecutable()];
  const folder = useFolder();
  const run = (...words: string[]) => runToEnd(command, folder, words);

  test("says the same of a folder and of the server that holds it, in a table and as JSON", async () => {
    await fillFolder(join(folder, "snapshots"), 1, 1_000);
    const asked = [
      "stats",
      hostname,
      "browsers",
      "--period",
      "all",
      "--filter",
      "path[starts_with]=/docs",
      "--timezone",
      "UTC",
    ];
    const { output, errors } = await run(...asked, "--limit", "2");
    expect(errors).toBe("");
    const [head, columns, first, second, rest] = output.split("\n");
    expect(head).toBe(`${hostname}, browsers, all time (UTC)`);
    expect(columns).toBe(
      "Browser  Visitors  % of visitors  Visits  Views per visit  Bounce rate  Time per visit",
    );
    expect(first).toMatch(/^Chrome +\d+ +\d+% +\d+ .*█/);
    expect([second, rest]).toEqual([expect.stringMatching(/^\w+ /), ""]);

    const server = await ServerProcess.start(command, folder);
    try {
      expect((await run(...asked, "--limit", "2")).output).toBe(output);
      await server.logIn();
      const [csvHead, csvFirst] = (await run(...asked, "--csv")).output.split("\r\n");
      expect(csvHead).toBe(
        "browser,visitors,visitors_percentage,visits,views_per_visit,bounce_percentage,time_per_visit",
      );
      expect(csvFirst).toStartWith("Chrome,");
      const rows = JSON.parse((await run(...asked, "--json")).output) as unknown[];
      const query =
        "by=visit&metrics=visitors,visitors_percentage,visits,views_per_visit,bounce_percentage,time_per_visit";
      expect(rows).toEqual(await server.rows(hostname, `browsers?${query}&path[starts_with]=/docs&limit=20`));
      expect((await run("stats", hostname, "--period", "2026-10")).output).toMatch(
        /^Visitors +[\d,]+ +\([\d,]+ before\)$/m,
      );
      const days = await server.get(`/website/${hostname}/summary?interval=day`);
      const { interval } = (await days.json()) as { interval: { date: string }[] };
      const [first, from, to] = [0, 3, 9].map((day) => interval[day]?.date.slice(0, 10));
      expect(
        (await run("stats", hostname, "--period", `${from}..${to}`, "--timezone", "UTC")).output,
      ).toMatch(new RegExp(`^compared with .+, in which figures begin on ${first}$`, "m"));
    } finally {
      await server.end("SIGTERM");
    }
  });

  test("refuses what is no list, zone, filter or website", async () => {
    for (const [words, message] of [
      [[hostname, "nothing"], "list: expected pages, "],
      [[hostname, "pages", "--timezone", "Nowhere"], "--timezone: expected the IANA name"],
      [[hostname, "pages", "--filter", "path=/"], "filter: expected a filter such as"],
      [[hostname, "pages", "--filter", "paths[eq]=/"], "a filter: path, "],
      [[hostname, "pages", "--limit", "none"], "limit: expected an integer"],
      [[hostname, "--json", "--csv"], "--json and --csv are two forms of one answer: expected one of them"],
      [["none.example"], 'there is no website "none.example"'],
      [[`www.${hostname}`], `there is no website "www.${hostname}": its hits count for "${hostname}"`],
      [[hostname, "pages", "more"], "usage: footfall stats HOST [LIST]"],
    ] as const) {
      const { exitCode, errors } = await run("stats", ...words);
      expect([exitCode, errors]).toEqual([2, expect.stringContaining(message)]);
    }
  });
});

describe("footfall stats of goals and funnels", () => {
  const command = [useExecutable()];
  const site = "shop.example";
  let server: ServerProcess;
  afterAll(() => server.end("SIGTERM"));
  const folder = useFolder();
  const run = (...words: string[]) => runToEnd(command, folder, ["stats", site, ...words]);
  const refusal = async (...words: string[]) => {
    const { exitCode, errors } = await run(...words);
    expect(exitCode).toBe(2);
    return errors;
  };
  const linesOf = async (...words: string[]) => {
    const { output, errors } = await run(...words, "--timezone", "UTC");
    expect(errors).toBe("");
    return output.trimEnd().split("\n").slice(1);
  };

  beforeAll(async () => {
    server = await ServerProcess.start(command, folder);
    await server.logIn();
    const add = async (path: string, body: unknown) =>
      expect((await server.post(path, body)).status).toBe(201);
    await add("/websites", { hostname: site });
    await add(`/website/${site}/goals`, { name: "Pricing seen", page: { starts_with: "/pricing" } });
    await add(`/website/${site}/goals`, {
      name: "Signed up",
      event: { prop_name: "signup", amount: "price" },
    });
    const send = async (agent: string, body: object) =>
      expect((await server.post("/event/hit", body, { "user-agent": agent })).status).toBe(200);
    const view = (agent: string, b: string, path: string) =>
      send(agent, { b, u: `https://${site}${path}`, p: path === "/", q: false });
    // Four visitors begin, two go on to the prices, and one of these signs up twice.
    const agents = [115, 116, 117, 118].map(
      (version) => `Mozilla/5.0 (X11; Linux x86_64; rv:${version}.0) Firefox/${version}.0`,
    );
    for (const [at, agent] of agents.entries()) await view(agent, `home-${at}`, "/");
    for (const [at, agent] of agents.slice(0, 2).entries()) await view(agent, `pricing-${at}`, "/pricing");
    for (const price of [29, 0.5])
      await send(agents[0] as string, {
        b: "pricing-0",
        u: `https://${site}/pricing`,
        d: { signup: "pro", price },
      });
  });

  test("shows goals as the dashboard does, and as the API answers them", async () => {
    expect(await linesOf("goals")).toEqual([
      "Goal          Visits  Conversion rate  Times  Amount  Average",
      `Pricing seen       2              50%      2       –        –  ${"█".repeat(10)}`,
      `Signed up          1              25%      2   29.50    14.75  ${"█".repeat(5)}`,
    ]);
    // Filters choose visits: all that saw the first page, and the half that saw the prices.
    const filtered = async (filter: string) => (await linesOf("goals", "--filter", filter))[1];
    expect(await filtered("path[eq]=/")).toBe(
      `Pricing seen       2              50%      2       –        –  ${"█".repeat(10)}`,
    );
    expect(await filtered("path[eq]=/pricing")).toBe(
      `Pricing seen       2             100%      2       –        –  ${"█".repeat(20)}`,
    );
    const answer: unknown = JSON.parse((await run("goals", "--json")).output);
    expect(answer).toEqual(await server.rows(site, "goals"));
    const [head, first] = (await run("goals", "--csv")).output.split("\r\n");
    expect(head).toBe("id,name,page,visits,conversion_percentage,events,event,amount");
    expect(first).toStartWith("1,Pricing seen,");
  });

  test("shows what a goal came to, by its id or its name in whatever case", async () => {
    const byId = await linesOf("pages", "--goal", "2");
    expect(byId.map((line) => line.replace(/ *█*$/, ""))).toEqual([
      expect.stringMatching(/^Path .*% of views +Conversions +Conversion rate +Amount$/),
      expect.stringMatching(/^\/ .* 1 +25% +29\.50$/),
      expect.stringMatching(/^\/pricing .* 1 +50% +29\.50$/),
    ]);
    expect(await linesOf("pages", "--goal", "sIGNED up")).toEqual(byId);
    // A goal of pages sums up nothing.
    expect((await linesOf("browsers", "--goal", "Pricing seen"))[0]).toMatch(/Conversions +Conversion rate$/);
    expect(await linesOf("--goal", "2")).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^Conversions +1\b/),
        expect.stringMatching(/^Conversion rate +25%/),
        expect.stringMatching(/^Amount +29\.50\b/),
      ]),
    );
    const query = "by=visit&goal=2&metrics=visitors,conversions,conversion_percentage,amount";
    const [asked] = (await server.rows(site, `channels?${query}`)) as object[];
    expect(JSON.parse((await run("channels", "--goal", "signed up", "--json")).output)).toMatchObject([
      asked!,
    ]);
    for (const list of ["entries", "exits", "time", "properties", "referrers", "campaigns", "countries"])
      expect((await linesOf(list, "--goal", "2")).length).toBeGreaterThan(0);
  });

  test("refuses a goal that there is not, or that several are, and says which there are", async () => {
    const goals = 'of 1 "Pricing seen", 2 "Signed up"';
    for (const goal of ["Sign", "3"])
      expect(await refusal("pages", "--goal", goal)).toContain(`${goals}, got ${JSON.stringify(goal)}`);
    const twin = { name: "SIGNED UP", event: { prop_name: "signup" } };
    expect((await server.post(`/website/${site}/goals`, twin)).status).toBe(201);
    expect(await refusal("pages", "--goal", "signed up")).toContain(
      `goal: expected the id of a goal, or a name that one goal has, ${goals}, 3 "SIGNED UP", got "signed up"`,
    );
    expect(await linesOf("pages", "--goal", "3")).toHaveLength(3);
    for (const list of ["goals", "funnel"])
      expect(await refusal(list, "--goal", "2")).toContain("list: expected summary or a list whose rows");
    expect((await server.post("/websites", { hostname: "empty.example" })).status).toBe(201);
    const { errors } = await runToEnd(command, folder, ["stats", "empty.example", "pages", "--goal", "a"]);
    expect(errors).toContain("goal: this website has no goals");
  });

  test("shows a funnel of the steps in their order", async () => {
    const steps = ["page:/", "page[starts_with]:/pric", "goal:2"].flatMap((step) => ["--step", step]);
    expect(await linesOf("funnel", ...steps)).toEqual([
      "Step                     Visits  Of the step before  Of all visits",
      `page:/                        4                100%           100%  ${"█".repeat(20)}`,
      `page[starts_with]:/pric       2                 50%            50%  ${"█".repeat(10)}`,
      `goal:2                        1                 50%            25%  ${"█".repeat(5)}`,
    ]);
    const answer: unknown = JSON.parse((await run("funnel", ...steps, "--json")).output);
    expect(answer).toEqual(
      await server.rows(site, "funnel?step=page:/&step=page[starts_with]:/pric&step=goal:2"),
    );
    const [head] = (await run("funnel", ...steps, "--csv")).output.split("\r\n");
    expect(head).toBe("step,visits,step_percentage,total_percentage");
  });

  test("shows where people went from a page, and where they came from", async () => {
    expect(await linesOf("journeys", "--page", "/")).toEqual([
      "Path                    Times  Share",
      `/pricing                    2    50%  ${"█".repeat(10)}`,
      `(the visit ended here)      2    50%  ${"█".repeat(10)}`,
    ]);
    const before = ["journeys", "--page", "/pricing", "--direction", "previous"];
    expect(await linesOf(...before)).toEqual([
      "Path                    Times  Share",
      `/                           2   100%  ${"█".repeat(20)}`,
      "(the visit began here)      0     0%",
    ]);
    expect(JSON.parse((await run(...before, "--json")).output)).toEqual(
      await server.rows(site, "journeys?path=/pricing&direction=previous"),
    );
    expect((await run(...before, "--csv")).output).toStartWith("path,stays,stays_percentage\r\n/,2,100");
    for (const [words, message] of [
      [["journeys"], "page: expected a path like /pricing"],
      [["journeys", "--page", "/", "--direction", "up"], "direction: expected next or previous"],
      [["journeys", "--page", "/", "--goal", "2"], "list: expected summary or a list whose rows"],
      [["pages", "--page", "/"], "list: expected journeys, which alone has a page"],
    ] as const)
      expect((await run(...words)).errors).toContain(message);
  });

  test("shows a saved funnel by its name, and says which there are", async () => {
    expect(await refusal("funnel", "--name", "To the prices")).toContain(
      "name: this website has no saved funnel: give steps",
    );
    const steps = ["page:/", "page[starts_with]:/pric"];
    const save = async (name: string) =>
      expect((await server.post(`/website/${site}/funnels`, { name, steps })).status).toBe(201);
    await save("To the prices");
    await save("Twice");
    await save("Twice");
    const byStep = await linesOf("funnel", ...steps.flatMap((step) => ["--step", step]));
    expect(byStep).toHaveLength(3);
    expect(await linesOf("funnel", "--name", "To the prices")).toEqual(byStep);
    const names = 'name: expected the name of one saved funnel of "To the prices", "Twice", "Twice", got ';
    for (const name of ["Checkout", "to the prices", "Twice"])
      expect(await refusal("funnel", "--name", name)).toContain(`${names}${JSON.stringify(name)}`);
    expect(await refusal("funnel", "--name", "To the prices", "--step", "page:/")).toContain(
      "name: expected either the name of a saved funnel or steps",
    );
    for (const name of ["To the prices", "plan"])
      expect(await refusal("properties", "--name", name)).toContain(
        "list: expected funnel, which alone has a name and steps",
      );
  });

  test("refuses steps that are none, too few, or of a list", async () => {
    for (const [words, message] of [
      [["funnel"], "step: expected 2 to 8 steps, got 0"],
      [["funnel", "--step", "page:/"], "step: expected 2 to 8 steps, got 1"],
      [["funnel", "--step", "page:/", "--step", "goal:9"], 'step: there is no goal "9" of this website'],
      [["funnel", "--step", "page:/", "--step", "/a"], "step: expected page:/pricing, "],
      [["goals", "--step", "page:/"], 'list: expected funnel, which alone has a name and steps, got "goals"'],
    ] as const) {
      const { exitCode, errors } = await run(...words);
      expect([exitCode, errors]).toEqual([2, expect.stringContaining(message)]);
    }
    expect((await server.post("/websites", { hostname: "plain.example", visits: false })).status).toBe(201);
    const { exitCode, errors } = await runToEnd(command, folder, ["stats", "plain.example", "goals"]);
    expect([exitCode, errors]).toEqual([2, expect.stringContaining("visits")]);
  });
});

describe("accounts and websites", () => {
  const command = [useExecutable()];
  const folder = useFolder();
  const run = async (words: string, input = "") => {
    const { exitCode, output, errors } = await runToEnd(command, folder, words.split(" "), input);
    return exitCode === 0 ? output : errors;
  };

  test("are not said to be printed where standard output is full", async () => {
    const data = mkdtempSync(join(folder, "full-"));
    const made = ["user add ada", "website add a.example", "token add first --scope read"];
    for (const words of made)
      expect((await runToEnd(command, data, words.split(" "), "correct horse\n")).exitCode).toBe(0);
    const full =
      "cannot write to standard output: the disk is full: free some space, or files if `df -i` says 100 % (ENOSPC)";
    const intoFull = ["sh", "-c", 'exec "$@" > /dev/full', "sh", ...command];
    for (const [words, advice] of [
      ["stats a.example", ""],
      ["stats a.example pages --json", ""],
      ["website list", ""],
      ["user list", ""],
      ["token list", ""],
      ["--help", ""],
      ["website invite a.example", "; the invitation was made, and nobody has seen it: revoke it in"],
      [
        "token add second --scope read",
        "; the token was made, and nobody has seen it: 'footfall token list'",
      ],
    ] as const) {
      const { exitCode, errors } = await runToEnd(intoFull, data, words.split(" "));
      expect([words, exitCode, errors]).toEqual([words, 2, expect.stringMatching(/^footfall: [^\n]*\n$/)]);
      expect(errors).toStartWith(`footfall: ${full}${advice}`);
    }
    // Both secrets were made, as their lines say.
    const tokens = await runToEnd(command, data, ["token", "list"]);
    expect(tokens.output).toMatch(/\tfirst\t.*\n.*\tsecond\t/);
    // A server serves all the same.
    const server = Bun.spawn([...intoFull, "--host", "127.0.0.1", "--port", "0"], {
      cwd: data,
      env: { PATH: process.env["PATH"] ?? "" },
      stdio: ["ignore", "ignore", Bun.file(join(data, "log.txt"))],
    });
    try {
      const log = () => readFileSync(join(data, "log.txt"), "utf8");
      await until(() => log().includes(full), "it said that it could not print its greeting");
      expect((await runToEnd(command, data, ["website", "list"])).output).toContain("a.example");
      server.kill("SIGTERM");
      expect(await server.exited).toBe(0);
    } finally {
      server.kill("SIGKILL");
    }
  });

  test("get links below the address of the server that runs", async () => {
    const data = mkdtempSync(join(folder, "linked-"));
    for (const words of ["user add ada", "website add a.example"])
      await runToEnd(command, data, words.split(" "), "correct horse\n");
    const invite = async (...words: string[]) =>
      (await runToEnd(command, data, ["website", "invite", "a.example", ...words])).output.split("#")[0];
    for (const [settings, begin] of [
      [["--base", "/stats", "--url", "https://stats.example/stats"], "https://stats.example/stats"],
      [["--base", "/stats"], "/stats"],
    ] as const) {
      const server = await ServerProcess.start(command, data, settings);
      expect(await invite()).toBe(`${begin}/dashboard/invitation`);
      expect(await invite("--url", "https://other.example")).toBe(
        "https://other.example/dashboard/invitation",
      );
      expect(await server.end("SIGTERM")).toBe(0);
    }
  });

  longTest("are listed, renamed and removed", async () => {
    expect(await run("website list")).toContain("is no data folder: name it with --data");
    for (const name of ["ada", "grace"]) await run(`user add ${name}`, "correct horse\n");
    expect(await run("website add https://a.example/ --user grace")).toBe("added a.example to grace\n");
    const link = /^https:\/\/stats\.example\.com\/f\/dashboard\/invitation#\S+\n$/;
    expect(await run("website invite a.example --url https://stats.example.com/f/")).toMatch(link);
    expect(await run("website invite a.example")).toMatch(/^\/dashboard\/invitation#\S+\n/);
    expect(await run("user list")).toBe("ada\t0 websites\ngrace\t1 website\n");
    expect(await run("website add-member a.example ada --role editor")).toBe(
      "ada has a.example as editor now\n",
    );
    expect(await run("website add-member a.example ada")).toContain("this account has the website already");
    expect(await run("website add-member a.example ada --role owner")).toBe(
      "ada has a.example as owner now\n",
    );
    expect(await run("user list")).toBe("ada\t1 website\ngrace\t1 website\n");
    const newLine = "put the new line of its set-up page into its pages";
    expect(await run("website rename a.example b.example")).toBe(
      `a.example is b.example now\nHits from a.example count from now on, and links with it open, only if it is one of the other hostnames: ${newLine}.\n`,
    );
    expect(await run("website rename b.example www.b.example")).toBe("b.example is www.b.example now\n");
    expect(await run("website rename www.b.example b.example")).toBe("www.b.example is b.example now\n");
    const help = (await run("website rename --help")).replace(/\s+/g, " ");
    expect(help).toContain(
      `hits from the old name count, and links with it open, only if it is one of the other hostnames: ${newLine}`,
    );
    expect(await run("website rename a.example c.example")).toContain('there is no website "a.example"');
    expect(await run("website remove c.example", "y\n")).toContain('there is no website "c.example"');
    expect(await run("website remove b.example", "n\n")).toBe("");
    expect(await run("website list")).toBe("b.example\tgrace\n");
    expect(await run("user remove grace")).toContain("Remove grace for good? [y/N]");
    expect(await run("website remove-member b.example ada")).toBe("ada has b.example no more\n");
    expect(await run("user remove grace")).toContain(
      "Remove grace for good, with the statistics of 1 website that nobody else owns: b.example? [y/N]",
    );
    expect(await run("website remove b.example", "y\n")).toBe("removed b.example\n");
    expect(await run("website list")).toBe("");
    expect(await run("user remove nobody")).toContain('there is no account "nobody"');
    expect(await run("user remove nobody --yes")).toContain('there is no account "nobody"');
    expect(await run("user remove grace --yes")).toBe("removed grace\n");
    expect(await run("user list")).toBe("ada\t0 websites\n");
  });
});
