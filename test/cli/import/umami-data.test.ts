/** The values of Umami's events that come in a file of their own: all of them are in memory until the events have been read. */
import { expect, test } from "bun:test";
import { heapStats } from "bun:jsc";
import { EventData, eventDataFormat } from "../../../src/cli/import/formats/umami-data.ts";
import { Collector } from "../../../src/collect/fact.ts";

/** Reads rows with an id, a name, a text, a number and Umami's number of the type. */
function read(data: EventData, rows: Iterable<string>): void {
  const reader = eventDataFormat(data).open({ collector: new Collector(), hostname: "localhost" });
  reader.read("event_id,data_key,string_value,number_value,data_type,website_id,url_path,created_at");
  for (const row of rows)
    reader.read(`${row},8c5ab5ae-1c1e-4a47-92b6-7a1c0a2b3c4d,/checkout,2026-01-01 12:00:00`);
}

test("a value takes some 80 bytes, whatever else is in its row", () => {
  const heapBytes = () => {
    Bun.gc(true);
    return heapStats().heapSize + heapStats().extraMemorySize;
  };
  const values = 150_000;
  const data = new EventData();
  const before = heapBytes();
  read(
    data,
    Array.from({ length: values })
      .keys()
      .map((at) => {
        const event = `8c5ab5ae-1c1e-4a47-92b6-${String(Math.floor(at / 3)).padStart(12, "0")}`;
        return `${event},${["price", "item", "shop"][at % 3]},v${at},,1`;
      }),
  );
  expect(data.of("8c5ab5ae-1c1e-4a47-92b6-000000000007")).toHaveLength(3);
  // Before, it took some 285.
  expect((heapBytes() - before) / values).toBeLessThan(150);
});

test("the values of an event stay in their order and as they are, the first 29 of them", () => {
  const data = new EventData();
  read(data, ['a,"two\nlines","say ""hi""\\n",,1', "b,other,,,1", "a,price,,12.5000,2", "a,,,-3,2"]);
  expect(data.of("a")).toEqual([
    ["two\nlines", 'say "hi"\\n', null],
    ["price", "12.5", 12.5],
    ["", "-3", -3],
  ]);
  expect(data.of("b")).toEqual([["other", "", null]]);
  expect(data.of("c")).toEqual([]);
  read(
    data,
    Array.from({ length: 40 }, (_, at) => `d,name${at},${at},,1`),
  );
  expect(data.of("d")).toHaveLength(29);
  expect(data.of("d").at(-1)).toEqual(["name28", "28", null]);
});
