/** The questions that can be asked of a website. They change nothing, and the same question has the same answer. */
import type { Question, Selection } from "../../core/query.ts";
import type { SiteWithFacts } from "../../facts/facts.ts";
import type { QueryContext } from "../cache/context.ts";
import { answerList } from "./list.ts";
import { keyOf } from "../rows/mask.ts";
import { columnsOfQuestions, PageCounts } from "../counts/page-counts.ts";
import { answerProperties } from "./properties.ts";
import { answerSummary } from "./summary.ts";
import { answerTime } from "./time.ts";

export { answerList, answerProperties, answerSummary, answerTime };
export { visitorsIn } from "./summary.ts";

/** Questions about one website with one period and the same filters: they share one selection and one walk over it. */
export class QuestionPage {
  private readonly counts: PageCounts;

  /** `questions`: at least one, all with the same `pageKeyOf`. */
  constructor(
    private readonly site: SiteWithFacts,
    questions: readonly Question[],
    private readonly context: QueryContext,
  ) {
    this.counts = new PageCounts(site, questions[0] as Question, context, columnsOfQuestions(questions));
  }

  /** Returns the answer as the API has it. Throws Refusal and Cancelled. */
  answer(question: Question): object {
    const { site, context, counts } = this;
    switch (question.list) {
      case "time":
        return answerTime(site, question, context, counts);
      case "properties":
        return answerProperties(site, question, context);
      case "summary":
        return answerSummary(site, question, question.nowMs, context);
      default:
        return answerList(site, question, context, counts);
    }
  }
}

/** Equal for questions that can be of one page, when they are about one website. */
export function pageKeyOf({ period: { startMs, endMs }, filters }: Selection): string {
  return `${startMs} ${endMs} ${keyOf(filters)}`;
}
