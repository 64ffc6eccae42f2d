/**
 * Tells visits apart while a file is read, as the server does with hits (collect/visits), by visitor, or as the file has
 * them. The page views of a visit wait here until it is over by the file's own time: all of them go into one record. An
 * event goes to its page view, or stays by itself. Only hashes of visitors are kept, and only while their visits last.
 */
import { beginsVisit, isOpenAt, isUnderWayBefore } from "../../collect/visits/visit-rules.ts";
import { visibleMsMax } from "../../core/hit.ts";
import { dimensionIndex, visitValuesOf } from "../../core/questions/stored-dimension.ts";
import { OldestFirst } from "../../lib/collections/oldest-first.ts";
import type { PastLoad } from "../../record/record.ts";
import { ownText } from "../../lib/texts/own-text.ts";
import type { Row } from "./formats/format.ts";

/** The most page views that wait. If there are more, the visit whose last one is longest ago is taken for over. Exported for tests. */
export const waitingMax = 20_000;
/** The same of the characters of all that waits: some 800 of each page view, which is five times as many as most have. Exported for tests. */
export const waitingCharactersMax = 16 * 1024 * 1024;
/** An event or property takes memory beside its characters. */
const propertyCharacters = 64;
/** Waiting texts of a longer row get memory of their own: they would keep the row, of which they may be a small part. */
const keptRowCharactersMax = 1_024;
/** A visit with more page views goes on as another one. Exported for tests. */
export const viewsPerVisitMax = 1_000;
/** A page view takes so many events; more of them stay by themselves. */
const eventsPerViewMax = 100;

interface WaitingVisit {
  readonly number: number;
  readonly firstMs: number;
  lastMs: number;
  readonly utm: string;
  readonly isUnderWay: boolean;
  readonly loads: PastLoad[];
  /** The events among the loads, and those that went to one of them. */
  events: number;
  characters: number;
}

/** The parts of a row that tell visits apart. */
export type VisitRow = Pick<
  Row,
  "kind" | "isInternal" | "utm" | "visit" | "isUnderWay" | "beforeMs" | "isPageless"
>;

export class PastVisits {
  /** By visitor, in the order of their last page views. */
  private readonly waiting = new OldestFirst<number, WaitingVisit>();
  waitingLoads = 0;
  waitingEvents = 0;
  private waitingCharacters = 0;
  private lastNumber = 0;
  /** The file's time: the greatest so far. */
  private nowMs = -Infinity;

  get waitingViews(): number {
    let views = 0;
    for (const { loads } of this.waiting.values()) views += loads.filter(({ isBare }) => !isBare).length;
    return views;
  }

  /** Adds a row, or the time of one to its page view, and returns those of visits that are over by now, each visit's together. */
  add(visitor: number, row: VisitRow, given: PastLoad): PastLoad[] {
    const { timeMs } = given;
    this.nowMs = Math.max(this.nowMs, timeMs);
    const over = this.takeOver();
    const known = this.waiting.get(visitor);
    const goesOn = known !== undefined && isPart(known, row, given);
    if (row.kind === "time" && !goesOn) return over;
    if (known !== undefined && !goesOn) over.push(...this.finish(known));
    const visit = goesOn ? known : this.begin(row, timeMs, known === undefined);
    visit.lastMs = Math.max(visit.lastMs, timeMs);
    const load = row.isPageless ? onLastPage(given, visit.loads) : given;
    if (load.isBare) addTime(visit.loads, (view) => isOfPage(view, load), load.visibleMs ?? 0);
    else addTime(visit.loads, ({ isBare }) => !isBare, row.beforeMs ?? 0);
    if (row.kind !== "time") this.put(visit, load.isBare ? { ...load, visibleMs: null } : load);
    this.waiting.set(visitor, visit);
    return over;
  }

  /** Returns the page views of all visits that wait. */
  takeAll(): PastLoad[] {
    const all = this.waiting.values().flatMap((visit) => this.finish(visit));
    this.waiting.clear();
    return all;
  }

  /** Adds a load to a visit; an event to the last page view of its path. */
  private put(visit: WaitingVisit, load: PastLoad): void {
    const { loads } = visit;
    const characters = charactersOf(load);
    visit.characters += characters;
    this.waitingCharacters += characters;
    if (load.isBare) {
      visit.events++;
      this.waitingEvents++;
      const at = loads.findLastIndex((view) => takesEvent(view, load));
      const view = loads[at];
      if (view !== undefined) {
        loads[at] = { ...view, properties: [...(view.properties ?? []), ...(load.properties ?? [])] };
        return;
      }
    }
    loads.push(load);
    this.waitingLoads++;
  }

  private takeOver(): PastLoad[] {
    const over: PastLoad[] = [];
    for (let oldest = this.waiting.oldest(); oldest !== undefined; oldest = this.waiting.oldest()) {
      const [visitor, visit] = oldest;
      const isRoom = this.waitingLoads < waitingMax && this.waitingCharacters < waitingCharactersMax;
      if (isRoom && isOpenAt(visit.firstMs, visit.lastMs, this.nowMs)) break;
      this.waiting.delete(visitor);
      over.push(...this.finish(visit));
    }
    return over;
  }

  private begin(row: VisitRow, firstMs: number, isFirst: boolean): WaitingVisit {
    const { utm } = row;
    const isUnderWay = row.visit === "" ? isUnderWayBefore(row) && isFirst : row.isUnderWay;
    const number = ++this.lastNumber;
    return { number, firstMs, lastMs: firstMs, utm, isUnderWay, loads: [], events: 0, characters: 0 };
  }

  /** Returns the page views of a visit by their time, with their visit. */
  private finish({ number, isUnderWay, loads, events, characters }: WaitingVisit): PastLoad[] {
    this.waitingLoads -= loads.length;
    this.waitingEvents -= events;
    this.waitingCharacters -= characters;
    const inOrder = loads.toSorted((a, b) => a.timeMs - b.timeMs);
    const visitValues = visitValuesOf(inOrder[0]!.values, isUnderWay);
    return inOrder.map((load) => ({ ...load, visit: number, visitValues }));
  }
}

/** Returns how many values events have beside their names. */
export function eventValuesIn(loads: readonly PastLoad[]): number {
  const events = loads.flatMap(({ properties = [] }) => properties.filter(({ isEvent }) => isEvent));
  return events.reduce((sum, { properties }) => sum + properties.length - 1, 0);
}

/** Returns a load that came in a row of so many characters as one that may wait for long. */
export function waitingLoad(load: PastLoad, rowCharacters: number): PastLoad {
  if (rowCharacters <= keptRowCharactersMax) return load;
  const own = (text: string | null) => (text === null ? null : ownText(text));
  const properties = load.properties?.map((each) => ({
    ...each,
    properties: each.properties.map(([name, value]) => [own(name), own(value)] as const),
  }));
  return { ...load, values: load.values.map(own), ...(properties && { properties }) };
}

function charactersOf({ values, properties = [] }: PastLoad): number {
  let sum = 0;
  for (const value of values) sum += value?.length ?? 0;
  for (const { properties: pairs } of properties) {
    sum += propertyCharacters;
    for (const [name, value] of pairs) sum += propertyCharacters + (name?.length ?? 0) + (value?.length ?? 0);
  }
  return sum;
}

/** Adds visible time to the last such page view, if there is one. */
function addTime(loads: PastLoad[], isSuch: (load: PastLoad) => boolean, addedMs: number): void {
  if (addedMs === 0) return;
  const at = loads.findLastIndex(isSuch);
  const view = loads[at];
  if (view !== undefined)
    loads[at] = { ...view, visibleMs: Math.min((view.visibleMs ?? 0) + addedMs, visibleMsMax) };
}

/** Whether a row goes on with a visit. */
function isPart(visit: WaitingVisit, row: VisitRow, { timeMs, unique }: PastLoad): boolean {
  if (!isOpenAt(visit.firstMs, visit.lastMs, timeMs) || visit.loads.length >= viewsPerVisitMax) return false;
  if (row.visit !== "" || row.kind !== "view") return true;
  return !beginsVisit({ unique, isInternal: row.isInternal, utm: row.utm }, visit.utm);
}

/** Returns an event with the path of the last page view, if there is one. */
function onLastPage(event: PastLoad, loads: readonly PastLoad[]): PastLoad {
  const view = loads.findLast(({ isBare }) => !isBare);
  const { path } = dimensionIndex;
  return view === undefined ? event : { ...event, values: event.values.with(path, view.values[path]!) };
}

function takesEvent(view: PastLoad, event: PastLoad): boolean {
  return isOfPage(view, event) && (view.properties?.length ?? 0) < eventsPerViewMax;
}

function isOfPage(view: PastLoad, event: PastLoad): boolean {
  const { path } = dimensionIndex;
  return !view.isBare && view.values[path] === event.values[path];
}
