/**
 * Three days of a public website, imported and counted a second time by a plain script: its own expressions,
 * its own maps, in common only the judgement of user agents.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { callables, type Control } from "../../../src/cli/control/control.ts";
import { recognised } from "../../../src/cli/import/formats/formats.ts";
import { caddyLog, nginxJsonLog } from "../../../src/cli/import/formats/logs/json-line.ts";
import { combinedLog, vhostCombined } from "../../../src/cli/import/formats/logs/text-line.ts";
import { Import } from "../../../src/cli/import/import.ts";
import type { ImportReport } from "../../../src/cli/import/report/report.ts";
import { LogSource } from "../../../src/cli/import/source.ts";
import { clientOf } from "../../../src/collect/visitor/client.ts";
import { isCrawler } from "../../../src/collect/visitor/crawler.ts";
import { Collector } from "../../../src/collect/fact.ts";
import type { ListName } from "../../../src/core/questions/dimension.ts";
import { limitMax } from "../../../src/core/questions/query.ts";
import { addUser } from "../../../src/engine/admin/account/users.ts";
import { addWebsite } from "../../../src/engine/admin/websites.ts";
import { openEngine } from "../../../src/engine/opening/open.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { silentLogger } from "../../../src/lib/log.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import type { Site } from "../../../src/store/state/site.ts";
import { answerList } from "../../support/answers.ts";
import { processCpuMs } from "../../support/cpu-time.ts";
import { InstantEngine } from "../../support/instant-engine.ts";
import { isThere, nameWith, realLogPath } from "../../support/needs.ts";
import { tidyPage } from "../../support/readme.ts";

const hostname = "semicomplete.com";
const path = realLogPath;
const there = isThere("log");

/** The figures of one value, as the plain script counts them. */
interface Counts {
  pageviews: number;
  visitors: number;
}

/** A value and its figures. */
type Figures = readonly unknown[];

function countPlainly(text: string) {
  const counts = {
    pages: new Map<string, Counts>(),
    referrers: new Map<string, Counts>(),
    browsers: new Map<string, Counts>(),
  };
  const today = new Set<string>();
  const count = (map: Map<string, Counts>, value: string, visitor: boolean) => {
    const row = map.get(value) ?? { pageviews: 0, visitors: 0 };
    map.set(value, { pageviews: row.pageviews + 1, visitors: row.visitors + (visitor ? 1 : 0) });
  };
  const isNew = (...key: string[]) => {
    const text = key.join(" | ");
    return !today.has(text) && today.add(text).has(text);
  };
  let views = 0;
  for (const line of text.split("\n")) {
    const [before = "", request = "", status = "", referrer = "", , agent] = line.split('"');
    if (agent === undefined || !line.endsWith('"')) continue;
    if (!request.startsWith("GET ") || !/^ (2..|304) /.test(status)) continue;
    const target = (request.split(" ")[1] ?? "").replace(/[?#].*/, "");
    const ending = /\.([a-z]\w*)$/i.exec(target)?.[1]?.toLowerCase() ?? "html";
    if (!["html", "xhtml", "php", "access", "jan05", "threads"].includes(ending)) continue;
    if (isCrawler(agent === "-" ? "" : agent)) continue;
    views++;
    const page = target === "/" ? "/" : target.replace(/\/$/, "");
    const day = /\[(\S+?):/.exec(before)?.[1] ?? "";
    const visitor = `${day} ${before.split(" ")[0]} ${agent}`;
    // One host is written as bytes that are no UTF-8, `\xe4\xe5…`: none that a browser would send.
    const source = /^https?:\/\/(?:www\.)?([^/?#:\\]+)(?::\d+)?([^?#]*)/i.exec(referrer);
    const own = source?.[1]?.toLowerCase() === hostname;
    const unique = isNew(visitor);
    count(counts.pages, page, isNew(visitor, page));
    count(counts.browsers, clientOf(agent).browser, unique);
    count(
      counts.referrers,
      source === null || own ? "" : source[1]?.toLowerCase() + (source[2] ?? "").replace(/\/$/, ""),
      unique,
    );
  }
  return { views, ...counts };
}

describe.skipIf(!there)(nameWith("log", "the log of a public website"), () => {
  const folder = mkdtempSync(join(tmpdir(), "footfall-real-log-"));
  let engine: Awaited<ReturnType<typeof openEngine>>;
  let report: ImportReport;
  let again: ImportReport;
  let milliseconds: number;
  let site: Site;

  const importIt = () => {
    const control = callables(engine) as unknown as Control;
    const common = { control, collector: new Collector(), hostname, nowMs: () => systemClock.nowMs() };
    return new Import({ ...common, format: combinedLog }).run(
      new LogSource(path, process.stdin).chunks(),
      () => {},
    );
  };

  beforeAll(async () => {
    engine = await openEngine({
      folder,
      clock: systemClock,
      random: systemRandom,
      logger: silentLogger,
      demo: false,
    });
    const { userId } = await addUser(engine, { username: "ada", password: "a good password" });
    const { websiteId } = await addWebsite(engine, { userId, sessionId: "" }, { hostname });
    const startMs = processCpuMs();
    report = await importIt();
    milliseconds = processCpuMs() - startMs;
    again = await importIt();
    site = engine.site(websiteId) as Site;
  });

  afterAll(async () => {
    await engine.stop();
    rmSync(folder, { recursive: true });
  });

  const list = (name: ListName) =>
    answerList(site, {
      list: name,
      period: { startMs: -Infinity, endMs: Infinity },
      filters: [],
      limit: limitMax,
      offset: 0,
      summary: false,
      grouped: false,
      locale: false,
    });

  const plain = there ? countPlainly(readFileSync(path, "utf8")) : countPlainly("");

  test("every line is accounted for, once", () => {
    const leftOut = Object.values(report.leftOut).reduce((sum, lines) => sum + lines, 0);
    expect({ lines: report.lines, sum: report.taken + leftOut }).toEqual({ lines: 10_000, sum: 10_000 });
    expect(report.leftOut.unreadable).toBe(1);
    expect(report.taken).toBe(plain.views);
    expect({ taken: again.taken, imported: again.leftOut.imported }).toEqual({ taken: 0, imported: 10_000 });
  });

  /** Finds what one of the two has and the other has not. */
  const differences = (found: readonly Figures[], expected: readonly Figures[]) => {
    const lines = (rows: readonly Figures[]) => new Set(rows.map((row) => row.join(" ")));
    return [...lines(found).symmetricDifference(lines(expected))].sort();
  };

  test("pages have the page views and visitors that a plain count finds", () => {
    const found = list("pages").map(({ path, pageviews, visitors }): Figures => [path, pageviews, visitors]);
    expect(found.length).toBeGreaterThan(100);
    const expected = [...plain.pages].map(([path, { pageviews, visitors }]) => [path, pageviews, visitors]);
    expect(differences(found, expected)).toEqual([]);
  });

  test.each([
    ["referrers", "referrer"],
    ["browsers", "browser"],
  ] as const)("%s have the visitors that a plain count finds", (name, field) => {
    const found = list(name).map((row): Figures => [row[field], row.visitors]);
    expect(found.length).toBeGreaterThan(5);
    const expected = [...plain[name]].map(([value, { visitors }]) => [value, visitors]);
    expect(differences(found, expected)).toEqual([]);
  });

  const collector = new Collector();
  /** The parts of a line, by a plain expression; the one line that was cut has none. */
  const linesAs = (write: (line: string, parts: Record<string, string>) => string) =>
    readFileSync(path, "utf8")
      .split("\n")
      .flatMap((line) => {
        const found =
          /^(?<address>\S+) - - \[(?<time>.+?)\] "(?<request>.*?)" (?<status>\d+) \S+ "(?<referer>.*?)" "(?<agent>.*)"$/.exec(
            line,
          );
        return found?.groups === undefined ? [] : [write(line, found.groups)];
      })
      .join("\n")
      .concat("\n");
  const headersOf = ({ agent = "", referer = "" }: Record<string, string>) => ({
    ...(agent !== "-" && { "User-Agent": [agent] }),
    ...(referer !== "-" && { Referer: [referer] }),
  });

  test.each([
    [vhostCombined, (line: string) => `www.${hostname}:80 ${line}`],
    [
      caddyLog,
      (_: string, parts: Record<string, string>) => {
        const [method, uri] = (parts["request"] ?? "").split(" ");
        const request = {
          remote_ip: parts["address"],
          host: hostname,
          method,
          uri,
          headers: headersOf(parts),
        };
        const ts = Date.parse((parts["time"] ?? "").replace(":", " ").replaceAll("/", " ")) / 1_000;
        return JSON.stringify({ level: "info", ts, request, status: Number(parts["status"]) });
      },
    ],
    [
      nginxJsonLog,
      (_: string, { time, address, request, status, referer, agent }: Record<string, string>) =>
        JSON.stringify({
          time_local: time,
          remote_addr: address,
          request,
          status,
          http_referer: referer,
          http_user_agent: agent,
        }),
    ],
  ])("in another format it has the same page views and visitors", async (format, write) => {
    const own = new InstantEngine();
    const account = { userId: 1, username: "ada", passwordHash: "-", firstOnly: true };
    await own.commit({ kind: "userAdded", timeMs: own.nowMs(), ...account });
    await addWebsite(own, { userId: 1, sessionId: "" }, { hostname });
    const control = callables(own) as unknown as Control;
    const common = { control, collector, hostname, nowMs: () => systemClock.nowMs() };
    const text = linesAs(write);
    expect(recognised(text.split("\n", 5), "it").name).toBe(format.name);
    const chunks = new Response(text).body as unknown as AsyncIterable<Uint8Array>;
    const { taken, leftOut } = await new Import({ ...common, format }).run(chunks, () => {});
    const loads = own.committed.flatMap((record) => (record.kind === "import" ? record.loads : []));
    expect({ taken, unreadable: leftOut.unreadable }).toEqual({ taken: plain.views, unreadable: 0 });
    const visitors = [...plain.browsers.values()].reduce((sum, { visitors }) => sum + visitors, 0);
    expect(loads.filter(({ unique }) => unique)).toHaveLength(visitors);
  });

  test("docs/importing.md shows what a plain count finds", async () => {
    const text = await tidyPage("docs/importing.md");
    const sum = (map: ReadonlyMap<string, Counts>, value: RegExp) =>
      [...map].reduce((visitors, [key, counts]) => visitors + (value.test(key) ? counts.visitors : 0), 0);
    const groups: readonly (readonly [name: string, hosts: RegExp])[] = [
      ["direct", /^$/],
      ["Google", /^([a-z]+\.)?google\.[a-z.]+(\/|$)/],
      ["Stack Overflow", /^stackoverflow\.com/],
      ["logstash.net", /^logstash\.net/],
      ["Stack Exchange", /^(superuser|askubuntu|serverfault)\.com|stackexchange\.com/],
    ];
    const browsers = ["Firefox", "Chrome", "Internet Explorer", "Safari", "Opera"];
    const pages = [...plain.pages].sort(([, a], [, b]) => b.visitors - a.visitors).slice(0, 5);
    for (const [path, { visitors, pageviews }] of pages)
      expect(text).toContain(`| ${path} | ${visitors} | ${pageviews} |`);
    for (const [at, [name, hosts]] of groups.entries()) {
      const browser = browsers[at] as string;
      const visitors = plain.browsers.get(browser)?.visitors;
      expect(text).toContain(`| ${name} | ${sum(plain.referrers, hosts)} | | ${browser} | ${visitors} |`);
    }
    expect(text).toContain(`${plain.views.toLocaleString("en")} taken as page views of semicomplete.com`);
  });

  test("takes under two seconds", () => {
    expect(milliseconds).toBeLessThan(2_000);
  });
});
