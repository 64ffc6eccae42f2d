/** Alerts say when something happened, to whoever reads them late and elsewhere. */
import { expect, test } from "bun:test";
import type { Website } from "../../src/accounts/registry/registry.ts";
import type { Subscription } from "../../src/core/website/subscription.ts";
import { wordsOf } from "../../src/core/words/translated-words.ts";
import { makeAlert } from "../../src/notify/alert.ts";

const forMs = Date.parse("2026-03-29T21:00:00Z");

function textOf(kind: "spike" | "drop" | "silence", language: string, timezone: string): string {
  const website = { hostname: "example.com" } as Website;
  const subscription = { kind, timezone, threshold: 6, goalId: 0 } as Subscription;
  const due = { forMs, noticedMs: forMs, value: 120, expected: 40 };
  const { text } = makeAlert(website, subscription, due, wordsOf(language));
  return text.replaceAll(/\s/g, " ");
}

test.each(["spike", "drop"] as const)("a %s has the day and the zone of its hour", (kind) => {
  expect(textOf(kind, "en", "Europe/Berlin")).toStartWith(
    "120 visitors between Mar 29, 2026, 11:00 PM and 12:00 AM GMT+2.",
  );
  expect(textOf(kind, "de", "Europe/Berlin")).toStartWith(
    "120 Besucher zwischen 29.03.2026, 23:00 und 00:00 MESZ.",
  );
  expect(textOf(kind, "en", "UTC")).toStartWith(
    "120 visitors between Mar 29, 2026, 9:00 PM and 10:00 PM UTC.",
  );
});

test("a silence has the zone of its beginning", () => {
  expect(textOf("silence", "en", "America/New_York")).toStartWith(
    "There was none for 6 hours, since Mar 29, 2026, 5:00 PM EDT.",
  );
  expect(textOf("silence", "de", "Europe/Berlin")).toStartWith(
    "Seit 6 Stunden gab es keinen, seit 29.03.2026, 23:00 MESZ.",
  );
});
