import { describe, expect, test } from "bun:test";
import { isCrawler } from "../../src/collect/visitor/crawler.ts";
import { crawlers, visitors } from "./userAgents.ts";

describe("isCrawler", () => {
  test.each(crawlers.map((userAgent) => [userAgent]))("%s is one", (userAgent) => {
    expect(isCrawler(userAgent)).toBe(true);
  });

  test.each(visitors.map(([, , , userAgent]) => [userAgent]))("%s is none", (userAgent) => {
    expect(isCrawler(userAgent)).toBe(false);
  });

  test("every browser sends a user agent: nothing is a crawler", () => {
    expect(isCrawler("")).toBe(true);
    expect(isCrawler(" \t")).toBe(true);
  });
});
