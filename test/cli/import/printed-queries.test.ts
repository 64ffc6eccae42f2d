/**
 * That the pages show the queries which the help of `import` shows, word for word, and that these make files of a database
 * which the import takes whole: PostgreSQL with Umami's tables, DuckDB with Medama's. DuckDB also answers what docs/data.md
 * asks of an export.
 */
import { expect, test } from "bun:test";
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ga4 } from "../../../src/cli/import/formats/ga4/events.ts";
import { matomo } from "../../../src/cli/import/formats/matomo.ts";
import { medama } from "../../../src/cli/import/formats/medama.ts";
import { umami } from "../../../src/cli/import/formats/umami.ts";
import { run } from "../../support/program.ts";
import { withFolder } from "../../support/folder.ts";
import { madeHost, madeUpViews, medamaCsv, umamiCsv, umamiEventData } from "../../support/made-up-people.ts";
import { describeWith, isThere, nameWith } from "../../support/needs.ts";
import { commandsOf } from "../../support/page-commands.ts";
import { Postgres } from "../../support/postgres.ts";
import { randomFrom } from "../../support/random.ts";
import { RecordedTerminal } from "../../support/recorded-terminal.ts";
import { seed } from "../../support/seed.ts";

const docs = join(import.meta.dir, "..", "..", "..", "docs");
const textOf = (page: string) => readFileSync(join(docs, page), "utf8");
/** White space between words is as wide as a page has room. */
const words = (text: string) => text.replaceAll(/\s+/g, " ").replaceAll("( ", "(");

test.each([
  ["coming-from-medama.md", medama],
  ["importing.md", umami],
  ["importing.md", ga4],
  ["importing.md", matomo],
])("%s", (page, { madeBy }) => {
  expect(madeBy?.length).toBeGreaterThan(100);
  expect(words(textOf(page))).toContain(words(madeBy as string));
});

/** Returns the command of a page that begins with this program. */
function printed(page: string, program: string): string {
  return commandsOf(page, textOf(page)).find(({ text }) => text.startsWith(program))?.text as string;
}

/** Imports a file into a new folder, and returns what the report and the list of properties say. */
async function imported(folder: string, file: string) {
  const footfall = async (line: string, input = "") => {
    const terminal = new RecordedTerminal(input);
    const exitCode = await run([...line.split(" "), "--data", join(folder, "data")], {}, terminal);
    expect([exitCode, terminal.noted]).toEqual([0, terminal.noted]);
    return terminal.printed.join("\n");
  };
  await footfall("user add ada", "a good password\n");
  await footfall(`website add ${madeHost}`);
  const report = await footfall(`import ${madeHost} ${join(folder, file)}`);
  const properties = JSON.parse(await footfall(`stats ${madeHost} properties --period all --json`)) as {
    readonly name: string;
    readonly events: number;
  }[];
  return {
    footfall,
    report,
    properties: Object.fromEntries(properties.map(({ name, events }) => [name, events])),
  };
}

const views = madeUpViews(randomFrom(seed()));
const viewCount = views.filter(({ kind }) => kind === "view").length;
const eventCount = views.length - viewCount;

/** The columns of Umami's tables that the query names or that a file needs (3.1, prisma/schema.prisma). */
const umamiTables = `
  CREATE TABLE session (session_id uuid PRIMARY KEY, website_id uuid, browser varchar(20), os varchar(20),
    device varchar(20), language varchar(35), country char(2), created_at timestamptz);
  CREATE TABLE website_event (event_id uuid PRIMARY KEY, website_id uuid, session_id uuid, visit_id uuid,
    created_at timestamptz, url_path varchar(500), url_query varchar(500), referrer_path varchar(500),
    referrer_domain varchar(500), page_title varchar(500), event_type int, event_name varchar(50), hostname varchar(100));
  CREATE TABLE event_data (event_data_id text PRIMARY KEY, website_event_id uuid, data_key varchar(500),
    string_value varchar(500), number_value decimal(19, 4), date_value timestamptz, data_type int, created_at timestamptz);`;

/** Fills two of them from the rows in which a session's columns stand beside those of an event. */
const fillUmami = `
  INSERT INTO session SELECT DISTINCT ON (session_id) session_id::uuid, website_id::uuid, browser, os, device, language,
    country, created_at::timestamptz FROM made;
  INSERT INTO website_event SELECT event_id::uuid, website_id::uuid, session_id::uuid, visit_id::uuid,
    created_at::timestamptz, url_path, url_query, referrer_path, referrer_domain, page_title, event_type::int, event_name,
    hostname FROM made;`;

const lacking = (["time", "postgres"] as const).find((need) => !isThere(need));
test.skipIf(lacking !== undefined)(
  nameWith(lacking ?? "time", "Umami's query makes a file of its database"),
  () =>
    withFolder(async (folder) => {
      chmodSync(folder, 0o755);
      const postgres = await Postgres.start(folder);
      try {
        const made = umamiCsv(views);
        const columns = (made.split("\n", 1)[0] as string).split(",");
        const done = (sql: string, input?: string) => {
          const { stderr, success } = postgres.run(sql, input);
          expect([success, stderr.toString()]).toEqual([true, stderr.toString()]);
        };
        done(`${umamiTables} CREATE TABLE made (${columns.map((name) => `${name} text`).join(", ")})`);
        done("COPY made FROM STDIN (FORMAT csv, HEADER)", made);
        done("COPY event_data FROM STDIN (FORMAT csv, HEADER)", umamiEventData(views));
        done(fillUmami);
        const command = printed("importing.md", "psql").replace(
          "'ID'",
          `(SELECT min(website_id::text) FROM made)::uuid`,
        );
        const env = { ...process.env, DATABASE_URL: postgres.url };
        const { stderr } = Bun.spawnSync(["bash", "-c", command], { cwd: folder, env });
        expect(stderr.toString()).toBe("");
        const { report, properties } = await imported(folder, "umami.csv");
        expect(report).toContain(`${viewCount} taken as page views of ${madeHost}`);
        expect(properties).toEqual({ "sign up": eventCount, plan: eventCount, price: eventCount });
      } finally {
        await postgres.stop();
      }
    }),
);

/** Returns statements that make Medama's tables (0.6, core/migrations) of a file in which properties stand beside their page view. */
function medamaTables(path: string): string[] {
  const typed = "* REPLACE (date_created::TIMESTAMPTZ AS date_created, duration_ms::UINTEGER AS duration_ms)";
  const event = "bid, hostname AS group_name, p->>'n' AS name, p->>'v' AS value";
  const happened = "to_timestamp((p->>'t')::BIGINT / 1000) AS date_created";
  const properties = `SELECT bid, hostname, unnest(from_json(properties, '["json"]')) AS p FROM made WHERE properties IS NOT NULL`;
  return [
    `CREATE TABLE made AS SELECT * FROM read_csv('${path}', header = true, all_varchar = true)`,
    `CREATE TABLE views AS SELECT * EXCLUDE (properties) FROM (SELECT ${typed} FROM made)`,
    `CREATE TABLE events AS SELECT ${event}, ${happened} FROM (${properties})`,
  ];
}

describeWith("duckdb", "in DuckDB", () => {
  test("Medama's query makes a file of its database, and an export answers the questions of docs/data.md", () =>
    withFolder(async (folder) => {
      // Only where the package is installed.
      const { openDatabase } = await import("../../../bench/duckdb.ts");
      await Bun.write(join(folder, "made.csv"), medamaCsv(views));
      // Its command gets the file and the query, which names a file of the folder that it is called in.
      const asked = `duckdb() { printf %s "$3"; }\n${printed("coming-from-medama.md", "duckdb")}`;
      const query = Bun.spawnSync(["bash", "-c", asked]).stdout.toString();
      const database = await openDatabase(join(folder, "me_analytics.db"));
      for (const sql of medamaTables(join(folder, "made.csv"))) await database.ask(sql);
      await database.ask(query.replace("'medama.csv'", `'${folder}/medama.csv'`));
      const { footfall, report, properties } = await imported(folder, "medama.csv");
      expect(report).toContain(`${viewCount} taken as page views of ${madeHost}`);
      const signUps = medamaCsv(views).split("sign up").length - 1;
      expect(properties).toEqual({ "sign up": signUps });
      for (const name of ["rows.jsonl", "rows.jsonl.gz"])
        await footfall(`export ${madeHost} --out ${join(folder, name)}`);
      const [, block = ""] = /^```sql\n([^]*?)^```/m.exec(textOf("data.md")) ?? [];
      const [paths = [], values = []] = await Promise.all(
        block
          .replaceAll(/(?<=')(?=rows\.)/g, `${folder}/`)
          .split(/(?<=;)\n/)
          .filter((sql) => sql !== "")
          .map((sql) => database.ask(sql)),
      );
      database.close();
      expect(paths.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(viewCount);
      expect(values).toEqual([["sign up", 'yes, "it" is', BigInt(signUps)]]);
    }));
});
