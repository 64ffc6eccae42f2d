/** The model's answers about visits: goals, funnels, journeys and who is there now, from arrays of hits. */
import { goalView, type Goal, type Target } from "../../src/core/website/goal.ts";
import type { Filter, JourneysQuery, Period, Selection, Step } from "../../src/core/questions/query.ts";
import { matches, pageViewMatches, propertyMatches, within } from "./model-filter.ts";
import type { Hit, Model, ModelProperty, ModelValue, PageView } from "./model.ts";

/** All page views and events of a website. */
function hitsOf(model: Model, websiteId: number): readonly Hit[] {
  return [...model.pageviews, ...model.events].filter((hit) => hit.websiteId === websiteId);
}

function viewsOf(model: Model, websiteId: number): readonly PageView[] {
  return model.pageviews.filter((view) => view.websiteId === websiteId);
}

export function selectedHits(
  model: Model,
  websiteId: number,
  { period, filters }: Selection,
): readonly Hit[] {
  return hitsOf(model, websiteId).filter(
    (hit) => within(period, hit.timeMs) && pageViewMatches(filters, hit as PageView),
  );
}

export function visitsOf(hits: readonly Hit[]): ReadonlySet<number> {
  return new Set(hits.map(({ visit }) => visit).filter((visit) => visit !== 0));
}

function isView(hit: Hit): hit is PageView {
  return "beacon" in hit;
}

/** The filters that a target is. They are kept, so that each is one object for all hits. */
const filters = new WeakMap<Target, readonly Filter[]>();

function filtersOf(target: Target): readonly Filter[] {
  return filters.getOrInsertComputed(target, readFilters);
}

function readFilters(target: Target): readonly Filter[] {
  if ("page" in target) return target.page.map((condition) => ({ name: "path", ...condition }));
  const { propName, propValue } = target.event;
  return [
    { name: "prop_name", operator: "eq", operands: [propName] },
    ...(propValue === null
      ? []
      : [{ name: "prop_value" as const, operator: "eq" as const, operands: [propValue] }]),
  ];
}

/** The properties of a hit that are events of the target. */
function eventsIn(hit: Pick<Hit, "properties">, target: Target): readonly ModelProperty[] {
  if ("page" in target || hit.properties.length === 0) return [];
  return hit.properties.filter((property) => propertyMatches(filtersOf(target), property));
}

function isPageOf(hit: Hit, target: Target): boolean {
  if (!("page" in target) || !isView(hit)) return false;
  return filtersOf(target).every((filter) => matches(filter, hit.values[0] as ModelValue));
}

function timesReached(hit: Hit, target: Target): number {
  return isPageOf(hit, target) ? 1 : eventsIn(hit, target).length;
}

/** The visits that reached the target in the period, whatever is filtered. */
export function reachedIn(
  model: Model,
  websiteId: number,
  target: Target,
  period: Period,
): ReadonlySet<number> {
  const all = selectedHits(model, websiteId, { period, filters: [] });
  return visitsOf(all.filter((hit) => timesReached(hit, target) > 0));
}

/** The amounts of a hit, in millionths. */
function amountsOf(hit: Pick<Hit, "properties">, target: Target): readonly number[] {
  if ("page" in target || target.event.amount === null) return [];
  const named: Filter = { name: "prop_name", operator: "eq", operands: [target.event.amount] };
  const times = new Set(eventsIn(hit, target).map(({ timeMs }) => timeMs));
  return hit.properties.flatMap(({ timeMs, name, number }) =>
    times.has(timeMs) && matches(named, name) && number !== null ? [Math.round(number * 1e6)] : [],
  );
}

/** The amounts of the hits that some properties came with; nothing as with `amountOfHits`. */
export function amountOfProperties(
  properties: readonly (ModelProperty & { readonly hit: Hit })[],
  target: Target,
): { readonly amount?: number } {
  if ("page" in target || target.event.amount === null) return {};
  const all = Map.groupBy(properties, ({ hit }) => hit)
    .entries()
    .flatMap(([hit, own]) => {
      const times = new Set(own.map(({ timeMs }) => timeMs));
      return times.values().map((timeMs) => ({
        properties: hit.properties.filter((property) => property.timeMs === timeMs),
      }));
    })
    .toArray();
  const amounts = all.flatMap((hit) => amountsOf(hit, target));
  if (amounts.length === 0 && all.some((hit) => eventsIn(hit, target).length > 0)) return {};
  return { amount: amounts.reduce((sum, own) => sum + own, 0) / 1e6 };
}

/** The amounts with which visits reached the target in the period, whatever is filtered: by visit, in millionths. */
export function amountsByVisit(
  model: Model,
  websiteId: number,
  target: Target,
  period: Period,
): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  for (const hit of selectedHits(model, websiteId, { period, filters: [] }))
    for (const amount of hit.visit === 0 ? [] : amountsOf(hit, target))
      sums.set(hit.visit, (sums.get(hit.visit) ?? 0) + amount);
  return sums;
}

/** The sum of the amounts of some hits; nothing if the target has none, or was reached without a number, or by other hits. */
export function amountOfHits(
  hits: readonly Hit[],
  target: Target,
  isElsewhere = false,
): { readonly amount?: number } {
  if ("page" in target || target.event.amount === null) return {};
  const amounts = hits.flatMap((hit) => amountsOf(hit, target));
  const isReached = isElsewhere || hits.some((hit) => timesReached(hit, target) > 0);
  const isKnown = amounts.length > 0 || !isReached;
  return isKnown ? { amount: amounts.reduce((sum, own) => sum + own, 0) / 1e6 } : {};
}

/** A question about goals or a funnel: what it selects, and whether that are visits; `heldTo` as in the question. */
export interface OfTargets extends Selection {
  readonly by?: "visit" | undefined;
  readonly heldTo?: readonly Filter[];
}

/** All visits of the selection, and the hits among which goals and steps are looked for. */
function hitsThatCount(model: Model, websiteId: number, { by, heldTo = [], ...selection }: OfTargets) {
  const selected = selectedHits(model, websiteId, selection);
  const chosen = visitsOf(selected);
  if (by === undefined || selection.filters.length === 0) return { chosen, hits: selected };
  const shown = selectedHits(model, websiteId, { ...selection, filters: heldTo });
  return { chosen, hits: shown.filter(({ visit }) => chosen.has(visit)) };
}

export function modelGoals(model: Model, websiteId: number, selection: OfTargets, goals: readonly Goal[]) {
  const { chosen, hits } = hitsThatCount(model, websiteId, selection);
  const all = chosen.size;
  return goals.map((goal) => {
    const { target } = goal;
    const reached = hits.filter((hit) => timesReached(hit, target) > 0);
    const visits = visitsOf(reached).size;
    return {
      ...goalView(goal),
      visits,
      ...(all > 0 && { conversion_percentage: shareOf(visits, all) }),
      events: reached.reduce((sum, hit) => sum + timesReached(hit, target), 0),
      ...amountOfHits(hits, target),
    };
  });
}

/** A share in hundredths of a percent, halves rounded up, in integers. */
export function shareOf(part: number, whole: number): number {
  return Number((BigInt(part) * 20_000n + BigInt(whole)) / (2n * BigInt(whole))) / 100;
}

interface Moment {
  readonly timeMs: number;
  readonly isEvent: boolean;
  readonly order: number;
  readonly is: (target: Target) => boolean;
}

function momentsOf(hits: readonly Hit[]): readonly Moment[] {
  const moments = hits.flatMap((hit, order): Moment[] => {
    const view = { timeMs: hit.timeMs, isEvent: false, order, is: (target: Target) => isPageOf(hit, target) };
    const events = hit.properties.map((property) => ({
      timeMs: property.timeMs,
      isEvent: true,
      order: property.order,
      is: (target: Target) => eventsIn({ properties: [property] }, target).length > 0,
    }));
    return [view, ...events];
  });
  return moments.sort(
    (a, b) => a.timeMs - b.timeMs || Number(a.isEvent) - Number(b.isEvent) || a.order - b.order,
  );
}

export function modelFunnel(model: Model, websiteId: number, selection: OfTargets, steps: readonly Step[]) {
  const { chosen, hits } = hitsThatCount(model, websiteId, selection);
  const done = [...chosen].map((visit) => {
    let count = 0;
    for (const moment of momentsOf(hits.filter((hit) => hit.visit === visit))) {
      const step = steps[count];
      if (step !== undefined && moment.is(step.target)) count++;
    }
    return count;
  });
  const all = done.length;
  const at = (step: number) => done.filter((count) => count >= step).length;
  return steps.map(({ text }, index) => {
    const [visits, before] = [at(index + 1), at(index)];
    return {
      step: text,
      visits,
      ...(before > 0 && { step_percentage: shareOf(visits, before) }),
      ...(all > 0 && { total_percentage: shareOf(visits, all) }),
    };
  });
}

/** Finds the stays of visits on the path, each with the page after it or before it. */
export function modelJourneys(model: Model, websiteId: number, query: Omit<JourneysQuery, "list">) {
  const ofPath: Filter = { name: "path", operator: "eq", operands: [query.path] };
  const isPath = ({ values }: Hit) => matches(ofPath, values[0] as ModelValue);
  const selected = selectedHits(model, websiteId, query).filter((hit) => isView(hit) && isPath(hit));
  const chosen = visitsOf(selected);
  const views = viewsOf(model, websiteId).filter(({ visit }) => chosen.has(visit));
  const neighbours = new Map<ModelValue, number>();
  let stays = 0;
  let without = 0;
  for (const own of Map.groupBy(views, ({ visit }) => visit).values()) {
    const inOrder = own.toSorted((a, b) => a.timeMs - b.timeMs);
    for (const [at, view] of inOrder.entries()) {
      const before = inOrder[at - 1];
      if (!isPath(view) || (before !== undefined && isPath(before))) continue;
      const end = inOrder.findIndex((later, index) => index > at && !isPath(later));
      const stay = inOrder.slice(at, end < 0 ? inOrder.length : end);
      if (!stay.some(({ timeMs }) => within(query.period, timeMs))) continue;
      stays++;
      const other = query.direction === "next" ? inOrder[end] : before;
      if (other === undefined) without++;
      else neighbours.set(pathOf(other), (neighbours.get(pathOf(other)) ?? 0) + 1);
    }
  }
  const ranked = [...neighbours]
    .flatMap(([path, count]) => (path === null ? [] : [{ path, count }]))
    .sort((a, b) => b.count - a.count || (a.path < b.path ? -1 : 1));
  const shown = ranked.slice(0, query.limit);
  const rest = stays - without - shown.reduce((sum, { count }) => sum + count, 0);
  const row = (path: string, count: number) => ({
    path,
    stays: count,
    stays_percentage: shareOf(count, stays),
  });
  return {
    stays,
    ...(query.direction === "next" ? { exits: without } : { entries: without }),
    pages: [
      ...shown.map(({ path, count }) => row(path, count)),
      ...(rest > 0 ? [{ ...row("(other)", rest), other: true }] : []),
    ],
  };
}

function pathOf({ values }: Hit): ModelValue {
  return values[0] as ModelValue;
}

/** The visits with a sign of life after that time. */
export function modelVisitsSince(model: Model, websiteId: number, sinceMs: number): ReadonlySet<number> {
  const lastMs = (hit: Hit) =>
    Math.max(
      hit.timeMs + (isView(hit) ? (hit.durationMs ?? 0) : 0),
      ...hit.properties.map(({ timeMs }) => timeMs),
    );
  return visitsOf(hitsOf(model, websiteId).filter((hit) => lastMs(hit) > sinceMs));
}
