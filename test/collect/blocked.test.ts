import { expect, test } from "bun:test";
import { isBlocked, type Origin } from "../../src/collect/blocked.ts";
import { noRules, type Rules } from "../../src/core/website/rules.ts";

const origin: Origin = { address: "192.0.2.7", country: "DE", path: "/blog/one", referrer: "news.example/a" };
const blocked = (rules: Partial<Rules>, more: Partial<Origin> = {}) =>
  isBlocked({ ...noRules, ...rules }, { ...origin, ...more });

test("without rules nothing is blocked", () => {
  expect(isBlocked(noRules, origin)).toBe(false);
  expect(isBlocked(noRules, { address: "", country: "", path: undefined, referrer: "" })).toBe(false);
});

test.each([
  ["192.0.2.7", "192.0.2.7", true],
  ["192.0.2.7", "192.0.2.8", false],
  ["192.0.2.0/24", "192.0.2.255", true],
  ["192.0.2.0/24", "::ffff:192.0.2.9", true],
  ["192.0.2.0/24", "192.0.3.0", false],
  ["2001:db8::/32", "2001:db8:ffff::1", true],
  ["2001:db8::/32", "2001:db9::1", false],
  ["0.0.0.0/0", "2001:db9::1", false],
  ["0.0.0.0/0", "no address", false],
])("the network %s has %s: %p", (network, address, expected) => {
  expect(blocked({ networks: ["198.51.100.1", network] }, { address })).toBe(expected);
});

test.each([
  ["/blog/one", true],
  ["/BLOG/One", true],
  ["/blog", false],
  ["/blog/*", true],
  ["/blog/one/*", true],
  ["/blog/one*", true],
  ["/blog/one/two*", false],
  ["/b*", true],
  ["*", true],
])("the path %s: %p", (path, expected) => {
  expect(blocked({ paths: ["/other", path] })).toBe(expected);
});

test("case is ignored beyond ASCII, and what cannot be decoded is compared as it is", () => {
  expect(blocked({ paths: ["/%C3%9Cber*"] }, { path: "/%C3%BCber/uns" })).toBe(true);
  expect(blocked({ paths: ["/%C3%9Cber*"] }, { path: "/%C3%9cber%zz" })).toBe(true);
  expect(blocked({ paths: ["/100%"] }, { path: "/100%" })).toBe(true);
});

test("only a * that was written as one stands for what follows", () => {
  expect(blocked({ paths: ["/b%2A"] })).toBe(false);
  expect(blocked({ paths: ["/b%2A"] }, { path: "/b*" })).toBe(true);
  expect(blocked({ paths: ["/b%2A*"] }, { path: "/b*/one" })).toBe(true);
});

test("a hit without a page has no path that could be blocked", () => {
  expect(blocked({ paths: ["/*"] }, { path: undefined })).toBe(false);
});

test.each([
  ["news.example", true],
  ["example", true],
  ["ws.example", false],
  ["a.news.example", false],
])("the referrer %s: %p", (host, expected) => {
  expect(blocked({ referrers: [host] })).toBe(expected);
  expect(blocked({ referrers: [host] }, { referrer: "" })).toBe(false);
});

test("a country, also the unknown one", () => {
  expect(blocked({ countries: ["FR", "DE"] })).toBe(true);
  expect(blocked({ countries: ["FR", ""] })).toBe(false);
  expect(blocked({ countries: [""] }, { country: "" })).toBe(true);
});
