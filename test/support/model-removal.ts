/** The model's removal of hits, and who has the first page view then: written from the rules and nothing else. */
import { storedDimensions } from "../../src/core/questions/stored-dimension.ts";
import { dayMs } from "../../src/core/hit.ts";
import type { RecordOf } from "../../src/record/record.ts";
import type { Hit, ModelValue, PageView } from "./model.ts";

export function isRemovedBy(
  { websiteId, startMs, endMs, having }: RecordOf<"rowsRemoved">,
  hit: Hit,
): boolean {
  if (hit.websiteId !== websiteId) return false;
  if (hit.timeMs < (startMs ?? -Infinity) || hit.timeMs > (endMs ?? Infinity)) return false;
  const has = (name: string, value: ModelValue) =>
    having.every((own) => own.name !== name || own.values.includes(value));
  const asksForProperty = having.some(({ name }) => name.startsWith("prop_"));
  return (
    storedDimensions.every(({ name }, at) => has(name, hit.values[at] as ModelValue)) &&
    (!asksForProperty ||
      hit.properties.some(({ name, value }) => has("prop_name", name) && has("prop_value", value)))
  );
}

const sameVisitor = ["browser", "os", "device", "country", "language"].map((name) =>
  storedDimensions.findIndex((dimension) => dimension.name === name),
);

/** Makes others first among a website's page views, where the first are removed. */
export function passFirstsOn(views: readonly PageView[], goes: (view: PageView) => boolean): void {
  const known = views.filter(({ values }) => sameVisitor.every((at) => values[at] !== null));
  const visitorsOf = ({ timeMs, values }: PageView) =>
    JSON.stringify([Math.floor(timeMs / dayMs), ...sameVisitor.map((at) => values[at])]);
  const changes: (() => void)[] = [];
  for (const alike of Map.groupBy(known, visitorsOf).values()) {
    const next = nextOf(alike, goes, ({ unique }) => unique);
    if (next !== undefined) changes.push(() => (next.unique = next.first = true));
    for (const [path, ofPage] of Map.groupBy(alike, ({ values }) => values[0] as ModelValue)) {
      const nextOfPage = path === null ? undefined : nextOf(ofPage, goes, ({ first }) => first);
      if (nextOfPage !== undefined) changes.push(() => (nextOfPage.first = true));
    }
  }
  for (const change of changes) change();
}

/** The page view that surely is the next of somebody whose first one goes. */
function nextOf(
  views: readonly PageView[],
  goes: (view: PageView) => boolean,
  isFirst: (view: PageView) => boolean,
): PageView | undefined {
  const lostMs = Math.min(...views.filter((view) => goes(view) && isFirst(view)).map(({ timeMs }) => timeMs));
  const kept = views.filter((view) => !goes(view));
  const others = kept.filter((view) => !isFirst(view) && view.timeMs >= lostMs);
  const [next, second] = others.sort((a, b) => a.timeMs - b.timeMs);
  if (next === undefined || second?.timeMs === next.timeMs) return undefined;
  return kept.some((view) => isFirst(view) && view.timeMs <= next.timeMs) ? undefined : next;
}
