/** Log records for tests, with every field that a test does not care about filled in. */
import type { Sender } from "../../src/collect/hit.ts";
import type { DimensionValues } from "../../src/core/questions/stored-dimension.ts";
import type { RecordOf } from "../../src/record/record.ts";

/** 2026-03-15T12:00:00Z */
export const noonMs = Date.UTC(2026, 2, 15, 12);

/** The values of a page view of `path`; the rest of a visitor with Firefox on Linux in Germany. */
export function valuesOf(path: string): DimensionValues {
  return [path, "", "", "", "", "Firefox", "Linux", "Desktop", "DE", "de", "", ""];
}

/** A sender that no test cares about. */
export const someone: Sender = { address: "192.0.2.7", network: "192.0.2", isUnnamedProxy: false };

export function load(beacon: string, more: Partial<RecordOf<"load">> = {}): RecordOf<"load"> {
  return {
    kind: "load",
    timeMs: noonMs,
    websiteId: 1,
    beacon,
    unique: true,
    seen: false,
    values: valuesOf("/"),
    properties: [],
    ...more,
  };
}

export function unload(beacon: string, more: Partial<RecordOf<"unload">> = {}): RecordOf<"unload"> {
  return { kind: "unload", timeMs: noonMs, websiteId: 1, beacon, visibleMs: null, ...more };
}

/** An event of the website, or with `values: null` and `websiteId: 0` one that knows its page view only. */
export function event(beacon: string, more: Partial<RecordOf<"event">> = {}): RecordOf<"event"> {
  return {
    kind: "event",
    timeMs: noonMs,
    websiteId: 1,
    beacon,
    values: valuesOf("/"),
    properties: [["signup", "yes"]],
    ...more,
  };
}

/** Page views of an access log, one at each of the times: of "/0" to "/19" in turn. */
export function imported(
  times: readonly number[],
  more: Partial<RecordOf<"import">> = {},
): RecordOf<"import"> {
  const loads = times.map((timeMs, at) => ({
    timeMs,
    unique: at % 4 === 0,
    seen: at % 2 === 1,
    values: valuesOf(`/${at % 20}`),
  }));
  const position = { file: "access.log", fromPosition: 0, position: 1, digest: "" };
  return { kind: "import", timeMs: noonMs, websiteId: 1, ...position, loads, ...more };
}
