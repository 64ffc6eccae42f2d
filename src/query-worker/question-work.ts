/**
 * Says how much work a question is before it is answered: a small one is answered on the thread that takes hits, which
 * must not wait. Strangers choose how many values and properties a website has, and how long they are.
 */
import { targetsOf, type Question } from "../core/questions/query.ts";
import { isPropertyFilter } from "../query/rows/property-mask.ts";
import { filtersOf } from "../query/rows/targets.ts";
import type { Site } from "../store/state/site.ts";

/** A filter takes up to a microsecond for each value that it looks at, a thousand times what a row takes. */
const smallValuesMax = 30_000;
/** A value of so many bytes more takes as long as two. */
const bytesOfValue = 256;

/** Returns whether an answer takes some milliseconds. `rowsMax`: the most rows, and properties, that are walked for it. */
export function isSmall(site: Site, question: Question, rowsMax: number): boolean {
  return (
    (site.rows + rowsOfMonths(site) || 1) * walksOf(question) <= rowsMax &&
    propertiesOf(site, question) <= rowsMax &&
    valuesOf(site, question) <= smallValuesMax
  );
}

/**
 * How many values answering looks at: those of the list, and all that a filter, or a condition of a goal or step, may be
 * about. Long ones count as several.
 */
function valuesOf({ dictionaries, propertyNames, propertyValues }: Site, question: Question): number {
  const all = [...dictionaries, propertyNames, propertyValues];
  const values = all.reduce((sum, { size, bytes }) => sum + size + bytes / bytesOfValue, 0);
  const conditions = targetsOf(question).reduce((sum, target) => sum + filtersOf(target).length, 0);
  return values * (1 + question.filters.length + conditions);
}

/** How many properties answering walks: a row may have thousands, and each goal or step that is an event walks all. */
function propertiesOf({ chunks }: Site, question: Question): number {
  const events = targetsOf(question).reduce((sum, target) => sum + Number("event" in target), 0);
  const walks = events + Number(question.list === "properties" || question.filters.some(isPropertyFilter));
  return walks === 0 ? 0 : walks * chunks.values().reduce((sum, { properties }) => sum + properties, 0);
}

/** How many rows there were of which sums are read. */
function rowsOfMonths({ reduced }: Site): number {
  return reduced.values().reduce((sum, { rows }) => sum + rows, 0);
}

/** Drivers count more than ten lists, in several periods; an export makes texts of all rows. */
function walksOf({ list }: Question): number {
  if (list === "export") return Infinity;
  return list === "drivers" ? 10 : 1;
}
