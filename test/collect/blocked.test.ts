import { expect, test } from "bun:test";
import fc from "fast-check";
import { isBlocked, isIgnoredReferrer, type Origin } from "../../src/collect/blocked.ts";
import { noRules, type Rules } from "../../src/core/website/rules.ts";
import { rounds } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";

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

test("where nothing can tell a country, none is blocked", () => {
  expect(blocked({ countries: ["", "DE"] }, { country: "" })).toBe(true);
  expect(blocked({ countries: ["", "DE"] }, { country: undefined })).toBe(false);
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

test("referrers that are not a source are those of the hosts and of their subdomains, as with blocked ones", () => {
  const label = fc.constantFrom("a", "pay", "example");
  const host = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join("."));
  const path = fc.constantFrom("", "/", "/return/pay.example");
  fc.assert(
    fc.property(fc.array(host, { maxLength: 3 }), host, path, (hosts, from, rest) => {
      const expected = hosts.some((each) => from === each || from.endsWith(`.${each}`));
      const rules = { ...noRules, ignoredReferrers: hosts };
      for (const referrer of [from + rest, from + rest])
        expect(isIgnoredReferrer(rules, referrer)).toBe(expected);
      expect(blocked({ referrers: hosts }, { referrer: from + rest })).toBe(expected);
      expect(isIgnoredReferrer(rules, "")).toBe(false);
    }),
    { seed: seed(), numRuns: rounds(500) },
  );
});
