/** The operations of an OpenAPI document, and requests for them: as the document has them, or wrong somewhere. */
import { oddText, type Picker } from "./odd-values.ts";
import { badJson, goodValue, type Hints, type Schema } from "./schema.ts";

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: "path" | "query";
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Described {
  readonly operationId: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content & { readonly $ref?: string }>>;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly needsSession: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
  /** By status: media type and schema; undefined for no body. */
  readonly answers: ReadonlyMap<number, readonly [media: string, schema: Schema] | undefined>;
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
}

export interface ApiRequest {
  readonly path: string;
  readonly method: string;
  readonly body: string | undefined;
}

export function operationsOf(document: OpenApi): Operation[] {
  const followed = <T>(part: T): T => follow(document, part) as T;
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      id: described.operationId,
      method: method.toUpperCase(),
      path,
      // A route that only a link opens answers 404 without it.
      needsSession: described.security?.some((way) => !("link" in way)) ?? false,
      parameters: described.parameters.map(followed),
      body: schemaOf(followed(described.requestBody))?.[1],
      answers: new Map(
        Object.entries(described.responses).map(([status, answer]) => [
          Number(status),
          schemaOf(followed(answer)),
        ]),
      ),
    })),
  );
}

function schemaOf(part: Content | undefined): readonly [string, Schema] | undefined {
  const [found] = Object.entries(part?.content ?? {});
  return found && [found[0], found[1].schema];
}

/** `part` with what its references name in their place. */
function follow(document: unknown, part: unknown): unknown {
  if (Array.isArray(part)) return part.map((each: unknown) => follow(document, each));
  if (typeof part !== "object" || part === null) return part;
  const { $ref } = part as { $ref?: unknown };
  if (typeof $ref === "string") {
    const steps = $ref.slice("#/".length).split("/");
    const target = steps.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document);
    return follow(document, target);
  }
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, follow(document, value)]));
}

/** `more`: the share of the parameters that may be missing and are there. */
export function goodRequest(operation: Operation, picker: Picker, hints: Hints, more = 0.15): ApiRequest {
  const { method, path, parameters, body } = operation;
  const query = parameters
    .filter((parameter) => parameter.in === "query" && (parameter.required === true || picker.chance(more)))
    .flatMap(({ name, schema }) => goodPairs(name, goodValue(schema, picker, hints, name)));
  return {
    method,
    path:
      placed(path, (name) => encodeURIComponent(String(goodValue({ type: "string" }, picker, hints, name)))) +
      joined(query),
    body: body && JSON.stringify(goodValue(body, picker, hints)),
  };
}

/** A filter is an object: a pair for each operator. A list is a pair for each of its values. */
function goodPairs(name: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.map((each) => `${name}=${encodeURIComponent(String(each))}`);
  if (typeof value !== "object" || value === null) return [`${name}=${encodeURIComponent(String(value))}`];
  return Object.entries(value).map(([key, each]) => `${name}[${key}]=${encodeURIComponent(String(each))}`);
}

export function badRequest(operation: Operation, picker: Picker, hints: Hints): ApiRequest {
  const good = goodRequest(operation, picker, hints);
  const ways: (() => ApiRequest)[] = [
    () => ({
      ...good,
      path: `${good.path}${good.path.includes("?") ? "&" : "?"}${badPair(operation, picker)}`,
    }),
  ];
  const { body } = operation;
  if (body !== undefined)
    for (let weight = 0; weight < 4; weight++)
      ways.push(() => ({ ...good, body: badJson(body, picker, hints) }));
  if (operation.path.includes("{"))
    ways.push(() => ({ ...good, path: placed(operation.path, () => encodedOdd(picker)) }));
  return picker.of(ways)();
}

const oddOperators = ["eq", "neq", "like", "", "__proto__", "in", "not_in", "eq]["];

function badPair({ parameters }: Operation, picker: Picker): string {
  const names = parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name);
  const name =
    names.length > 0 && picker.chance(0.9) ? picker.of(names) : picker.of(["eq", "x", "", "path.eq"]);
  const key = picker.chance(0.4) ? `${name}[${picker.of(oddOperators)}]` : name;
  const value = picker.chance(0.5)
    ? encodedOdd(picker)
    : picker.of(["", "%", "%ff", "-1", "1e2", "0x10", "TRUE", "\\,", "2026-13-01"]);
  const pair = `${key}=${value}`;
  return picker.chance(0.1) ? `${pair}&${pair}` : pair;
}

/** As long as Bun takes, which answers longer ones itself (431); `.` and `..` are steps of a path, which never arrive. */
function encodedOdd(picker: Picker): string {
  const text = encodeURIComponent(oddText(picker).slice(0, 800).toWellFormed());
  return /^\.*$/.test(text) ? "x" : text;
}

function placed(path: string, valueOf: (name: string) => string): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => valueOf(name));
}

function joined(query: readonly string[]): string {
  return query.length === 0 ? "" : `?${query.join("&")}`;
}
