/**
 * Removes page views and events of a website that should not have been counted. The filters are resolved to stored
 * values before the record is logged, so that a later program, with other groups and names, replays the same. Hits are
 * taken meanwhile: everything that reads much is done in steps.
 */
import { dayMs } from "../core/hit.ts";
import { removalFilterNames } from "../core/questions/dimension.ts";
import {
  ownDimension,
  storedFilterNames,
  type RowName,
  type StoredFilterName,
} from "../core/questions/stored-dimension.ts";
import type { Filter, Selection } from "../core/questions/query.ts";
import { badInput, Refusal } from "../core/refusal.ts";
import { formsOf, itself } from "../query/names/forms.ts";
import { applyFilters } from "../query/rows/filters/mask.ts";
import { asLogged } from "../record/codec.ts";
import type { RecordOf } from "../record/record.ts";
import { inSteps } from "./files/in-steps.ts";
import { reducedUntilMs } from "../store/state/reduced-month.ts";
import { Removal } from "../store/state/removal/removal.ts";
import { RemovedValues, type RemovedCounts } from "../store/state/removal/removed-values.ts";
import { dictionaryOf, RowFilter, type ValueMasks } from "../store/state/removal/row-filter.ts";
import type { Site } from "../store/state/site.ts";
import type { EngineParts } from "./upkeep/engine-parts.ts";

/** The most stored values that one record names, and their characters. Exported for tests. */
export const removedValuesMax = 100_000;
const removedCharactersMax = 4 * 1024 * 1024;
/** Values of a dictionary that are compared with filters in one step; one that is compared with two counts twice. */
const stepValues = 8_192;

export interface RowRemovalOptions extends EngineParts {
  readonly isStopping: () => boolean;
}

/** A removal that has read what it needs. */
export interface PreparedRemoval {
  readonly removal: Removal;
  readonly counts: RemovedCounts;
  readonly having: RecordOf<"rowsRemoved">["having"];
}

export class RowRemoval {
  constructor(private readonly options: RowRemovalOptions) {}

  /**
   * Returns what a removal takes, and with `isDryRun` false removes it: it resolves when that is durable and applied.
   * `signal` gives it up before anything is removed; `expectAllowed` is called right before that, and what it throws gives
   * it up too. Throws Refusal: 400 for filters that select too many values, 404 if the website is gone, 500.
   */
  run(
    websiteId: number,
    selection: Selection,
    isDryRun: boolean,
    signal?: AbortSignal,
    expectAllowed?: () => void,
  ): Promise<RemovedCounts> {
    const { checkpointer, recovered, openStore, isStopping } = this.options;
    const { store } = recovered.state;
    // No checkpoint is under way meanwhile: chunks are not merged then.
    return checkpointer.between(async () => {
      openStore();
      const site = store.sites.get(websiteId);
      if (site === undefined) throw gone();
      expectRows(site, selection);
      const prepared = await inSteps(prepareRemoval(site, selection), isStopping, signal);
      const { pageviews, events } = prepared.counts;
      if (isDryRun || pageviews + events === 0) return prepared.counts;
      const edited = new Set(prepared.removal.selected().map(([chunk]) => chunk));
      // It throws where files cannot be read that checkpoints need after it.
      const compared = recovered.files.chunks.compareToRewrite(site, undefined, edited);
      await inSteps(compared, isStopping, signal);
      expectAllowed?.();
      await this.remove(websiteId, selection, prepared);
      return prepared.counts;
    });
  }

  private async remove(
    websiteId: number,
    { period }: Selection,
    { removal, having }: PreparedRemoval,
  ): Promise<void> {
    const { recovered, nowMs, commit, room } = this.options;
    const { store } = recovered.state;
    expectBounded(having);
    room.expectToRewrite(new Set([websiteId]));
    // This very object is applied: by it the store finds what was prepared.
    const record = asLogged<RecordOf<"rowsRemoved">>({
      kind: "rowsRemoved",
      timeMs: nowMs(),
      websiteId,
      startMs: finite(period.startMs),
      endMs: finite(period.endMs),
      having,
    });
    store.removals.prepared(record, removal);
    if ((await commit(record)) === "missing") throw gone();
  }
}

/**
 * Selects the rows, in steps, and resolves the filters to stored values. Throws what reading columns throws.
 * Exported for tests.
 */
export function* prepareRemoval(
  site: Site,
  { period, filters }: Selection,
): Generator<void, PreparedRemoval> {
  const filter = new RowFilter(site, period, yield* valueMasks(site, filters));
  const removal = new Removal(site);
  yield* removal.prepare(filter);
  const values = new RemovedValues(site, filter);
  for (const [chunk, edits] of removal.selected()) {
    values.add(chunk, edits);
    yield;
  }
  return { removal, counts: values.counts(removal), having: values.having };
}

/** Returns, by the names of the filters, which values of the website pass them. */
function* valueMasks(site: Site, filters: Selection["filters"]): Generator<void, ValueMasks> {
  const masks = new Map<StoredFilterName, Uint8Array>();
  for (const [name, own] of Map.groupBy(filters, storedName)) {
    const dictionary = dictionaryOf(site, name);
    const forms = name === "prop_name" || name === "prop_value" ? itself : formsOf(name);
    const mask = new Uint8Array(dictionary.size).fill(1);
    const values = Math.ceil(stepValues / own.length);
    for (let first = 0; first < mask.length; first += values) {
      const end = Math.min(mask.length, first + values);
      applyFilters(mask, dictionary, forms, own, first, undefined, end);
      yield;
    }
    masks.set(name, mask);
  }
  return masks;
}

/** Throws Refusal 400 for a filter of what is only looked up: a later program would remove something else. */
function storedName({ name }: Filter): StoredFilterName {
  const stored = storedFilterNames.find((known) => known === name);
  if (stored === undefined)
    throw badInput("filters", ownDimension(name as RowName), `a filter of ${removalFilterNames.join(", ")}`);
  return stored;
}

/**
 * Throws Refusal 400 for a period that reaches into months without rows. Of months that gave up their rows it may not reach
 * into the day before or after them either: visits that go on there are counted with both. Imported sums have no such
 * visits. Rows before all of these months, which an import brought, can be removed.
 */
function expectRows({ reduced }: Site, { period }: Selection): void {
  const edges = reduced.values().reduce(
    (edges, month) => {
      const nearMs = month.head.isImported ? 0 : dayMs;
      return {
        fromMs: Math.max(edges.fromMs, reducedUntilMs([month]) + nearMs),
        firstMs: Math.min(edges.firstMs, month.monthMs - nearMs),
      };
    },
    { fromMs: -Infinity, firstMs: Infinity },
  );
  if (period.startMs >= edges.fromMs || period.endMs < edges.firstMs) return;
  const [untilDay, from] = [reducedUntilMs(reduced.values()), edges.fromMs].map((ms) =>
    new Date(ms).toISOString(),
  );
  throw new Refusal(
    400,
    `the days before ${untilDay!.slice(0, 10)} have sums only, of which nothing can be removed: expected a start from ${from} on`,
  );
}

function gone(): Refusal {
  return new Refusal(404, "the website was removed");
}

function expectBounded(having: PreparedRemoval["having"]): void {
  for (const { name, values } of having)
    if (values.length > removedValuesMax || charactersOf(values) > removedCharactersMax)
      throw new Refusal(
        400,
        `${ownDimension(name as RowName)}: expected filters and a period that select at most ${removedValuesMax} values with ` +
          `${removedCharactersMax} characters, got ${values.length} values: remove a shorter period at a time`,
      );
}

function charactersOf(values: readonly (string | null)[]): number {
  return values.reduce((sum, value) => sum + (value?.length ?? 0), 0);
}

function finite(ms: number): number | null {
  return Number.isFinite(ms) ? ms : null;
}
