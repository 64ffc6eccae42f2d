import { describe, expect, test } from "bun:test";
import { groupsOf, labelsOf } from "../../src/query/names/labels.ts";
import { Dictionary } from "../../src/store/values/dictionary.ts";

const plain = { grouped: false, locale: false };
const grouped = { grouped: true, locale: false };

function filled(...values: readonly string[]): Dictionary {
  const dictionary = new Dictionary(100_000);
  for (const value of values) dictionary.intern(value);
  return dictionary;
}

/** The label of each value, by way of its group. */
function labels(
  dictionary: Dictionary,
  ...how: [Parameters<typeof groupsOf>[1], Parameters<typeof groupsOf>[2]]
): unknown[] {
  const groups = groupsOf(dictionary, ...how);
  const names = labelsOf(groups, dictionary);
  return Array.from({ length: dictionary.size - 1 }, (_, at) => names.of(groups.ofId[at + 1] as number));
}

describe("groups of dictionary ids", () => {
  test("share a label and are numbered densely, 0 being overflow", () => {
    const dictionary = filled("google.com", "a.example/x", "google.de", "a.example/y");
    expect([...groupsOf(dictionary, "referrer", grouped).ofId.subarray(0, 5)]).toEqual([0, 1, 2, 1, 2]);
    expect(labels(dictionary, "referrer", grouped)).toEqual(["Google", "a.example", "Google", "a.example"]);
  });

  test("follow the way in which they are asked for, one dictionary being asked in several", () => {
    const referrers = filled("google.com", "google.de");
    expect(labels(referrers, "referrer", plain)).toEqual(["google.com", "google.de"]);
    expect(labels(referrers, "referrer", grouped)).toEqual(["Google", "Google"]);
    const languages = filled("en-GB", "en-US");
    expect(labels(languages, "language", plain)).toEqual(["English", "English"]);
    expect(labels(languages, "language", { ...plain, locale: true })).toEqual([
      "British English",
      "American English",
    ]);
    expect(labels(filled("DE", ""), "country", plain)).toEqual(["Germany", "Unknown"]);
  });

  test("are kept, and extended as the dictionary grows", () => {
    const dictionary = filled("google.com");
    const groups = groupsOf(dictionary, "referrer", grouped);
    for (let at = 0; at < 1_000; at++) dictionary.intern(`host-${at}.example`);
    dictionary.intern("google.fr");
    expect(groupsOf(dictionary, "referrer", grouped)).toBe(groups);
    expect(groups.labels).toHaveLength(1_002);
    expect(groups.ofId[dictionary.size - 1]).toBe(1);
  });
});
