/** The choices of one import: where it goes, how its file is read, and how much of it is taken. */
import type { Collector } from "../../collect/fact.ts";
import type { Rules } from "../../core/website/rules.ts";
import type { Control } from "../control/control.ts";
import type { Format } from "./formats/format.ts";
import type { Visitors } from "./visitors.ts";

/** The days of a file that are taken, numbered from 1970 by the file's own days. */
export interface DaySpan {
  /** Rows before this day are left out; undefined takes all. */
  readonly fromDay?: number | undefined;
  /** Rows from this day on are left out; undefined takes all. */
  readonly untilDay?: number | undefined;
}

export interface ImportOptions extends DaySpan {
  readonly control: Pick<Control, "importState" | "importBatch">;
  readonly collector: Collector;
  readonly hostname: string;
  readonly format: Format;
  /** Who counts on the website, which lines of logs are judged by; without it, nobody is blocked. */
  readonly rules?: Rules | undefined;
  /** Its other hostnames. */
  readonly aliases?: readonly string[] | undefined;
  /** The clock, which goes on while a file is read: lines come meanwhile, and standard input may never end. */
  readonly nowMs: () => number;
  /** The visitors of files that were read before. */
  readonly visitors?: Visitors;
  /** The most bytes and properties of a row of an export; without it the row has 16 MiB. */
  readonly rowLimits?: { readonly bytes: number; readonly properties: number };
  /** Whether a file is taken from its start again, although it was imported before. */
  readonly isAnew?: (file: string) => boolean;
  /** Whether nobody writes to the file any more: a last line without a line feed is complete. It is asked at the end. */
  readonly isComplete?: () => boolean;
}
