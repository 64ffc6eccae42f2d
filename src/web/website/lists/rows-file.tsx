/** Makes a file of a list, of all rows that the API answers with. Few people ask for one: it is in the second script. */
import { limitMax, offsetMax } from "../../../core/questions/query.ts";
import { joined, recordsOf } from "../../lib/texts/csv.ts";
import { announce } from "../../parts/announcer.tsx";
import { asFile, type MadeFile } from "../save.ts";
import { t } from "../../lib/texts/words.ts";

/**
 * `pathAt`: of so many rows from a place on as the API answers with at once. If there may be more than it answers for at all,
 * `what` is followed by the places of the rows, and the person is told. Throws ApiError.
 */
export async function rowsFile(pathAt: (offset: number) => string, what: string): Promise<MadeFile> {
  const parts: string[] = [];
  const content = () => new Blob([joined(parts)], { type: "text/csv" });
  let n = 0;
  do {
    const part = await (await asFile(pathAt(n))).text();
    parts.push(part);
    // One of the records is the head line.
    if (recordsOf(part).length <= limitMax) return { content: content(), what };
    n += limitMax;
  } while (n <= offsetMax);
  announce(t("Rows 1–{n} of the first {max}: search to see others", { n, max: n }));
  return { content: content(), what: `${what}-1-${n}` };
}
