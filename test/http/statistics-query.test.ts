import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { filterNames } from "../../src/core/questions/dimension.ts";
import { operators } from "../../src/core/questions/operator.ts";
import { Refusal } from "../../src/core/refusal.ts";
import { parseStatisticsQuery, scalars, type ScalarName } from "../../src/http/parsing/statistics-query.ts";
import { rounds } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";

const names = [
  "summary",
  "limit",
  "offset",
  "grouped",
  "locale",
  "previous",
  "interval",
  "timezone",
] as const;
const parse = (raw: string) => parseStatisticsQuery(raw, names);
const filters = (raw: string) => parse(raw).filters;

function refusal(raw: string): string {
  try {
    parse(raw);
  } catch (error) {
    if (error instanceof Refusal && error.code === 400) return error.message;
    throw error;
  }
  throw new Error(`${raw} was taken`);
}

test("nothing asked is everything", () => {
  expect(parse("")).toEqual({
    period: { startMs: -Infinity, endMs: Infinity },
    filters: [],
    summary: false,
    limit: 5_000,
    offset: 0,
    grouped: true,
    locale: false,
    previous: false,
    interval: undefined,
    timezone: "UTC",
  });
});

describe("period", () => {
  const startMs = Date.UTC(2026, 0, 1);

  test("start and end, either alone, both inclusive", () => {
    expect(parse("start=2026-01-01T00:00:00Z").period).toEqual({ startMs, endMs: Infinity });
    expect(parse("end=2026-01-01T00:00:00Z").period).toEqual({ startMs: -Infinity, endMs: startMs });
    const one = parse("start=2026-01-01T00:00:00Z&end=2026-01-01T00:00:00Z").period;
    expect(one).toEqual({ startMs, endMs: startMs });
  });

  test("an offset with a plus, escaped or not", () => {
    const startMs = Date.UTC(2025, 11, 31, 22);
    expect(parse("start=2026-01-01T00:00:00+02:00").period.startMs).toBe(startMs);
    expect(parse("start=2026-01-01T00:00:00%2B02:00").period.startMs).toBe(startMs);
  });

  test("both ends are cut to whole milliseconds, so that .0001 after .0009 is no time after it", () => {
    const { period } = parse("start=2026-01-01T00:00:00.0009Z&end=2026-01-01T00:00:00.0001Z");
    expect(period).toEqual({ startMs, endMs: startMs });
  });

  test.each([
    ["start=2026-01-01", 'start: expected an RFC 3339 date-time like 2026-01-31T08:00:00Z, got "2026-01-01"'],
    ["start=", 'start: expected an RFC 3339 date-time like 2026-01-31T08:00:00Z, got ""'],
    ["end=2026-02-30T00:00:00Z", "end: expected an RFC 3339 date-time"],
    ["start=2026-01-02T00:00:00Z&end=2026-01-01T00:00:00Z", "start: expected a time that is not after end"],
  ])("refuses %s", (raw, message) => {
    expect(refusal(raw)).toStartWith(message);
  });
});

describe("plain parameters", () => {
  test.each([
    ["limit=1", { limit: 1 }],
    ["limit=5000", { limit: 5_000 }],
    ["offset=0", { offset: 0 }],
    ["offset=5000", { offset: 5_000 }],
    ["summary=true", { summary: true }],
    ["summary=false", { summary: false }],
    ["grouped=false&locale=true", { grouped: false, locale: true }],
    [
      "previous=true&interval=week&timezone=Europe/Berlin",
      { previous: true, interval: "week", timezone: "Europe/Berlin" },
    ],
    ["timezone=Europe%2FBerlin", { timezone: "Europe/Berlin" }],
  ])("%s", (raw, values) => {
    expect(parse(raw)).toMatchObject(values);
  });

  test.each([
    "limit=0",
    "limit=5001",
    "limit=",
    "limit=1e2",
    "limit=0x10",
    "limit=-1",
    "limit=+5",
    "limit=5.0",
    "limit= 5",
    "limit=٣",
    "limit=99999999999999999999",
    "offset=5001",
    "offset=-0",
    "summary=1",
    "summary=TRUE",
    "summary",
    "grouped=yes",
    "interval=year",
    "interval=",
    "interval=__proto__",
    "timezone=",
    "timezone=Mars/Olympus",
    "timezone=%2B02:00",
  ])("refuses %s, naming it", (raw) => {
    expect(refusal(raw)).toStartWith(`${raw.split("=", 1)[0]}: expected `);
  });

  test("a repeated one is refused, even with the same value", () => {
    expect(refusal("limit=5&limit=5")).toBe('limit: expected one value, got another: "5"');
    expect(refusal("start=2026-01-01T00:00:00Z&start=2026-01-01T00:00:00Z")).toStartWith(
      "start: expected one",
    );
  });

  test("unknown ones are ignored, and those that the endpoint does not offer, whatever they say", () => {
    const raw = "foo=1&foo=2&limit=7&grouped=maybe&grouped=2&__proto__=1&constructor=2";
    expect(parseStatisticsQuery(raw, ["limit", "grouped"], ["limit"])).toMatchObject({
      limit: 7,
      grouped: true,
    });
  });

  test("those named like an operator are refused with the spelling that works, not ignored", () => {
    expect(refusal("eq=/x")).toBe('eq: expected what it compares, as in path[eq], got "eq"');
    for (const name of filterNames)
      for (const { name: operator } of operators)
        for (const key of [
          `${name}.${operator}`,
          `${name}_${operator}`,
          `${name}-${operator}`,
          `${name}__${operator}`,
          `${name}_${operator}`.replace(/_./g, ([, letter]) => (letter as string).toUpperCase()),
        ]) {
          expect(refusal(`limit=5&${key}=x`)).toBe(`${key}: expected ${name}[${operator}], got "${key}"`);
          expect(filters(`${name}[${operator}]=x`)).toHaveLength(1);
        }
    for (const { name } of operators) expect(refusal(`${name}=x`)).toContain(`path[${name}]`);
    expect(refusal("utmSourceNotIn=x")).toStartWith("utmSourceNotIn: expected utm_source[not_in]");
    expect(refusal("Path.Eq=x")).toBe('Path.Eq: expected path[eq], got "Path.Eq"');
    for (const key of ["begin", "logged_in", "path_", "_eq", "patheq", "eq_path", "contained"])
      expect(filters(`${key}=x`)).toEqual([]);
  });

  test("every parameter of the table names itself when it is wrong", () => {
    for (const name of Object.keys(scalars) as ScalarName[])
      expect(() => parseStatisticsQuery(`${name}=%00`, [name])).toThrow(
        `${name}: expected ${scalars[name].expected}`,
      );
  });
});

describe("filters", () => {
  test("there are at most 128 in a request, however they are spread, and a list has many operands", () => {
    const many = (count: number, of: (at: number) => string) =>
      Array.from({ length: count }, (_, at) => of(at));
    const mixed = (at: number) => `${["path", "referrer"][at % 2]}[not_contains]=${at}`;
    expect(filters(many(128, mixed).join("&"))).toHaveLength(128);
    expect(refusal(many(129, mixed).join("&"))).toBe("filters: expected at most 128 filters, got 129");
    const [list] = filters(`path[in]=${many(2_000, String).join()}&${many(127, mixed).join("&")}`);
    expect(list?.operands).toHaveLength(2_000);
    // A list that is repeated is one filter.
    expect(filters(many(560, (at) => `path[in]=${at}`).join("&"))).toHaveLength(1);
  });

  test("every name with every operator, plain and with encoded brackets", () => {
    for (const name of filterNames)
      for (const { name: operator } of operators) {
        const filter = [{ name, operator, operands: ["x"] }];
        expect(filters(`${name}[${operator}]=x`)).toEqual(filter);
        expect(filters(`${name}%5B${operator}%5d=x`)).toEqual(filter);
      }
  });

  test("values are kept as they are: case, spaces, nothing at all, and reserved characters", () => {
    const operands = (raw: string) => filters(`path[eq]=${raw}`)[0]?.operands;
    expect(operands("/A b ")).toEqual(["/A b "]);
    expect(operands("")).toEqual([""]);
    expect(operands("a+b")).toEqual(["a b"]);
    expect(operands("a,b\\,c")).toEqual(["a,b\\,c"]);
    expect(operands("/?a=b:/@!$'()*;")).toEqual(["/?a=b:/@!$'()*;"]);
    expect(filters("path[eq]")).toEqual([{ name: "path", operator: "eq", operands: [""] }]);
  });

  test("lists", () => {
    const operands = (value: string) => filters(`browser[in]=${value}`)[0]?.operands;
    expect(operands("Chrome,Safari")).toEqual(["Chrome", "Safari"]);
    expect(operands("a\\,b,c")).toEqual(["a,b", "c"]);
    expect(operands("a\\b,\\c\\,")).toEqual(["a\\b", "\\c,"]);
    expect(operands("a%5C%2Cb%2Cc")).toEqual(["a,b", "c"]);
    expect(operands("")).toEqual([""]);
    expect(operands(",")).toEqual(["", ""]);
  });

  test("a repeated list grows, any other repeated operator holds each time", () => {
    expect(filters("os[in]=a,b&path[eq]=/&os[in]=c&os[not_in]=d")).toEqual([
      { name: "os", operator: "in", operands: ["a", "b", "c"] },
      { name: "path", operator: "eq", operands: ["/"] },
      { name: "os", operator: "not_in", operands: ["d"] },
    ]);
    expect(filters("path[contains]=a&path[contains]=b")).toEqual([
      { name: "path", operator: "contains", operands: ["a"] },
      { name: "path", operator: "contains", operands: ["b"] },
    ]);
  });

  test.each([
    ["paths[eq]=/", '"paths[eq]": expected a filter: path, '],
    ["limit[eq]=1", '"limit[eq]": expected a filter'],
    ["[eq]=1", '"[eq]": expected a filter'],
    ["__proto__[eq]=1", '"__proto__[eq]": expected a filter'],
    ["path[equals]=/", '"path[equals]": expected an operator: eq, '],
    ["path[]=/", '"path[]": expected an operator'],
    ["path[eq=/", '"path[eq": expected an operator'],
    ["path[eq]x=/", '"path[eq]x": expected an operator'],
    ["path[eq][in]=/", '"path[eq][in]": expected an operator'],
    ["path[EQ]=/", '"path[EQ]": expected an operator'],
    ["path[constructor]=/", '"path[constructor]": expected an operator'],
    ["path=/", 'path: expected an operator, as in path[eq], got "/"'],
    ["path[eq]=%zz", '"path[eq]": expected percent-encoded UTF-8, got "%zz"'],
  ])("refuses %s", (raw, message) => {
    expect(refusal(raw)).toStartWith(message);
  });
});

test("the query is frozen all through", () => {
  const query = parse("path[in]=a&path[eq]=b&limit=3");
  for (const part of [query, query.period, query.filters, ...query.filters])
    expect(Object.isFrozen(part)).toBe(true);
  for (const { operands } of query.filters) expect(Object.isFrozen(operands)).toBe(true);
});

test("hostile queries give a query or a Refusal 400 that is short and on one line", () => {
  const word = fc.constantFrom<string>(
    ...[
      ...filterNames,
      ...names,
      "start",
      "end",
      "[",
      "]",
      "[eq]",
      "[in]",
      "%5B",
      "=",
      "&",
      "+",
      "%",
      "%zz",
      "\\,",
    ],
    ...["true", "5", "-1", "2026-01-01T00:00:00Z", "__proto__", "é", "%00", "\u2028", "x".repeat(300)],
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12, size: "max" }), (words) => {
      try {
        const { filters, limit, offset, period } = parse(words.join(""));
        for (const { operands } of filters) expect(operands.length).toBeGreaterThan(0);
        expect(limit >= 1 && limit <= 5_000 && offset >= 0 && offset <= 5_000).toBe(true);
        expect(period.startMs <= period.endMs).toBe(true);
      } catch (error) {
        expect(error).toMatchObject({ name: "Refusal", code: 400 });
        expect((error as Refusal).message).toMatch(/^[^\p{Cc}\u2028]{1,500}$/u);
      }
    }),
    { seed: seed(), numRuns: rounds(2_000) },
  );
});
