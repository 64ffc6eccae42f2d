/** The rules of visits, which hits and imported lines share: what begins a visit, and how long one goes on. */
import { visitMsMax, visitPauseMs } from "../../core/hit.ts";
import { noUtm, type Page } from "../page.ts";

/** The parts of a load that say whether it begins a visit although one goes on. */
export interface Arrival {
  /** The visitor's first page view of the day, and so a load. */
  readonly unique: boolean;
  /** The referrer is on the website itself, or the website says that it is not a source. */
  readonly isInternal: boolean;
  /** The utm values, as `utmOf` returns them. */
  readonly utm: string;
}

/** Whether a load begins a visit although one with these utm values goes on: somebody else arrives, or arrives anew. */
export function beginsVisit({ unique, isInternal, utm }: Arrival, utmBefore: string): boolean {
  return (unique && !isInternal) || (utm !== "" && utm !== utmBefore);
}

/**
 * Whether a visit that begins with this load was under way before it, so that nobody knows where it came from: the page
 * before was on the website. Tags say where it came from, also where a page of the website forwards to the tagged one.
 */
export function isUnderWayBefore({ isInternal, utm }: Pick<Arrival, "isInternal" | "utm">): boolean {
  return isInternal && utm === "";
}

/**
 * Whether a visit with rows from `firstMs` to `lastMs` still goes on at a time. A clock that was set back a little ends
 * none, and a hit that says when it happened may come late; no visit has rows further apart.
 */
export function isOpenAt(firstMs: number, lastMs: number, timeMs: number): boolean {
  const isNear = timeMs - lastMs <= visitPauseMs && firstMs - timeMs <= visitPauseMs;
  return isNear && timeMs - firstMs <= visitMsMax && lastMs - timeMs <= visitMsMax;
}

/** Returns the utm values as one text; "" if there is none. */
export function utmOf({ utm }: Page): string {
  if (utm === noUtm) return "";
  const values = Object.values(utm);
  return values.every((value) => value === "") ? "" : values.join("\n");
}

/** Whether a hit that comes now may belong to a visit whose last sign of life came at `cameMs`. */
export function mayContinue(cameMs: number, nowMs: number): boolean {
  return nowMs - cameMs <= visitPauseMs && cameMs - nowMs <= visitMsMax;
}
