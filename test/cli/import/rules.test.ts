/** The rules of a website hold for lines of logs: by `footfall import` beside a server and without one, and by uploads. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { useExecutable } from "../../support/executable.ts";
import { apacheTime, goatCounterCsv, madeUpViews, userAgent } from "../../support/made-up-people.ts";
import { randomFrom } from "../../support/random.ts";
import { seed } from "../../support/seed.ts";
import { runToEnd, ServerProcess } from "../../support/server.ts";

const executable = useExecutable();
const folder = mkdtempSync(join(tmpdir(), "footfall-import-rules-"));
afterAll(() => rmSync(folder, { recursive: true }));

const hostname = "example.com";
const startMs = Date.UTC(2024, 4, 1, 12);
const crawler = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
interface Parts {
  readonly address?: string;
  readonly path?: string;
  readonly referrer?: string;
  readonly agent?: string;
}
function line({ address = "203.0.113.7", path = "/", referrer = "-", agent = userAgent }: Parts = {}) {
  return `${address} - - [${apacheTime(startMs, 0)}] "GET ${path} HTTP/1.1" 200 5 "${referrer}" "${agent}"\n`;
}

/** Three lines that count, one of a known crawler, and three that rules block. */
const lines = (first: string) =>
  [
    line({ path: first }),
    line({ address: "198.51.100.9" }),
    line({ address: "192.0.2.77" }),
    line({ path: "/Intern/plan" }),
    line({ referrer: "https://www.bad.example/x" }),
    line({ referrer: "https://pay.example/done", agent: `${userAgent} other` }),
    line({ agent: crawler }),
  ].join("");
const rules = {
  blocked_networks: ["192.0.2.0/24"],
  blocked_countries: ["Unknown", "Germany"],
  blocked_paths: ["/intern/*"],
  blocked_referrers: ["bad.example"],
  ignored_referrers: ["pay.example"],
};

const footfall = (...words: string[]) => runToEnd([executable], folder, words);
function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return name;
}

async function begun(): Promise<ServerProcess> {
  const server = await ServerProcess.start([executable], folder);
  await server.logIn();
  return server;
}

async function change(server: ServerProcess, body: object): Promise<void> {
  const answer = await fetch(server.url(`/website/${hostname}/rules`), {
    method: "PATCH",
    headers: { cookie: server.cookie, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
}

const figures = (output: string) => output.split("\n").filter((text) => /^ +\d/.test(text));

describe("the rules of a website", () => {
  test("hold for a log, whoever reads it, and for no export of another product", async () => {
    const server = await begun();
    await server.post("/websites", { hostname });
    await change(server, rules);

    const beside = await footfall("import", hostname, file("beside.log", lines("/beside")));
    expect(figures(beside.output).map((text) => text.trim())).toEqual([
      expect.stringContaining("3 taken as page views"),
      expect.stringContaining("1 from a crawler"),
      "3 blocked by the website's rules",
    ]);
    const upload = async (text: string) => {
      const answer = await fetch(server.url(`/website/${hostname}/import?dry_run=false`), {
        method: "POST",
        headers: { cookie: server.cookie },
        body: text,
      });
      return answer.json();
    };
    expect(await upload(lines("/upload"))).toMatchObject({
      pageviews: 3,
      left_out: [
        { reason: "crawler", lines: 1 },
        { reason: "blocked", text: "blocked by the website's rules", lines: 3 },
      ],
    });
    const paths = (await server.rows(hostname, "pages")).map(({ path }) => path);
    expect(paths.toSorted()).toEqual(["/", "/beside", "/upload"]);
    expect((await server.rows(hostname, "referrers")).map(({ referrer }) => referrer)).toEqual([""]);

    await change(server, { blocked_paths: ["/*"] });
    const views = madeUpViews(randomFrom(seed()));
    const pageviews = views.filter(({ kind }) => kind === "view").length;
    expect(await upload(goatCounterCsv(views))).toMatchObject({ pageviews, left_out: [] });
    await change(server, { count_crawlers: true, blocked_paths: [] });
    await server.end("SIGTERM");
    const without = await footfall("import", hostname, file("without.log", lines("/without")), "--yes");
    expect(figures(without.output).map((text) => text.trim())).toEqual([
      expect.stringContaining("5 taken as page views"),
      "2 blocked by the website's rules",
    ]);
  });
});
