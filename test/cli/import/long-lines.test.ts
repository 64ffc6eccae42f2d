/** Lines that somebody makes to hold up the server take no longer than their length asks for. */
import { expect, test } from "bun:test";
import { formats, recognised } from "../../../src/cli/import/formats/formats.ts";
import { Collector } from "../../../src/collect/fact.ts";
import { lineBytesMax } from "../../../src/cli/import/lines.ts";
import { cpuMs } from "../../support/cpu-time.ts";

const collector = new Collector();
/** Most take milliseconds, and those that were looked through from each of their places took seconds. */
const longMs = 1_500;
const parts = [
  "a",
  "1",
  " ",
  "'",
  "\t",
  "\\",
  ";",
  "[",
  "a.",
  "::",
  "%41",
  "/",
  ",",
  "é",
  "(",
  "; ",
  "-a",
  "=",
];

/** The beginnings after which a part is repeated. */
const beginnings: Readonly<Record<string, readonly string[]>> = {
  goatcounter: [`"1Path","Title",`],
  umami: ["", `{"website_id":"`, "x"],
  medama: ["", "x"],
  combined: ["", '1.2.3.4 - - [17/May/2015:10:05:03 +0000] "GET /'],
  vhost_combined: ["", "a", 'a.example:80 1.2.3.4 - - [17/May/2015:10:05:03 +0000] "GET /'],
};

test.each(formats.map((format) => [format.name, format] as const))("of %s", (name, format) => {
  for (const part of parts)
    for (const beginning of beginnings[name] ?? [""]) {
      const line = `${beginning}${part.repeat(lineBytesMax / part.length)}x`;
      const beforeMs = cpuMs();
      format.recognises([line]);
      try {
        format.open({ collector, hostname: "a.example" }).read(line);
      } catch {
        // A first line that is no header is refused.
      }
      expect(
        cpuMs() - beforeMs,
        `${JSON.stringify(beginning)} and many ${JSON.stringify(part)}`,
      ).toBeLessThan(longMs);
    }
});

test("a referrer of many dots is looked at once", async () => {
  const { referrerOf } = await import("../../../src/cli/import/formats/exported.ts");
  const beforeMs = cpuMs();
  expect(referrerOf(`${"a.".repeat(100_000)} x`)).toStartWith("a.a.");
  expect(cpuMs() - beforeMs).toBeLessThan(longMs);
  expect(
    ["a.b", "a.b/c", "a.b:80", "..a", "a.", ".a", "a", "a.b c"].map((given) => referrerOf(given)),
  ).toEqual(["a.b", "a.b/c", "a.b", "..a", "a.", ".a", "a", "a.b c"]);
});

test("a first line of 128 KiB is of no format", () => {
  const beforeMs = cpuMs();
  expect(() => recognised(["a".repeat(128 * 1024)], "the file")).toThrow("of no format");
  expect(cpuMs() - beforeMs).toBeLessThan(longMs);
});

const umamiRow = {
  session_id: "1",
  created_at: "2024-05-01T12:00:00Z",
  url_path: "/",
  event_type: 2,
  event_name: "a",
};

test.each(["url_query", "event_data"])(
  "a row whose %s is nested too deep to be written is unreadable",
  (name) => {
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    const format = formats.find((each) => each.name === "umami")!;
    const reader = format.open({ collector, hostname: "a.example" });
    expect(reader.read(JSON.stringify(umamiRow))).toMatchObject({ kind: "event" });
    const row = JSON.stringify({ ...umamiRow, [name]: "DEEP" });
    expect(reader.read(row.replace('"DEEP"', name === "event_data" ? `{"a":${deep}}` : deep))).toBe(
      "unreadable",
    );
    const cell = `"{""a"":${deep}}"`;
    const csv = format.open({ collector, hostname: "a.example" });
    csv.read([...Object.keys(umamiRow), "event_data"].join(","));
    expect(csv.read([...Object.values(umamiRow), cell].join(","))).toBe("unreadable");
  },
);
