/** `footfall import` as somebody runs it: on real files, of a real folder. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../../support/program.ts";
import { RecordedTerminal } from "../../support/recorded-terminal.ts";
import { fromSource } from "../../support/server.ts";
import {
  apacheTime,
  goatCounterCsv,
  madeUpViews,
  umamiCsv,
  umamiEventData,
  umamiWithData,
  userAgent,
} from "../../support/made-up-people.ts";

const folder = mkdtempSync(join(tmpdir(), "footfall-import-"));
const data = ["--data", join(folder, "data")];
const startMs = Date.UTC(2024, 4, 1, 12);
const dayMs = 86_400_000;
let websites = 0;
let hostname = "";

/** Runs the program, and returns what it wrote. */
async function footfall(words: readonly string[], input = "", watched = false) {
  const terminal = new RecordedTerminal(input, watched);
  const exitCode = await run([...words, ...data], {}, terminal);
  return { exitCode, output: terminal.printed.join("\n"), errors: terminal.noted.join("\n") };
}

function file(name: string, bytes: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

const line = (timeMs: number, path: string, hours = 0, address = "203.0.113.7") =>
  `${address} - - [${apacheTime(timeMs, hours)}] "GET ${path} HTTP/1.1" 200 5 "-" "${userAgent}"\n`;
/** One page view on each of some days. */
const someDays = (days: number) =>
  Array.from({ length: days }, (_, at) => line(startMs + at * dayMs, `/${at}`)).join("");
const total = async (figure: string) => {
  const { output } = await footfall(["stats", hostname, "--period", "all", "--json"]);
  return (JSON.parse(output) as { current: Record<string, number> }).current[figure];
};

beforeAll(async () => {
  await footfall(["user", "add", "ada"], "a good password\n");
});
beforeEach(async () => {
  hostname = `h${++websites}.example`;
  await footfall(["website", "add", hostname]);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("a file that can be read", () => {
  test.each([
    ["gzip", (bytes: Buffer) => Bun.gzipSync(bytes as never)],
    ["zstd", (bytes: Buffer) => Bun.zstdCompressSync(bytes)],
    ["nothing", (bytes: Buffer) => bytes],
  ] as const)("packed with %s is named, and taken once", async (_, packed) => {
    const path = file("a.log", packed(Buffer.from(someDays(3))));
    const dry = await footfall(["import", hostname, path, "--dry-run"]);
    expect(dry.output).toContain("is an access log in the combined format");
    expect(dry.output).toEndWith("nothing was imported");
    expect(await total("pageviews")).toBe(0);
    const first = await footfall(["import", hostname, path]);
    expect(first).toMatchObject({ exitCode: 0, errors: "" });
    expect(first.output).toContain(`3 taken as page views of ${hostname}, 2024-05-01 to 2024-05-03`);
    const again = await footfall(["import", hostname, path]);
    expect(again).toMatchObject({ exitCode: 0, errors: "" });
    expect(again.output).toContain("3 already imported");
    expect(await total("pageviews")).toBe(3);
  });

  test("is taken beside empty ones, such as a log that was just rotated", async () => {
    const full = file("access.log.1", someDays(3));
    const [rotated, packed] = [file("access.log", ""), file("access.log.2.gz", Bun.gzipSync(""))];
    const { exitCode, output, errors } = await footfall(["import", hostname, packed, full, rotated]);
    expect([exitCode, errors]).toEqual([0, ""]);
    expect(output).toStartWith(`${packed} is empty\n${rotated} is empty\n${full} is an access log`);
    expect(await total("pageviews")).toBe(3);
    expect(await footfall(["import", hostname, packed, rotated])).toMatchObject({
      exitCode: 2,
      errors: expect.stringContaining(`${packed}" is empty`),
    });
  });

  test("is not taken for an empty one where it begins with many empty lines", async () => {
    const [spaced, full] = [file("spaced.log", "\n".repeat(60) + someDays(5)), file("full.log", someDays(2))];
    const words = ["import", hostname, full, spaced];
    expect((await footfall(words)).exitCode).toBe(2);
    expect((await footfall([...words, "--format", "combined"])).exitCode).toBe(0);
    expect(await total("pageviews")).toBe(7);
  });

  test("is taken once where it is named twice, and a dry run says the same", async () => {
    const [plain, packed] = [file("f.log", someDays(3)), file("f.gz", Bun.gzipSync(someDays(5)))];
    const words = ["import", hostname, plain, packed];
    const figures = ({ output }: { output: string }) =>
      output.split("\n").filter((text) => /^ +\d/.test(text));
    const taken = `  5 taken as page views of ${hostname}, 2024-05-01 to 2024-05-05`;
    const expected = [taken, "  3 already imported (--anew takes them again, once purged)"];
    expect(figures(await footfall([...words, "--dry-run"]))).toEqual(expected);
    expect(figures(await footfall(words))).toEqual(expected);
    expect(await total("pageviews")).toBe(5);
  });

  test("that is named twice does not hide days that were tracked", async () => {
    await footfall(["import", hostname, file("tracked.log", line(startMs, "/tracked"))]);
    const [plain, packed] = [file("g.log", someDays(3)), file("g.gz", Bun.gzipSync(someDays(3)))];
    for (const more of [["--dry-run"], []]) {
      const { errors } = await footfall(["import", hostname, plain, packed, ...more]);
      expect(errors).toContain("1 day has page views");
    }
    expect(await total("pageviews")).toBe(1);
  });

  test("names the other host that most of the lines are for, of all files together", async () => {
    const vhost = (host: string, at: number) => `${host}:443 ${line(startMs + at * dayMs, "/")}`;
    const one = file(
      "v1.log",
      [1, 2].map((at) => vhost("new.example", at)).join("") + vhost("www.old.example", 3),
    );
    const two = file("v2.log", [4, 5].map((at) => vhost("old.example", at)).join("") + vhost(hostname, 6));
    for (const more of [["--dry-run"], []]) {
      const { output } = await footfall(["import", hostname, one, two, ...more]);
      expect(output).toContain('\n  5 for another host, most often "old.example"');
    }
  });

  test("may begin with a byte order mark, and its visitors change with its own days", async () => {
    // 20:00 and 23:00 in Bangkok on one day, 01:00 on the next: one day of UTC.
    const lines = [13, 16, 18].map((hour) => line(Date.UTC(2024, 4, 1, hour), "/", 7)).join("");
    const path = file("b.log", `\ufeff${lines}`);
    expect((await footfall(["import", hostname, path])).output).toContain("3 taken");
    expect(await total("visitors")).toBe(2);
  });

  test("ends with a line that may still grow, unless it is packed, an export, or said to be complete", async () => {
    const text = someDays(3);
    const unfinished = text.trimEnd();
    const path = file("c.log", unfinished);
    expect((await footfall(["import", hostname, path])).output).toContain("1 without a line feed at the end");
    expect((await footfall(["import", hostname, path, "--complete"])).output).toContain("1 taken");
    // It is the same line when it comes without the flag, or when the server has written on.
    expect((await footfall(["import", hostname, path])).output).toContain("3 already imported");
    writeFileSync(path, text + line(startMs + 9 * dayMs, "/more"));
    expect((await footfall(["import", hostname, path])).output).toContain("1 taken");
    const packed = file("d.gz", Bun.gzipSync(`${unfinished}2`));
    expect((await footfall(["import", hostname, packed, "--dry-run"])).output).not.toContain("line feed");
    const views = madeUpViews(() => 0.4);
    const csv = file("e.csv", goatCounterCsv(views).trimEnd());
    expect((await footfall(["import", hostname, csv, "--yes"])).output).toContain(
      `${views.filter(({ kind }) => kind === "view").length} taken`,
    );
  });
});

describe("a file that was purged", () => {
  const purge = () =>
    footfall(["website", "purge", hostname, "--from", "2024-05-01", "--to", "2024-05-31", "--yes"]);

  test("is taken again when it is imported anew, and known from then on", async () => {
    const path = file("purged.log", someDays(3));
    await footfall(["import", hostname, path]);
    expect((await purge()).output).toContain("removed 3 page views");
    expect((await footfall(["import", hostname, path])).output).toContain("0 taken");
    const words = ["import", hostname, path, "--anew"];
    for (const more of [["--dry-run"], []])
      expect((await footfall([...words, ...more])).output).toContain("3 taken");
    expect(await total("pageviews")).toBe(3);
    const grown = file("purged.log", someDays(5));
    expect((await footfall(["import", hostname, grown])).output).toContain("2 taken");
    expect(await total("pageviews")).toBe(5);
  });

  test("is taken anew once where it is named twice, and not without a word while its days are there", async () => {
    const path = file("twice.log", someDays(3));
    await footfall(["import", hostname, path]);
    const kept = await footfall(["import", hostname, path, "--anew"]);
    expect(kept).toMatchObject({ exitCode: 2, errors: expect.stringContaining("3 days have page views") });
    await purge();
    const { output } = await footfall(["import", hostname, path, path, "--anew"]);
    expect(output).toContain("3 taken");
    expect(output).toContain("3 already imported");
    expect(await total("pageviews")).toBe(3);
  });
});

describe("days that were tracked already", () => {
  test("are named before anything is taken, and --until stops before them", async () => {
    const tracked = file(
      "tracked.log",
      line(startMs + 3 * dayMs, "/tracked") + line(startMs + 4 * dayMs, "/tracked"),
    );
    await footfall(["import", hostname, tracked]);
    const path = file("old.log", someDays(6));
    const dry = await footfall(["import", hostname, path, "--dry-run"]);
    expect(dry.errors).toContain("2 days have page views");
    expect(dry.errors).toContain("2024-05-04, 2024-05-05. --until 2024-05-04 takes");
    const stopped = await footfall(["import", hostname, path, "--until", "2024-05-04"]);
    expect(stopped.errors).toBe("");
    expect(stopped.output).toContain("3 taken");
    expect(stopped.output).toContain("3 from the day on that --until names");
    expect(await total("pageviews")).toBe(5);
    // Without it nobody can be asked here, and the line that is named works: what was before is imported already.
    const spaced = await footfall(["import", hostname, file("it's old.log", someDays(6))]);
    expect(spaced.errors).toContain(` '${join(folder, "it'\\''s old.log")}' --data `);
    const refused = await footfall(["import", hostname, path]);
    expect(refused).toMatchObject({ exitCode: 2, output: expect.not.stringContaining("taken") });
    expect(refused.errors).toContain(
      `: footfall import ${hostname} ${path} ${data.join(" ")} --from 2024-05-06. --yes counts`,
    );
    expect(await total("pageviews")).toBe(5);
    // In a terminal it asks, and no answer is a no.
    const asked = await footfall(["import", hostname, path], "\n", true);
    expect(asked.errors).toEndWith("Import all? [y/N]\nnothing was imported");
    expect(await total("pageviews")).toBe(5);
    const rest = await footfall(["import", hostname, path], "y\n", true);
    expect(rest.errors).toContain("would count twice");
    expect(rest.output).toContain("3 already imported");
    expect(await total("pageviews")).toBe(8);
  });

  test.each([
    ["west", -8, "2024-05-02"],
    ["east", 9, "2024-05-04"],
  ])("are those of UTC, and --until is a day of a file from %s of it", async (_, hours, until) => {
    const evening = Date.UTC(2024, 4, 1, hours < 0 ? 4 : 20);
    await footfall(["import", hostname, file("tracked.log", line(startMs + 2 * dayMs, "/tracked"))]);
    const days = [0, 1, 2].map((at) => line(evening + at * dayMs, `/${at}`, hours));
    const path = file("local.log", days.join(""));
    const { exitCode, errors } = await footfall(["import", hostname, path]);
    expect([exitCode, errors]).toEqual([
      2,
      expect.stringContaining(`2024-05-03. --until ${until} takes what was before: `),
    ]);
    expect(errors).toContain(`${data.join(" ")} --until ${until}. --yes counts`);
    const stopped = await footfall(["import", hostname, path, "--until", until]);
    expect(stopped).toMatchObject({ exitCode: 0, errors: "", output: expect.stringContaining("2 taken") });
  });

  test("are left out by --from where they come first, and what was before counts as imported then", async () => {
    const tracked = [0, 1].map((at) => line(startMs + at * dayMs, "/tracked")).join("");
    await footfall(["import", hostname, file("tracked.log", tracked)]);
    const path = file("first.log", someDays(5));
    const { exitCode, errors } = await footfall(["import", hostname, path, "--complete"]);
    expect([exitCode, errors]).toEqual([
      2,
      expect.stringContaining("2024-05-02. --from 2024-05-03 takes what came after: "),
    ]);
    expect(errors).toEndWith(`--complete ${data.join(" ")} --from 2024-05-03. --yes counts them twice`);
    expect(await total("pageviews")).toBe(2);
    for (const more of [["--dry-run"], []]) {
      const taken = await footfall(["import", hostname, path, "--from", "2024-05-03", ...more]);
      expect([taken.exitCode, taken.errors]).toEqual([0, ""]);
      expect(taken.output).toContain("3 taken as page views");
      expect(taken.output).toContain("2 before the day that --from names");
    }
    expect(await total("pageviews")).toBe(5);
    expect((await footfall(["import", hostname, path])).output).toContain("5 already imported");
    const between = ["--from", "2024-05-02", "--until", "2024-05-03", "--anew", "--dry-run"];
    expect((await footfall(["import", hostname, path, ...between])).output).toContain("1 taken");
  });

  test.each([
    ["west", -8, "2024-05-01"],
    ["east", 9, "2024-05-03"],
  ])("that come first are left out by a day of a file from %s of UTC", async (_, hours, from) => {
    const evening = Date.UTC(2024, 4, 1, hours < 0 ? 4 : 20);
    await footfall(["import", hostname, file("tracked.log", line(startMs, "/tracked"))]);
    const days = [0, 1, 2].map((at) => line(evening + at * dayMs, `/${at}`, hours));
    const path = file("local.log", days.join(""));
    expect((await footfall(["import", hostname, path])).errors).toContain(`--from ${from} takes`);
    const taken = await footfall(["import", hostname, path, "--from", from]);
    expect(taken).toMatchObject({ exitCode: 0, errors: "", output: expect.stringContaining("2 taken") });
  });

  test("are named afterwards of standard input, which cannot be read twice", async () => {
    await footfall(["import", hostname, file("tracked.log", line(startMs, "/tracked"))]);
    const refused = await footfall(["import", hostname, "-"], line(startMs, "/a"));
    expect([refused.exitCode, refused.errors]).toEqual([2, expect.stringContaining("can be read only once")]);
    expect(await total("pageviews")).toBe(1);
    const { errors } = await footfall(
      ["import", hostname, "-", "--yes"],
      line(startMs, "/a") + line(startMs + dayMs, "/b"),
    );
    expect(errors).toContain("1 day has page views");
    expect(errors).toContain("2024-05-01. --from 2024-05-02 takes what came after");
    const other = line(startMs + 2 * dayMs, "/c");
    expect((await footfall(["import", hostname, "-", "--until", "2024-05-09"], other)).errors).toBe("");
    expect((await footfall(["import", hostname, "-", "--from", "2024-05-01"], other)).errors).toBe("");
  });

  test("of several servers count visitors too often where each has all days, which is said", async () => {
    const days = [0, 1, 2, 3, 4, 5];
    const logOf = (name: string, hour: number) =>
      file(name, days.map((at) => line(startMs + at * dayMs + hour * 3_600_000, `/${name}/`)).join(""));
    const files = [logOf("web1", 0), logOf("web2", 1)];
    const said = "5 lines came more than half an hour after later ones";
    for (const more of [["--dry-run"], ["--until", "2024-05-05", "--dry-run"], []]) {
      const { exitCode, output } = await footfall(["import", hostname, ...files, ...more]);
      const count = more[0] === "--until" ? said.replace("5", "3") : said;
      expect([exitCode, output]).toEqual([0, expect.stringContaining(count)]);
    }
    expect(await total("visitors")).toBeGreaterThan(6);
    // Lines that were imported before are not counted again.
    expect((await footfall(["import", hostname, ...files])).output).not.toContain("later ones");
    await footfall(["website", "add", `one.${hostname}`]);
    hostname = `one.${hostname}`;
    const key = ["-k4.9,4.12n", "-k4.5,4.7M", "-k4.2,4.3n", "-k4.14,4.21"];
    const sorted = Bun.spawnSync(["sort", "-t", " ", "-s", ...key, ...files], { env: { LC_ALL: "C" } });
    const { output } = await footfall(["import", hostname, "-"], sorted.stdout.toString());
    expect(output).toContain("12 taken");
    expect(output).not.toContain("later ones");
    expect(await total("visitors")).toBe(6);
  });

  test("of several servers count visits too often also where each has one day, which is said", async () => {
    const logOf = (name: string, first: number) => {
      const minutes = [0, 20, 120].map((later) => startMs + (first + later) * 60_000);
      return file(name, minutes.map((timeMs) => line(timeMs, "/")).join(""));
    };
    const files = [logOf("day1", 0), logOf("day2", 5)];
    const { output } = await footfall(["import", hostname, ...files]);
    expect(output).toContain("2 lines came more than half an hour after later ones: visits");
    // In the order of time they are two.
    expect([await total("visitors"), await total("visits")]).toEqual([1, 4]);
  });

  test("cannot be stopped before in a file that is not in order of time", async () => {
    const path = file("unsorted.log", someDays(6).trimEnd().split("\n").toReversed().join("\n") + "\n");
    const refused = await footfall(["import", hostname, path, "--until", "2024-05-03"]);
    expect(refused.exitCode).toBe(2);
    expect(refused.errors).toContain("sort it first");
    expect(await total("pageviews")).toBe(0);
    expect((await footfall(["import", hostname, path])).output).toContain(
      "came more than half an hour after later ones",
    );
  });
});

test.each(["combined", "caddy", "footfall-jsonl"])(
  "a file with no line of the format %s, which was named, is refused with a line of it",
  async (name) => {
    const path = file(`junk.${name}`, "hello\nworld\nno line feed");
    const { exitCode, output, errors } = await footfall(["import", hostname, path, "--format", name]);
    expect([exitCode, output]).toEqual([
      2,
      expect.stringMatching(/[23] could not be read, the first of them line 1/),
    ]);
    expect(errors).toContain(`junk.${name}": no `);
    expect(errors).toContain(`of it is of the format ${name}: expected is one like `);
    // One line that can be read is enough: others may be cut, or another server's.
    const log = file(`some.${name}`, `${line(startMs, "/")}hello\n`);
    const some = await footfall(["import", hostname, log, "--format", "combined"]);
    expect(some).toMatchObject({ exitCode: 0, errors: "" });
  },
);

describe("the values of Umami's events", () => {
  const made = madeUpViews(() => 0.25);
  const events = made.filter(({ kind }) => kind === "event").length;

  test("are in a file of their own, which no import reads alone", async () => {
    const views = file("website_event.csv", umamiCsv(made).replaceAll("example.com", hostname));
    const values = file("event_data.csv", umamiEventData(made));
    expect(await footfall(["import", hostname, values])).toMatchObject({
      exitCode: 2,
      errors: expect.stringContaining("the file with the page views beside it"),
    });
    expect(await footfall(["import", hostname, views, "--dry-run"])).toMatchObject({
      exitCode: 0,
      errors: expect.stringContaining("these events have no values"),
    });
    // The query of the help makes a column for them, which is empty in each event here.
    const asked = umamiWithData(made)
      .replace(/"\{[^}]*\}"/g, "")
      .replaceAll("example.com", hostname);
    expect(await footfall(["import", hostname, file("asked.csv", asked), "--dry-run"])).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining(` ${events} taken as events\n`),
      errors: "",
    });
    const first = await footfall(["import", hostname, values, views]);
    expect(first).toMatchObject({ exitCode: 0, errors: "" });
    expect(first.output).toContain(` ${events} taken as events, with ${2 * events} values\n`);
    expect(first.output).toEndWith(
      `\n${2 * events} values of events read\n  ${2 * events} taken with their events`,
    );
    const again = await footfall(["import", hostname, values, views]);
    expect(again.output).toEndWith(
      `read\n    0 taken with their events\n  ${2 * events} of events that were not taken now, or past the 29 of one event`,
    );
    const { output } = await footfall(["stats", hostname, "properties", "--period", "all", "--json"]);
    expect(JSON.parse(output)).toMatchObject([
      { name: "plan", events },
      { name: "price", events },
      { name: "sign up", events },
    ]);
  });
});

describe("a file that cannot be read ends with 2 and says what to do", () => {
  const bytesOf = (text: string) => Buffer.from(text, "latin1");
  const wrong: [what: string, text: string, ...messages: string[]][] = [
    ["of another kind", "name;count\nada;1\n", `line 1: "name;count" is of no format`],
    ["of sums", "page,visitors\n/,3\n", "'footfall import --help' shows a line of each"],
    ["without a line", "", "is empty"],
    [
      "with an array on one line",
      `[${[1, 2].map((id) => `{"session_id":"a}\\"{${id}","created_at":"","url_path":"/","event_type":1}`).join()}]`,
      "as jq -c '.[]' writes them",
    ],
    [
      "with an array of what no format has",
      '[{"hits":3,"label":"/a"},{"hits":2}]',
      "is of no format that can be imported",
    ],
    [
      "of two tables that were joined with all their columns",
      "session_id,created_at,url_path,event_type,created_at\na,2024-05-01 10:00:00,/,1,2024-05-01 09:00:00\n",
      'the first line: expected each column once, got "created_at" twice',
    ],
    ["with an array that never ends", `[{"session_id":"${'\\"'.repeat(50_000)}`, "is of no format"],
    ["with one endless line", `[${"1,".repeat(50_000)}`, `line 1: "[1,1,`],
    ["packed with xz", "\xfd7zXZ\0", "is packed with xz; pipe it: xz -dc", "| footfall import HOST -"],
    [
      "packed with bzip2",
      "BZh91AY&SY",
      "is packed with bzip2; pipe it: bzip2 -dc",
      "| footfall import HOST -",
    ],
    ["that is a ZIP archive", "PK\x03\x04....", "the ZIP is cut off or damaged"],
    ["packed and cut off", "\x1f\x8b\x08\0\0\0\0\0\0\0", "the gzip data is cut off or damaged"],
  ];
  test.each(wrong)("%s", async (_, text, ...messages) => {
    const { exitCode, errors } = await footfall(["import", hostname, file("wrong", bytesOf(text))]);
    expect(exitCode).toBe(2);
    for (const message of messages) expect(errors).toContain(message.replace("HOST", hostname));
  });

  test("a ZIP on standard input, which no pipe unpacks to what can be read", async () => {
    const { exitCode, errors } = await footfall(["import", hostname, "-"], "PK\x03\x04....");
    expect(exitCode).toBe(2);
    expect(errors).toContain(
      "standard input is a ZIP, which is read from a file only: name it in place of -, or",
    );
    expect(errors).not.toContain("unzip");
  });

  test.each([
    ["a tar", ["-cf"]],
    ["a tar of GNU's", ["--format=gnu", "-cf"]],
    ["a tar in gzip", ["-czf"]],
  ])("%s, which holds a log", async (_, words) => {
    const log = file("in-a-tar.log", someDays(3));
    const path = join(folder, "a log.tgz");
    const made = Bun.spawnSync(["tar", ...words, path, "-C", folder, "in-a-tar.log"]);
    expect(made.exitCode).toBe(0);
    for (const more of [[], ["--format", "combined"]]) {
      const { exitCode, errors } = await footfall(["import", hostname, path, ...more]);
      const line = `"${path}" is packed with tar; pipe it: tar -xOf '${path}' | footfall import ${hostname} - ${data.join(" ")}`;
      expect([exitCode, errors]).toEqual([2, expect.stringContaining(line)]);
    }
    // The line pipes the log.
    expect(Bun.spawnSync(["tar", "-xOf", path]).stdout.toString()).toBe(readFileSync(log, "utf8"));
  });

  test("a pipe that is named as a file, which loses what was looked at once it is opened again", async () => {
    const long = file("long.log", someDays(3).repeat(1_000));
    const words = [...fromSource, "import", hostname, "/dev/stdin", ...data];
    const script = `cat "$1" | { shift; "$@"; }`;
    const child = Bun.spawn(["sh", "-c", script, "sh", long, ...words], { stdout: "pipe", stderr: "pipe" });
    const errors = await new Response(child.stderr).text();
    expect(await child.exited).toBe(2);
    expect(errors).toContain('"/dev/stdin" is no file, and can be read only once; pipe what is in it: … | ');
    expect(errors).toContain(` import ${hostname} - ${data.join(" ")}\n`);
    expect(await total("pageviews")).toBe(0);
  });

  test.each([
    [
      "a format that there is not",
      ["--format", "fathom"],
      "--format: expected one of goatcounter, umami, medama, ",
    ],
    ["a format that it is not of", ["--format", "umami"], "expected the columns session_id, created_at"],
    ["a day that there is not", ["--until", "2024-13-01"], "--until: expected a date such as 2026-11-20"],
    ["another", ["--from", "2024-02-30"], "--from: expected a date such as 2026-11-20"],
  ])("%s", async (_, flags, message) => {
    const path = file("right.log", someDays(1));
    const { exitCode, errors } = await footfall(["import", hostname, path, ...flags]);
    expect(exitCode).toBe(2);
    expect(errors).toContain(message);
  });

  test("but --format reads what few lines show, and the report counts the others", async () => {
    const path = file("few.log", `${"no line\n".repeat(60)}${someDays(1)}`);
    expect((await footfall(["import", hostname, path])).exitCode).toBe(2);
    const { output } = await footfall(["import", hostname, path, "--format", "combined"]);
    expect(output).toContain(" 1 taken");
    expect(output).toContain("60 could not be read, the first of them line 1");
  });

  test("no file is changed, and standard input is read", async () => {
    const path = file("input.log", someDays(2));
    const before = readFileSync(path, "utf8");
    expect((await footfall(["import", hostname, "-"], before)).output).toContain("2 taken");
    expect(readFileSync(path, "utf8")).toBe(before);
  });
});
