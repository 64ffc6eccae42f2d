/** Comma-separated values: the form in which statistics come to whoever accepts nothing else. */

/** The media type by which a request asks for it. */
export const csvMedia = "text/csv";

/** Returns whether a request accepts CSV before anything else. */
export function acceptsCsv({ headers }: Request): boolean {
  const [first = ""] = (headers.get("accept") ?? "").split(/[,;]/);
  return first.trim().toLowerCase() === csvMedia;
}

/** An answer that is CSV. */
export class CsvText {
  constructor(readonly text: string) {}
}
