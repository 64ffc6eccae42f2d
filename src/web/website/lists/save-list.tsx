/** Saves one of the API's lists. */
import { limitMax } from "../../../core/questions/query.ts";
import { comparedPairs, listPath } from "../../lib/question/paths.ts";
import type { Question } from "../../lib/question/question.ts";
import { offer } from "../save.ts";
import { columnsOf } from "./columns.ts";
import { searched } from "./list.ts";
import type { Tab } from "./panels.ts";

/** Offers the rows of a list as a file: up to the last place that the API answers for. */
export function saveList(question: Question, tab: Tab, search: string): Promise<void> {
  const { all } = columnsOf(tab.list, question, search !== "").asked;
  const nowMs = Date.now();
  const pathAt = (offset: number) => {
    const more = { ...tab.extra, ...all, ...comparedPairs(question, nowMs), limit: limitMax, offset };
    return listPath(searched(question, tab, search), tab.list, more, nowMs);
  };
  return offer(question, "csv", async () => (await import("./rows-file.tsx")).rowsFile(pathAt, tab.id));
}
