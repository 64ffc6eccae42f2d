/** Answers questions about a website. Answering changes nothing, and equal questions have equal answers. */
import type { NamedSummary, Summary } from "../../core/questions/answer.ts";
import type { Compared, Period, Question, Selection } from "../../core/questions/query.ts";
import { Refusal } from "../../core/refusal.ts";
import type { QueryContext } from "../cache/context.ts";
import { answerDrivers } from "./drivers.ts";
import { answerEntries } from "./entries.ts";
import { answerExport } from "../export/lines.ts";
import { answerFunnel } from "./funnel.ts";
import { answerGoals } from "./goals.ts";
import { answerJourneys } from "./journeys.ts";
import { answerList } from "./list.ts";
import { keyOf } from "../rows/filters/mask.ts";
import { pageOfCounts, type PageOfCounts } from "../counts/page-counts.ts";
import { fitted, type Reach } from "./reach.ts";
import { answerProperties } from "./properties.ts";
import { answerSummary } from "./summary.ts";
import { answerTime } from "./time.ts";

/**
 * Questions about one website with one period, the same filters, and the same period to compare with, if there is one: they
 * share one selection and one scan of it.
 */
export class QuestionPage {
  /** The counts for the questions with this key. */
  private shared: { readonly key: string; readonly counts: PageOfCounts } | undefined;
  /** The reach of the question that was answered last. */
  reach: Reach = {};

  /** `questions`: at least one, all with the same `pageKeyOf`. */
  constructor(
    private readonly questions: readonly Question[],
    private readonly context: QueryContext,
  ) {}

  /** Returns the answer in the API's form. Throws Refusal and Cancelled. */
  answer(asked: Question): object {
    const { question, reach } = fitted(asked, this.context);
    this.reach = reach;
    return this.answered(question, this.countsFor(question));
  }

  /**
   * Returns the counts that a question shares with those of its page. Fitting to months without rows (reach.ts) may
   * give questions of one page different periods: only those about the same one share.
   */
  private countsFor(question: Question): PageOfCounts {
    const { context, shared } = this;
    const key = pageKeyOf(question);
    if (shared?.key === key) return shared.counts;
    const alike = this.questions.flatMap((other) => {
      const { question: own } = fittedOrSame(other, context);
      return pageKeyOf(own) === key ? [own] : [];
    });
    const counts = pageOfCounts([question, ...alike], context);
    this.shared = { key, counts };
    return counts;
  }

  /** Returns the summary with what it says of itself. */
  private marked(summary: Summary, isNamed: boolean): Summary | NamedSummary {
    const { rowsFromMs, importedFromMs, importedUntilMs } = this.reach;
    return {
      ...summary,
      ...(this.context.isApproximate && { approximate: true }),
      ...(rowsFromMs !== undefined && { rows_from: new Date(rowsFromMs).toISOString() }),
      ...(isNamed &&
        importedFromMs !== undefined && { imported_from: new Date(importedFromMs).toISOString() }),
      ...(importedUntilMs !== undefined && { imported_until: new Date(importedUntilMs).toISOString() }),
    };
  }

  private answered(question: Question, counts: PageOfCounts): object {
    const { context } = this;
    switch (question.list) {
      case "time":
        return answerTime(question, context, counts);
      case "properties":
        return answerProperties(question, context);
      case "summary":
        return this.marked(answerSummary(question, context), question.metrics !== undefined);
      case "goals":
        return answerGoals(question, context);
      case "funnel":
        return answerFunnel(question, context);
      case "journeys":
        return answerJourneys(question, context);
      case "drivers":
        return answerDrivers(question, context);
      case "export":
        return answerExport(question, context);
      case "entries":
      case "exits":
        return answerEntries(question, context, counts);
      default:
        return answerList(question, context, counts);
    }
  }
}

function fittedOrSame(question: Question, context: QueryContext): { readonly question: Question } {
  try {
    return fitted(question, context);
  } catch (error) {
    if (error instanceof Refusal) return { question };
    throw error;
  }
}

/** Returns a key that is equal for questions of one page, if they are about one website. */
export function pageKeyOf({ period, compare, filters }: Selection & Compared): string {
  const ofPeriod = ({ startMs, endMs }: Period) => `${startMs} ${endMs}`;
  return `${ofPeriod(period)} ${compare === undefined ? "" : ofPeriod(compare)} ${keyOf(filters)}`;
}
