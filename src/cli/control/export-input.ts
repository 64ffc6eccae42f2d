/** The request of `footfall export` of a server or a folder. */
import { exportEndings, exportKinds } from "../../core/questions/exported.ts";
import { badInput } from "../../core/refusal.ts";
import type { ExportAsked } from "../../engine/admin/export.ts";
import { fieldsOf, knownWord, optionalText, requiredText } from "../../engine/admin/fields.ts";
import { parseDateTime } from "../../core/date-time.ts";

export interface ExportInput {
  readonly hostname: string;
  readonly of: string;
  /** The end of the file's name, such as csv.gz. */
  readonly ending: string;
  /** RFC 3339 date-times, both inclusive; without them all time is asked for. */
  readonly start?: string;
  readonly end?: string;
}

/** Throws Refusal 400 naming the field. */
export function parseExport(input: unknown): Omit<ExportAsked, "websiteId"> {
  const fields = fieldsOf(input);
  const timeOf = (field: "start" | "end", without: number) => {
    const text = optionalText(fields, field);
    const timeMs = text === undefined ? without : parseDateTime(text);
    if (timeMs === undefined) throw badInput(field, text, "an RFC 3339 date-time");
    return timeMs;
  };
  return {
    of: knownWord("of", requiredText(fields, "of"), exportKinds),
    ending: knownWord("ending", requiredText(fields, "ending"), exportEndings),
    period: { startMs: timeOf("start", -Infinity), endMs: timeOf("end", Infinity) },
  };
}
