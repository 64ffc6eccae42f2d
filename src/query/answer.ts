/** The questions that can be asked of a website. They change nothing, and the same question has the same answer. */
import type { Question } from "../core/query.ts";
import type { ReadSite } from "../store/read-site.ts";
import { answerList } from "./list.ts";
import { answerProperties } from "./properties.ts";
import { answerSummary } from "./summary.ts";
import { answerTime } from "./time.ts";
import type { Work } from "./work.ts";

export { answerList, answerProperties, answerSummary, answerTime };
export { visitorsIn } from "./summary.ts";

/** As the API returns it. */
export function answerQuestion(site: ReadSite, question: Question, work: Work): object {
  switch (question.list) {
    case "time":
      return answerTime(site, question, work);
    case "properties":
      return answerProperties(site, question, work);
    case "summary":
      return answerSummary(site, question, question.nowMs, work);
    default:
      return answerList(site, question, work);
  }
}
