/**
 * The class of a row: one small number that says whether the row is a visitor by the question's definition, whether its
 * time on the page is known, and whether it bounced. Counting a row then adds to a cell, with no branch on data.
 */
import { rowFlag, rowFlagsMax } from "./row-flag.ts";

/** The order makes the classes that a figure counts a range. */
export const rowClass = {
  untimed: 0,
  timed: 1,
  visitorUntimed: 2,
  visitorTimed: 3,
  /** The first load of a unique visitor whose time is known. */
  uniqueTimed: 4,
  uniqueBounced: 5,
  /** The class of rows that no figure counts. */
  noPageView: 7,
} as const;
/** The number of classes that are page views, which are the first ones. */
export const pageViewClasses = 6;

/** The class of a row where only page views and visitors are counted. */
export const viewClass = { view: 0, visitor: 1, noPageView: 2 } as const;

/** The flag that marks a visitor: `p`, or the first view of a page. */
export type VisitorFlag = typeof rowFlag.unique | typeof rowFlag.first;

/** The class for each combination of flags. */
export const classTables: Readonly<Record<VisitorFlag, Uint8Array>> = {
  [rowFlag.unique]: classTable(rowFlag.unique),
  [rowFlag.first]: classTable(rowFlag.first),
};

/** The `viewClass` for each combination of flags. */
export const viewClassTables: Readonly<Record<VisitorFlag, Uint8Array>> = {
  [rowFlag.unique]: classTables[rowFlag.unique].map(viewClassOf),
  [rowFlag.first]: classTables[rowFlag.first].map(viewClassOf),
};

function viewClassOf(rowClassOf: number): number {
  if (rowClassOf === rowClass.noPageView) return viewClass.noPageView;
  return rowClassOf >= rowClass.visitorUntimed ? viewClass.visitor : viewClass.view;
}

function classTable(visitor: VisitorFlag): Uint8Array {
  return Uint8Array.from({ length: rowFlagsMax }, (_, flags) => classOf(flags, visitor));
}

function classOf(flags: number, visitor: VisitorFlag): number {
  if (flags & rowFlag.bare) return rowClass.noPageView;
  const known = (flags & rowFlag.timed) !== 0;
  if ((flags & visitor) === 0) return known ? rowClass.timed : rowClass.untimed;
  if (!known) return rowClass.visitorUntimed;
  if ((flags & rowFlag.unique) === 0) return rowClass.visitorTimed;
  const bounced = (flags & rowFlag.short) !== 0 && (flags & rowFlag.evented) === 0;
  return bounced ? rowClass.uniqueBounced : rowClass.uniqueTimed;
}
