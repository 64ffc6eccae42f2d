import { expect, test } from "bun:test";
import { QueryContext } from "../../src/query/cache/context.ts";
import { PageDigests } from "../../src/query/quantiles/page-digests.ts";
import { siteOf } from "../support/site.ts";

test("more pages may be asked for than a call takes arguments", () => {
  const pages = new Set(Array.from({ length: 1_000_000 }, (_, page) => page));
  expect(new PageDigests([], pages, new QueryContext(siteOf())).countOf(999_999)).toBe(0);
});
