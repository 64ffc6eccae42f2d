/** Addresses of the views, there and back. */
import { expect, test } from "bun:test";
import {
  encodeSearch,
  installHref,
  invitationHref,
  liveHref,
  routeOf,
  sharedHref,
  settingsHref,
  websiteHref,
  websitesHref,
} from "../../src/web/lib/routes.ts";

test("every view is found at its address, with or without a slash at the end", () => {
  for (const [path, route] of [
    [websitesHref, { view: "websites" }],
    ["/dashboard", { view: "websites" }],
    [invitationHref("").slice(0, -1), { view: "invitation" }],
    [settingsHref, { view: "settings" }],
    [websiteHref("example.com"), { view: "website", hostname: "example.com" }],
    [liveHref("example.com"), { view: "live", hostname: "example.com" }],
    [installHref("example.com"), { view: "install", hostname: "example.com" }],
    [sharedHref("example.com", "a b"), { view: "shared", hostname: "example.com", link: "a b" }],
  ] as const) {
    expect({ path, route: routeOf(path) }).toEqual({ path, route });
    expect({ path, route: routeOf(`${path}/`) }).toEqual({ path, route });
  }
});

test("a hostname with a sign of its own comes back whole", () => {
  for (const hostname of ["a/b", "a b", "ü.example", "%", "install"]) {
    expect(routeOf(websiteHref(hostname))).toEqual({ view: "website", hostname });
    expect(routeOf(installHref(hostname))).toEqual({ view: "install", hostname });
    expect(routeOf(liveHref(hostname))).toEqual({ view: "live", hostname });
  }
});

test("nothing is found at other addresses", () => {
  for (const path of [
    "/elsewhere",
    "/websites/example.com",
    "/share",
    "/share/example.com",
    "/share/example.com/%zz",
    "/share/example.com/a/b",
    "/elsewhere/websites/example.com",
    "/dashboard/elsewhere",
    "/dashboard/settings/more",
    "/dashboard/websites",
    "/dashboard/websites/%zz",
    "/dashboard/websites/example.com/elsewhere",
    "/dashboard/websites/example.com/install/more",
  ])
    expect({ path, view: routeOf(path).view }).toEqual({ path, view: "unknown" });
});

test("a query escapes only what it must", () => {
  expect(encodeSearch([])).toBe("");
  expect(encodeSearch([["path[eq]", "/a/b,c:d@e"]])).toBe("?path[eq]=/a/b,c:d@e");
  expect(encodeSearch([["a", "b c+d&e=f#g%h"]])).toBe("?a=b%20c%2Bd%26e%3Df%23g%25h");
  expect(encodeSearch([["a", "%2F%5B"]])).toBe("?a=%252F%255B");
  expect(encodeSearch([["a", "\udc00"]])).toBe("?a=%EF%BF%BD");
});

test("a query is read as it was written, with each character alone and between others", () => {
  const characters = Array.from({ length: 0x250 }, (_, code) => String.fromCharCode(code));
  for (const character of characters)
    for (const text of [character, `a${character}`, `${character}/b`]) {
      const query = encodeSearch([[text, text]]);
      expect([...new URLSearchParams(query)]).toEqual([[text, text]]);
      // Whatever else needs no escape stays as it is.
      expect(query.length === 2 * text.length + 2).toBe(/^[\w.~!*'()/:[\],@-]*$/.test(text));
    }
});
