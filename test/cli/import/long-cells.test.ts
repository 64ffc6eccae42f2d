/** A cell of an imported file takes a time that grows with its length and no faster: a server of several takes no hits meanwhile. */
import { describe, expect, test } from "bun:test";
import { CsvRows } from "../../../src/cli/import/formats/csv.ts";
import {
  browserOf,
  deviceOf,
  languageOfTag,
  osOf,
  referrerOf,
} from "../../../src/cli/import/formats/exported.ts";
import { footfallRow } from "../../../src/cli/import/formats/footfall-row.ts";
import { languageTag } from "../../../src/cli/import/formats/language-tag.ts";
import { bytesInMemory, zipEntries } from "../../../src/cli/import/sums/zip.ts";
import { Visitors } from "../../../src/cli/import/visitors.ts";
import { referrerCharactersMax } from "../../../src/core/hit.ts";
import { zipped } from "../../../src/lib/packing/zip.ts";
import { cpuMs } from "../../support/cpu-time.ts";

/** Before, each of these took from twenty seconds to hours; now it takes milliseconds. */
const fewMs = 3_000;

function msOf(act: () => void): number {
  const beforeMs = cpuMs();
  act();
  return cpuMs() - beforeMs;
}

describe("a long cell", () => {
  test.each([
    ["browser", () => browserOf("a ".repeat(2 ** 16))],
    ["os", () => osOf("a ".repeat(2 ** 16))],
    ["device", () => deviceOf("a ".repeat(2 ** 16))],
    ["referrer", () => referrerOf(`${"a.".repeat(2 ** 17)} `)],
    ["language", () => languageOfTag(`en${"-abcdef".repeat(2 ** 16)}`)],
  ])("of a %s takes no more time than a short one", (_, act) => {
    expect(msOf(act)).toBeLessThan(fewMs);
  });

  test("names and referrers are found as in a short one", () => {
    expect(browserOf("Chrome Mobile WebView 120.0".padEnd(200, " x"))).toBe("Chrome");
    expect(browserOf(`${"x".repeat(60)} Chrome`)).toBe("Unknown");
    expect(osOf(" Windows 10 ")).toBe("Windows");
    expect(languageOfTag("de_AT")).toBe("de-AT");
    expect(referrerOf(`https://example.org/${"a".repeat(5_000)}`)).toHaveLength(
      referrerCharactersMax - "https://".length,
    );
    expect(referrerOf("x".repeat(5_000))).toHaveLength(referrerCharactersMax);
  });

  test.each([
    ["example.org", "example.org"],
    ["www.example.org/a/", "example.org/a"],
    ["example.org:8080/a", "example.org/a"],
    ["a..b", "a..b"],
    [".org", ".org"],
    ["org.", "org."],
    ["A newsletter.", "A newsletter."],
    ["Hacker News", "Hacker News"],
  ])("a referrer %p without a scheme is kept as %p", (given, kept) => {
    expect(referrerOf(given)).toBe(kept);
  });

  test("that has many lines is read once", () => {
    const rows = new CsvRows(100_000);
    const lines = 60_000;
    const ms = msOf(() => {
      for (let round = 0; round < 20; round++) {
        expect(rows.add('1,"')).toBeUndefined();
        for (let line = 1; line < lines; line++) rows.add("");
        expect(rows.add('",2')).toEqual(["1", "\n".repeat(lines), "2"]);
      }
    });
    expect(ms).toBeLessThan(fewMs);
  });

  test("whose quote is never closed ends where no row is so long", () => {
    const rows = new CsvRows(100_000);
    expect(rows.add('1,"')).toBeUndefined();
    expect(rows.isMidway).toBe(true);
    const given = Array.from({ length: 110 }, () => rows.add("x".repeat(1_000)));
    expect(given.indexOf("unreadable")).toBe(99);
    expect(rows.add("1,2")).toEqual(["1", "2"]);
  });

  test("whose quote is never closed ends at the next row with a quoted cell", () => {
    const rows = new CsvRows(100_000);
    expect(rows.add('1,"a')).toBeUndefined();
    expect(rows.add("1,2")).toBeUndefined();
    expect(rows.add('1,"2, 3"')).toBe("unreadable");
    expect(rows.add('1,"2, 3"')).toEqual(["1", "2, 3"]);
  });

  test("may have quotes in quotes in each of its lines", () => {
    const rows = new CsvRows(100_000);
    expect(rows.add('1,"a ""b"" ')).toBeUndefined();
    for (const line of ['""c"" d', '""', '""""', 'e "",""']) expect(rows.add(line)).toBeUndefined();
    expect(rows.add('f","""",2')).toEqual(["1", 'a "b" \n"c" d\n"\n""\ne ","\nf', '"', "2"]);
  });
});

test("names of languages that nobody speaks are looked up in a table and not kept", () => {
  expect(languageTag("English", "British English")).toBe("en-GB");
  const ms = msOf(() => {
    for (let row = 0; row < 100_000; row++) expect(languageTag("English", `none ${row}`)).toBe("en");
  });
  expect(ms).toBeLessThan(fewMs);
});

test("a number that is too great for sums is a text only, as that of a hit", () => {
  const numberOf = (number: unknown) => {
    const properties = [{ name: "price", value: "x", number }];
    const row = footfallRow({ kind: "page_view", time: "2026-01-31T12:00:00.000Z", path: "/", properties });
    return row.properties[0]?.numbers;
  };
  expect([1.5, -3, null, 2 ** 53 - 1].map(numberOf)).toEqual([[1.5], [-3], [null], [2 ** 53 - 1]]);
  expect([1e308, -1e308, 2 ** 53].map(numberOf)).toEqual([[null], [null], [null]]);
});

test("the visitors of a day are bounded where it is asked for", () => {
  const visitors = new Visitors(100);
  const visit = (day: number, at: number) => visitors.visit(`visitor ${at}`, "/", day * 86_400_000);
  for (let at = 0; at < 50; at++) visit(1, at);
  expect(() => visit(1, 50)).toThrow("too many visitors on one day, over 100 with the pages of each");
  expect(visit(2, 50)).toEqual({ unique: true, seen: false });
});

test("the visitors of all days are bounded together: the day that was longest not seen is forgotten", () => {
  const visitors = new Visitors(100);
  const visit = (day: number, at: number) => visitors.visit(`visitor ${at}`, "/", day * 86_400_000);
  for (let at = 0; at < 20; at++) for (const day of [1, 2]) visit(day, at);
  for (let at = 0; at < 10; at++) visit(3, at);
  expect(visit(2, 0)).toEqual({ unique: false, seen: true });
  expect(visit(2, 20)).toEqual({ unique: true, seen: false });
  for (let at = 0; at < 10; at++) expect(visit(3, at)).toEqual({ unique: false, seen: true });
  expect(visit(1, 0)).toEqual({ unique: true, seen: false });
});

test("a file of a ZIP that claims more bytes than there are is damaged, and is not looked for", async () => {
  async function* files() {
    yield { name: "imported_visitors.csv", text: "" };
  }
  const zip = Buffer.concat(await Array.fromAsync(zipped(files(), 0)));
  const central = zip.indexOf(Buffer.from("PK\x01\x02"));
  // Stored, 4 GB as packed, none unpacked.
  zip.writeUInt16LE(0, central + 10);
  zip.writeUInt32LE(0xffff_fffe, central + 20);
  const [entry] = zipEntries(bytesInMemory(zip), "a file");
  let chunks = 0;
  const read = async () => {
    for await (const _ of entry!.chunks()) chunks++;
  };
  await expect(read()).rejects.toThrow("the ZIP is cut off or damaged");
  expect(chunks).toBe(0);
});
