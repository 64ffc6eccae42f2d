/** The answers of statistics to `metrics`, as clients read them that were made from the OpenAPI document. */
import { beforeAll, describe, expect, test } from "bun:test";
import { listedDimensions } from "../../src/core/questions/dimension.ts";
import { rowKindOf } from "../../src/core/questions/metric.ts";
import { metricsOfGoal, namedMetrics } from "../../src/core/questions/named-metric.ts";
import { TestServer } from "../support/http.ts";
import { mismatchesOf } from "../support/json-schema.ts";

interface Schema {
  readonly required?: readonly string[];
}
interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly paths: Readonly<
    Record<
      string,
      { readonly get: { readonly responses: Record<200, { content: Record<string, { schema: object }> }> } }
    >
  >;
}

const dayMs = 86_400_000;
const lists = [...listedDimensions.map(({ list }) => list), "entries", "exits", "time", "properties"];

let server: TestServer;
let cookie: string;
let document: Document;
let comparison: string;

// On each of two days two people come: one reads on and buys, the other leaves before anybody knows how long it stayed.
beforeAll(async () => {
  server = await TestServer.open();
  cookie = await server.prepare();
  document = await server.get<Document>("/openapi.json");
  const startMs = server.clock.nowMs();
  const source = "?utm_source=news&utm_medium=mail&utm_campaign=may&utm_content=a&utm_term=b";
  const origin = { t: "Europe/Berlin", r: "https://www.google.com/" };
  for (const day of [0, 1]) {
    const hits = [
      { b: `a${day}`, u: `https://example.com/${source}`, p: true, ...origin },
      { b: `a${day}`, m: 7_000 },
      { b: `b${day}`, u: "https://example.com/pricing", p: false, d: { plan: "pro" } },
      { u: "https://example.com/pricing", b: `b${day}`, d: { order: "paid", price: 49.9 } },
      { b: `c${day}`, u: `https://example.com/only-seen-on-${day}${source}`, p: true, ...origin },
    ];
    for (const [at, body] of hits.entries()) {
      const headers = { "accept-language": at === 4 ? "fr" : "de-AT" };
      expect((await server.hit(body, headers)).status).toBe(200);
    }
    server.clock.advance(dayMs);
  }
  const at = (day: number) => new Date(startMs + day * dayMs).toISOString();
  comparison = `start=${at(1)}&end=${at(2)}&compare_start=${at(0)}&compare_end=${at(1)}`;
  const goal = { name: "Orders", event: { prop_name: "order", prop_value: "paid", amount: "price" } };
  expect((await server.ask("POST", "/website/example.com/goals", { cookie, body: goal })).status).toBe(201);
});

async function answerOf(path: string, query: string): Promise<unknown> {
  const response = await server.ask("GET", `/website/example.com/${path}?${query}`, { cookie });
  expect([path, query, response.status]).toEqual([path, query, 200]);
  return response.json();
}

function schemaOf(path: string): object {
  return document.paths[`/website/{hostname}/${path}`]!.get.responses[200].content["application/json"]!
    .schema;
}

/** Asks, and expects an answer with something in it that is what the document says. */
async function expectAsDocumented(path: string, query: string): Promise<unknown> {
  const answer = await answerOf(path, query);
  const mismatches = mismatchesOf(document.components.schemas)(answer, schemaOf(path));
  expect([path, query, ...mismatches]).toEqual([path, query]);
  if (Array.isArray(answer)) expect([path, query, answer.length]).not.toEqual([path, query, 0]);
  return answer;
}

/** The parameters with which each metric of a kind of row is asked alone, and then all of them together. */
function questionsOf(path: string): string[] {
  const names: readonly string[] = namedMetrics[path === "summary" ? "summary" : rowKindOf(path)];
  const alone = names.map((name) => `metrics=${name}${metricsOfGoal.has(name) ? "&goal=1" : ""}`);
  return [...alone, `metrics=${names.join(",")}&goal=1&by=visit`];
}

describe("figures of statistics, asked for by name,", () => {
  test("are as the document says in every list, alone and together, compared too", async () => {
    for (const list of lists)
      for (const query of questionsOf(list))
        for (const more of ["", `&${comparison}`]) await expectAsDocumented(list, query + more);
  });

  test("are as the document says in totals and their intervals, those before too", async () => {
    for (const query of questionsOf("summary"))
      for (const more of [`&interval=day&${comparison}`, "&interval=week"])
        expect(await expectAsDocumented("summary", query + more)).toHaveProperty("interval");
  });

  test("and those that are not are as the document says, too", async () => {
    for (const query of ["", "summary=true", "by=visit", comparison])
      for (const list of lists) await expectAsDocumented(list, query);
    await expectAsDocumented("summary", "interval=day");
  });
});

describe("a row of time", () => {
  test("has the required fields of the interface where none is asked for by name", async () => {
    const { TimeRow } = document.components.schemas;
    expect(TimeRow?.required).toEqual(["path", "duration", "duration_percentage"]);
    const fitting = async (query: string) => {
      const row = { type: "array", items: { $ref: "#/components/schemas/TimeRow" } };
      return mismatchesOf(document.components.schemas)(await answerOf("time", query), row);
    };
    expect(await fitting("")).toEqual([]);
    expect(await fitting("summary=true")).toEqual([]);
    expect(await fitting("metrics=visits")).toContain(
      '/0 breaks required ["path","duration","duration_percentage"]',
    );
  });
});
