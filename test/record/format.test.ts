import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { canRead, isFormat, recordFormat, type RecordFormat } from "../../src/record/format.ts";
import type { LogRecord, RecordKind, RecordOf } from "../../src/record/record.ts";
import { anyRecord } from "../support/any-record.ts";
import { seed } from "../support/seed.ts";

/** The format with the fields of a kind changed. */
function changed(kind: number, change: (fields: unknown[]) => void): RecordFormat {
  const format = structuredClone(recordFormat) as Record<string, unknown[]>;
  change(format[kind] as unknown[]);
  return format as unknown as RecordFormat;
}

function record<K extends RecordKind>(kind: K, fields: Omit<RecordOf<K>, "kind">): LogRecord {
  return { kind, ...fields } as unknown as LogRecord;
}

describe("the format of records", () => {
  test("comes through JSON, and reads each record of its own program", () => {
    const format: unknown = JSON.parse(JSON.stringify(recordFormat));
    if (!isFormat(format)) throw new Error("it is a format");
    expect(format).toEqual(recordFormat);
    fc.assert(
      fc.property(anyRecord(), (any) => canRead(format, any)),
      { seed: seed() },
    );
  });

  test("without a kind, it reads no record of it", () => {
    const removed = record("userRemoved", { timeMs: 1, userId: 1 });
    const { 10: _, ...others } = recordFormat;
    expect(canRead(others, removed)).toBe(false);
  });

  test("without a field that was appended, it reads the records that go without", () => {
    const format = changed(10, (fields) => fields.pop());
    expect(canRead(format, record("userRemoved", { timeMs: 1, userId: 1 }))).toBe(true);
    expect(canRead(format, record("userRemoved", { timeMs: 1, userId: 1, oneOwner: false }))).toBe(true);
    expect(canRead(format, record("userRemoved", { timeMs: 1, userId: 1, oneOwner: true }))).toBe(false);
  });

  test("without a name, it reads the records that have another one", () => {
    const format = changed(28, (fields) => (fields[3] = "viewer owner"));
    const to = (role: "viewer" | "editor") =>
      record("memberChanged", { timeMs: 1, websiteId: 1, userId: 1, role });
    expect(canRead(format, to("viewer"))).toBe(true);
    expect(canRead(format, to("editor"))).toBe(false);
  });

  test("a field or a name within a row counts as well", () => {
    const format = changed(21, (fields) => (fields[4] = ["eq", 0]));
    const goal = {
      timeMs: 1,
      websiteId: 1,
      goalId: 1,
      name: "a",
      propName: null,
      propValue: null,
      amount: null,
    };
    const goalOn = (page: RecordOf<"goalAdded">["page"]) => record("goalAdded", { ...goal, page });
    expect(canRead(format, goalOn([]))).toBe(true);
    expect(canRead(format, goalOn([{ operator: "eq", operands: ["/"] }]))).toBe(true);
    expect(canRead(format, goalOn([{ operator: "neq", operands: ["/"] }]))).toBe(false);
    const shorter = changed(21, (fields) => (fields[4] = [fields[4]]));
    expect(canRead(shorter, goalOn([{ operator: "eq", operands: ["/"] }]))).toBe(false);
  });

  test("anything else is none", () => {
    for (const other of [null, 1, "1", { 1: 2 }, { 1: [null] }, { 1: [[{}]] }])
      expect(isFormat(other)).toBe(false);
  });
});
