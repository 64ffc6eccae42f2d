/** The attacks of `npm run siege`, small: each runs as it does there, against the executable, and finds what it has to. */
import { describe, expect, test } from "bun:test";
import { longTest } from "../support/long-test.ts";
import { rounds, someOf } from "../support/rounds.ts";
import { mismatchesOf } from "../support/json-schema.ts";
import { randomBySeed, seed } from "../support/seed.ts";
import { useExecutable } from "../support/executable.ts";
import { siegeApi } from "./api.ts";
import { atMost, checksTable, exactly, none, type Check } from "./attack.ts";
import { isInShape, siegeFuzz } from "./fuzz.ts";
import { fuzzedHit } from "./hit-fuzz.ts";
import { siegeHeld } from "./held.ts";
import { siegeLogins } from "./logins.ts";
import { siegeNames } from "./names.ts";
import { Needles } from "./needles.ts";
import { Picker } from "./odd-values.ts";
import { siegePrivacy } from "./privacy.ts";
import { siegeRepeats } from "./repeats.ts";
import { badJson, goodValue, type Schema } from "./schema.ts";

const command = [useExecutable()];

/** Times are those of a busy machine here, and only told. */
function expectHeld(checks: readonly Check[]) {
  const missed = checks.filter(({ holds, what }) => !holds && !/\bms\b/.test(what));
  expect(missed.length === 0 ? "" : checksTable("missed", missed)).toBe("");
}

describe("the siege", () => {
  test("odd hits", async () =>
    expectHeld(await siegeFuzz(command, { hits: rounds(1_000), seed: seed(), patienceMs: 0 })));

  test("every operation of the API", async () =>
    expectHeld(await siegeApi(command, { inputs: rounds(10), seed: seed(), choose: someOf })));

  test("known addresses, user agents and tokens", async () =>
    expectHeld(await siegePrivacy(command, { hits: rounds(300), seed: seed() })));

  test("ever new names", async () =>
    expectHeld(await siegeNames(command, { hits: rounds(2_000), limitMb: 512, long: 20, connections: 64 })));

  test("requests that hold memory and do not end", async () => {
    const few = { connections: 1_500, seconds: 4, memoryMb: 32, ownMbMax: 80 };
    expectHeld(await siegeHeld(command, few));
  });

  longTest("many hits of one kind", async () => {
    // These few are too short for a figure of the processor's time.
    const checks = await siegeRepeats(command, { hits: 2_000 });
    expectHeld(checks.filter(({ what }) => what.endsWith("accepted")));
  });

  longTest("wrong logins", async () =>
    expectHeld(await siegeLogins(command, { atOnce: 16, networks: 32, seconds: 1, rate: 100 })),
  );
});

describe("what judges it", () => {
  const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Api-Commit: 1\r\n";

  test.each<[string, number, boolean]>([
    ['{"accepted":true}', 200, true],
    ['{"accepted":false,"reason":"late"}', 200, true],
    ['{"accepted":false,"reason":"mood"}', 200, false],
    ['{"accepted":true,"more":1}', 200, false],
    ['{"error":{"code":400,"message":"b: no"}}', 400, true],
    ['{"error":{"code":404,"message":"b: no"}}', 400, false],
    ['{"error":{"code":400,"message":""}}', 400, false],
    ['{"error":{"code":400,"message":"b","stack":"x"}}', 400, false],
    ['{"error":{"code":500,"message":"no"}}', 500, false],
    ["", 400, false],
  ])("%s with %d", (body, status, isRight) => {
    expect(isInShape(`${head}\r\n\r\n${body}`, status, body)).toBe(isRight);
    expect(isInShape(`HTTP/1.1 200 OK\r\n\r\n${body}`, status, body)).toBe(false);
  });

  test("a fuzzed hit follows from the seed and its number; no two are the same", () => {
    const first = Array.from({ length: 200 }, (_, at) => fuzzedHit(5, at).request.toString("latin1"));
    expect(Array.from({ length: 200 }, (_, at) => fuzzedHit(5, at).request.toString("latin1"))).toEqual(
      first,
    );
    expect(new Set(first).size).toBe(200);
  });

  test("bounds", () => {
    expect([atMost("a", 2, 2), atMost("a", 3, 2), exactly("a", 1, 2)].map(({ holds }) => holds)).toEqual([
      true,
      false,
      false,
    ]);
    expect(checksTable("name", [none("wrong", ["this one"])])).toContain("wrong: this one");
  });

  test("needles are found wherever they are, and only they", () => {
    const needles = new Needles();
    needles.add("a", Buffer.from("needle"));
    needles.add("b", Buffer.from([0, 255, 0, 1]));
    const hay = Buffer.concat([
      Buffer.from("need needle"),
      Buffer.from([0, 0, 255, 0, 1]),
      Buffer.from("needles"),
    ]);
    expect(needles.in("f", hay).map(({ needle, at }) => [needle, at])).toEqual([
      ["a", 5],
      ["b", 12],
      ["a", 16],
    ]);
    expect(needles.in("f", Buffer.from("needl"))).toEqual([]);
  });
});

describe("schemas", () => {
  const mismatches = mismatchesOf({}, false);
  const schema: Schema = {
    type: "object",
    required: ["name"],
    properties: {
      name: { type: "string", minLength: 2 },
      count: { type: "integer", minimum: 1, maximum: 3 },
      kind: {
        anyOf: [
          { const: true, type: "boolean" },
          { type: "string", enum: ["a", "b"] },
        ],
      },
      rows: {
        type: "array",
        minItems: 1,
        items: { type: "object", patternProperties: { "^(.*)$": { type: "number" } } },
      },
    },
  };

  test("good values match", () => {
    const picker = new Picker(randomBySeed());
    for (let at = 0; at < 200; at++) expect(mismatches(goodValue(schema, picker, {}), schema)).toEqual([]);
  });

  test("bad ones mostly do not", () => {
    const picker = new Picker(randomBySeed());
    let matching = 0;
    for (let at = 0; at < 200; at++)
      try {
        if (mismatches(JSON.parse(badJson(schema, picker, {})), schema).length === 0) matching++;
      } catch {
        // It is no JSON at all.
      }
    expect(matching).toBeLessThan(100);
  });

  test.each<[unknown, string]>([
    [{}, " breaks required"],
    [{ name: "a" }, "/name breaks minLength"],
    [{ name: "ab", count: 4 }, "/count breaks maximum"],
    [{ name: "ab", count: 1.5 }, "/count breaks type"],
    [{ name: "ab", kind: false }, "/kind breaks anyOf"],
    [{ name: "ab", rows: [] }, "/rows breaks minItems"],
    [{ name: "ab", rows: [{ x: "1" }] }, "/rows/0/x breaks type"],
    [{ name: "ab", more: 1 }, "/more is not allowed"],
    [[], " breaks type"],
    [null, " breaks type"],
  ])("%j differs", (value, found) => {
    expect(mismatches(value, schema)[0]).toStartWith(found);
  });
});
