/** Rows of imported files as the website counts them that has other hostnames. */
import { expect, test } from "bun:test";
import type { Row } from "../../../src/cli/import/formats/format.ts";
import { ownRow } from "../../../src/cli/import/own-hosts.ts";
import { dimensionIndex } from "../../../src/core/questions/stored-dimension.ts";
import { noonMs, valuesOf } from "../../support/records.ts";

const website = { hostname: "www.example.com", aliases: ["shop.example.com"] };

function row(hostname: string, path: string, referrer: string | null, more: Partial<Row> = {}): Row {
  return {
    kind: "view",
    timeMs: noonMs,
    offsetMs: 0,
    hostname,
    values: valuesOf(path).with(dimensionIndex.referrer, referrer as string),
    isInternal: false,
    utm: "",
    visitor: "",
    visit: "",
    isUnderWay: false,
    flags: undefined,
    visibleMs: null,
    properties: [],
    ...more,
  };
}

function taken(read: Row, asked = "example.com") {
  const own = ownRow(read, website, asked);
  if (own === undefined) return undefined;
  const { path, referrer } = dimensionIndex;
  return [own.values[path], own.values[referrer], own.isInternal, own.isUnderWay];
}

test("a row has the path of its hostname, and a referrer on any of the website's is internal", () => {
  expect(taken(row("example.com", "/a", "news.example"))).toEqual(["/a", "news.example", false, false]);
  expect(taken(row("www.shop.example.com", "/a", "example.com/b"))).toEqual([
    "//shop.example.com/a",
    "",
    true,
    true,
  ]);
  const tagged = row("example.com", "/a", "shop.example.com", { utm: "spring" });
  expect(taken(tagged)).toEqual(["/a", "", true, false]);
  expect(taken(row("blog.example.com", "/a", ""))).toBeUndefined();
});

test("a row that does not say its host is of the one that was asked for", () => {
  expect(taken(row("", "/a", ""))).toEqual(["/a", "", false, false]);
  expect(taken(row("", "/a", ""), "www.shop.example.com")).toEqual([
    "//shop.example.com/a",
    "",
    false,
    false,
  ]);
});

test("a row of an export of this program is as it was, also with values that were not kept apart", () => {
  const exported = { visit: 1, visitValues: [], visitFlags: 0 } as unknown as NonNullable<Row["exported"]>;
  for (const referrer of [null, "shop.example.com/cart"]) {
    const own = row("", "/a", referrer, { exported });
    expect(ownRow(own, website, "example.com")).toBe(own);
  }
});
