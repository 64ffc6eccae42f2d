/** A figure in a table, where others stand beside it. */
import { narrowCount } from "../../lib/texts/format.ts";
import type { Figure } from "../../lib/texts/metric.ts";
import { narrow } from "../../lib/narrow.ts";

export interface Cell {
  /** The figure as its column has room for it. */
  readonly text: string;
  readonly full: string;
}

/** An amount that is as large is written without cents; the sign of one below zero takes the place of a digit. */
const centsBelow = 100_000;
const centsAbove = -10_000;

/**
 * Returns a figure as one of so many `columns`. With three or more of them, and on a phone, a count or an amount is short from
 * a million on, else from ten million on.
 */
export function cellOf({ format, write }: Figure, value: number | undefined, columns: number): Cell {
  const full = write(value);
  if (value === undefined || (format !== "count" && format !== "amount")) return { text: full, full };
  const [rounded, isNarrow] = [Math.round(value), narrow.value];
  if (value < centsBelow && value > centsAbove && !isNarrow) return { text: full, full };
  return { text: narrowCount(rounded, isNarrow || columns > 2 ? 1_000_000 : 10_000_000), full };
}
