/** The hits that the OpenAPI document describes, beside what the server takes them for. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseHit } from "../../src/collect/hit.ts";
import { openApiDocument } from "../../src/http/openapi.ts";
import { routeGroups } from "../../src/http/routes.ts";
import { mismatchesOf } from "../support/json-schema.ts";
import { rounds } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";

type Operations = Readonly<Record<string, { requestBody: { content: Record<string, { schema: unknown }> } }>>;
const document = JSON.parse(JSON.stringify(openApiDocument(routeGroups))) as {
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
  readonly paths: Readonly<Record<string, Operations>>;
};
const { schemas } = document.components;
const mismatches = mismatchesOf(schemas);
const variants = ["EventLoad", "EventUnload", "EventCustom"] as const;
const kinds = { EventLoad: "load", EventUnload: "unload", EventCustom: "event" } as const;
type Variant = (typeof variants)[number];
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Returns the variants that a body is of, by the document, and expects that a hit of a batch is of the same ones. */
function variantsOf(body: unknown): Variant[] {
  const of = (name: string) => mismatches(body, reference(name)).length === 0;
  const fitting = variants.filter(of);
  expect([body, variants.filter((variant) => of(`Sent${variant}`))]).toEqual([body, fitting]);
  expect([body, of("Hit"), of("SentHit")]).toEqual([body, fitting.length === 1, fitting.length === 1]);
  return fitting;
}

const url = "https://example.com/a?utm_source=x";

describe("a hit", () => {
  test("is one of three variants, as JSON or the same as text", () => {
    expect(document.paths["/event/hit"]?.["post"]?.requestBody.content).toEqual({
      "application/json": { schema: reference("Hit") },
      "text/plain": {
        schema: { type: "string", contentMediaType: "application/json", contentSchema: reference("Hit") },
      },
    });
    expect(schemas["Hit"]).toMatchObject({ oneOf: variants.map(reference) });
  });

  test("is of at most one variant, and what is of one the server takes for that one", () => {
    const field = (value: fc.Arbitrary<unknown>) => fc.option(value, { nil: undefined, freq: 2 });
    const rarely = (value: fc.Arbitrary<unknown>) =>
      fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
    const bodies = fc.record({
      b: field(fc.constant("b1")),
      u: field(fc.constantFrom("https://example.com/", url)),
      p: field(fc.option(fc.boolean(), { nil: null })),
      q: field(fc.option(fc.boolean(), { nil: null })),
      r: rarely(fc.constantFrom("https://example.org/", null)),
      t: rarely(fc.constantFrom("UTC", null)),
      m: field(fc.constantFrom(0, 5_000, null)),
      n: rarely(fc.boolean()),
      d: field(fc.constantFrom({}, { plan: "pro" }, { n: 1, yes: true }, null)),
      i: rarely(fc.constantFrom("4711", 4711, "", null)),
      e: field(fc.constantFrom("load", "unload", "custom", null)),
      g: rarely(fc.constantFrom("example.com", null)),
    });
    const seen = new Set<string>();
    fc.assert(
      fc.property(bodies, (fields) => {
        const body = JSON.parse(JSON.stringify(fields)) as Record<string, unknown>;
        const fitting = variantsOf(body);
        expect(fitting.length).toBeLessThanOrEqual(1);
        const [variant] = fitting;
        if (variant === undefined) return;
        seen.add("e" in body ? `Medama's ${variant}` : variant);
        expect([body, parseHit(body).kind]).toEqual([body, kinds[variant]]);
      }),
      { seed: seed(), numRuns: rounds(6_000, 6_000) },
    );
    expect(seen).toEqual(new Set(variants.flatMap((variant) => [variant, `Medama's ${variant}`])));
  });

  test.each([
    // As docs/tokens.md and docs/api.md have them: of a page view only `b` and `u` are needed.
    ["EventLoad", { b: "b1", u: url }],
    ["EventLoad", { b: "b1", u: url, n: true }],
    ["EventLoad", { b: "b1", u: url, q: false }],
    ["EventLoad", { b: "b1", u: url, p: true, q: false, r: "https://example.org/", t: "UTC", d: { a: 1 } }],
    ["EventLoad", { b: "b1", u: url, q: true, d: { plan: "pro" } }],
    ["EventLoad", { b: "b1", u: url, d: {} }],
    ["EventUnload", { b: "b1" }],
    ["EventUnload", { b: "b1", m: 5_000 }],
    ["EventUnload", { b: "b1", u: url, m: 5_000 }],
    ["EventCustom", { b: "b1", d: { plan: "pro" } }],
    ["EventCustom", { u: url, d: { plan: "pro" }, i: "4711" }],
    ["EventCustom", { b: "b1", u: url, d: { plan: "pro" } }],
    // As Medama's tracker sends them.
    ["EventLoad", { e: "load", b: "b1", u: url, p: true, q: true, r: "", t: "UTC" }],
    ["EventLoad", { e: "load", b: "b1", u: url, p: true, q: true, d: { plan: "pro" } }],
    ["EventLoad", { e: "load", b: "b1", u: url, d: { plan: "pro" } }],
    ["EventUnload", { e: "unload", b: "b1", m: 5_000 }],
    ["EventCustom", { e: "custom", g: "example.com", d: { plan: "pro" } }],
    ["EventCustom", { e: "custom", b: "b1", g: "example.com", d: { plan: "pro" } }],
  ] as const)("is %s: %j", (variant, body) => {
    expect(variantsOf(body)).toEqual([variant]);
    expect(parseHit(body).kind).toBe(kinds[variant]);
  });

  test.each([
    {},
    { u: url },
    { d: { plan: "pro" } },
    { d: { plan: "pro" }, g: "example.com" },
    { d: {}, b: "b1" },
    { p: true, b: "b1" },
    { b: "b1", u: url, p: "true" },
    { e: "purchase", b: "b1", u: url },
  ])("that the server refuses is of no variant: %j", (body) => {
    expect(variantsOf(body)).toEqual([]);
    expect(() => parseHit(body)).toThrow();
  });
});
