/** The meaning of key strokes, on keyboards of several countries. */
import { describe, expect, test } from "bun:test";
import { questionOf } from "../../src/web/lib/question/question.ts";
import { periodNames } from "../../src/web/lib/calendar/period.ts";
import { keyOfPeriod, keyRow, keys, type Stroke } from "../../src/web/website/keys/key-table.ts";

const now = Date.parse("2026-11-21T10:00:00Z");
const none = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, repeat: false };

function does(key: string, held: Partial<Stroke> = {}): string | undefined {
  return keyRow({ ...none, key, ...held })?.key;
}

function leads(key: string, search = ""): string | undefined {
  const row = keyRow({ ...none, key });
  return row?.href?.(questionOf("example.com", new URLSearchParams(search)), now);
}

describe("a stroke", () => {
  test("of every key of the table means its row", () => {
    for (const { key } of keys) expect(does(key, { shiftKey: key === "?" })).toBe(key);
    expect(new Set(keys.map(({ key }) => key)).size).toBe(keys.length);
  });
  test("of a letter means nothing with any key held, and Caps Lock is none", () => {
    for (const held of ["ctrlKey", "metaKey", "altKey", "shiftKey", "repeat"] as const)
      expect({ held, does: does("t", { [held]: true }) }).toEqual({ held, does: undefined });
    expect(does("T")).toBe("t");
    expect(does("T", { shiftKey: true })).toBeUndefined();
  });
  test("of a bracket may need AltGr, and is the browser's with Ctrl or Command", () => {
    expect(does("[", { altKey: true })).toBe("[");
    expect(does("[", { altKey: true, ctrlKey: true })).toBe("[");
    expect(does("[", { ctrlKey: true })).toBeUndefined();
    expect(does("[", { metaKey: true })).toBeUndefined();
  });
  test("of other keys means nothing", () => {
    for (const key of ["q", "\\", "Enter", "ArrowLeft", " ", "Escape", "", "tt"])
      expect(does(key)).toBeUndefined();
  });
});

describe("a key leads", () => {
  test("to its period, with everything else kept", () => {
    expect(leads("w", "os[eq]=Linux")).toBe("/dashboard/websites/example.com?period=7d&os[eq]=Linux");
    for (const name of periodNames) {
      const key = name === "custom" ? undefined : keyOfPeriod(name);
      if (key !== undefined) expect(leads(key)).toContain(name === "30d" ? "/example.com" : `period=${name}`);
    }
  });
  test("to the period before, and not into the future", () => {
    expect(leads("[", "period=today&timezone=UTC")).toContain("period=yesterday");
    expect(leads("[", "period=yesterday&timezone=UTC")).toContain("from=2026-11-19&to=2026-11-19");
    expect(leads("]", "period=today")).toBeUndefined();
    expect(leads("[", "period=all")).toBeUndefined();
  });
  test("to a comparison and back, where there is a period before", () => {
    expect(leads("p")).toEndWith("?compare=none");
    expect(leads("p", "compare=none")).toEndWith("/example.com");
    expect(leads("p", "compare=year")).toEndWith("?compare=none");
    expect(leads("p", "period=all")).toBeUndefined();
  });
  test("to no filters, and to the websites", () => {
    expect(leads("x", "period=7d&os[eq]=Linux")).toEndWith("?period=7d");
    expect(leads("g")).toBe("/");
  });
});
