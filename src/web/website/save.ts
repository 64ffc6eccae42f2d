/** Saves answers of the API as files: a list or the chart as CSV, or all that the page shows as a ZIP archive of such files. */
import { ApiError, saidBy, send } from "../lib/api.ts";
import { spanOf } from "../lib/calendar/period.ts";
import { dateIn, isoDate } from "../lib/calendar/zone.ts";
import { exportPath } from "../lib/question/paths.ts";
import type { Question } from "../lib/question/question.ts";
import { announce } from "../parts/announcer.tsx";
import { t } from "../lib/texts/words.ts";

export interface MadeFile {
  readonly content: Blob;
  /** Its contents in a word, for its name. */
  readonly what: string;
}

/** Returns the answer of a path as CSV, or as the archive that it is. Throws ApiError. */
export function asFile(path: string): Promise<Response> {
  return send("GET", path, { accept: "text/csv" });
}

export function save(question: Question, path: string, what: string, ending = "csv"): Promise<void> {
  return offer(question, ending, async () => ({ content: await (await asFile(path)).blob(), what }));
}

/** Offers a file once it is made. Its name is such as example.com-pages-2026-11-01-2026-11-20.csv. */
export async function offer(
  { hostname, period, zone }: Question,
  ending: string,
  make: () => Promise<MadeFile>,
): Promise<void> {
  try {
    const { content, what } = await make();
    const { startMs, endMs } = spanOf(period, zone, Date.now());
    const dates = [...(startMs === undefined ? [] : [startMs]), endMs].map((ms) => isoDate(dateIn(zone, ms)));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(content);
    link.download = `${[hostname, what, ...dates].join("-")}.${ending}`;
    link.click();
    // Not every browser has read the file when the click returns.
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    announce(t("The file could not be made: {error}", { error: saidBy(error) }));
  }
}

export function saveAll(question: Question): void {
  void save(question, exportPath(question), "all", "zip");
}
