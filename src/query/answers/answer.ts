/** Answers questions about a website. Answering changes nothing, and equal questions have equal answers. */
import type { Compared, Period, Question, Selection } from "../../core/query.ts";
import type { SiteWithFacts } from "../../facts/facts.ts";
import type { QueryContext } from "../cache/context.ts";
import { answerDrivers } from "./drivers.ts";
import { answerEntries } from "./entries.ts";
import { answerFunnel } from "./funnel.ts";
import { answerGoals } from "./goals.ts";
import { answerJourneys } from "./journeys.ts";
import { answerList } from "./list.ts";
import { keyOf } from "../rows/mask.ts";
import { pageOfCounts, type PageOfCounts } from "../counts/page-counts.ts";
import { answerProperties } from "./properties.ts";
import { answerSummary } from "./summary.ts";
import { answerTime } from "./time.ts";

export {
  answerDrivers,
  answerEntries,
  answerFunnel,
  answerGoals,
  answerJourneys,
  answerList,
  answerProperties,
  answerSummary,
  answerTime,
};
export { answerRecent } from "./recent.ts";
export { visitorsIn } from "./summary.ts";

/**
 * Questions about one website with one period, the same filters, and the same period to compare with, if there is one: they
 * share one selection and one scan of it.
 */
export class QuestionPage {
  private readonly counts: PageOfCounts;

  /** `questions`: at least one, all with the same `pageKeyOf`. */
  constructor(
    private readonly site: SiteWithFacts,
    questions: readonly Question[],
    private readonly context: QueryContext,
  ) {
    this.counts = pageOfCounts(site, questions as readonly [Question, ...Question[]], context);
  }

  /** Returns the answer in the API's form. Throws Refusal and Cancelled. */
  answer(question: Question): object {
    const { site, context, counts } = this;
    switch (question.list) {
      case "time":
        return answerTime(site, question, context, counts);
      case "properties":
        return answerProperties(site, question, context);
      case "summary":
        return answerSummary(site, question, question.nowMs, context);
      case "goals":
        return answerGoals(site, question, context);
      case "funnel":
        return answerFunnel(site, question, context);
      case "journeys":
        return answerJourneys(site, question, context);
      case "drivers":
        return answerDrivers(site, question, context);
      case "entries":
      case "exits":
        return answerEntries(site, question, context);
      default:
        return answerList(site, question, context, counts);
    }
  }
}

/** Returns a key that is equal for questions of one page, if they are about one website. */
export function pageKeyOf({ period, compare, filters }: Selection & Compared): string {
  const ofPeriod = ({ startMs, endMs }: Period) => `${startMs} ${endMs}`;
  return `${ofPeriod(period)} ${compare === undefined ? "" : ofPeriod(compare)} ${keyOf(filters)}`;
}
