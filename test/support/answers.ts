/** Answers each kind of question, with a context that caches nothing unless a test brings its own. */
import type { Summary } from "../../src/core/questions/answer.ts";
import type { Question, SummaryQuery } from "../../src/core/questions/query.ts";
import type { SiteWithFacts } from "../../src/facts/facts.ts";
import * as drivers from "../../src/query/answers/drivers.ts";
import * as funnel from "../../src/query/answers/funnel.ts";
import * as goals from "../../src/query/answers/goals.ts";
import * as journeys from "../../src/query/answers/journeys.ts";
import * as list from "../../src/query/answers/list.ts";
import * as properties from "../../src/query/answers/properties.ts";
import * as summary from "../../src/query/answers/summary.ts";
import * as time from "../../src/query/answers/time.ts";
import { QueryContext } from "../../src/query/cache/context.ts";
import { pageOfCounts, type PageOfCounts } from "../../src/query/counts/page-counts.ts";

type Answer<Query, Rows> = (query: Query, context: QueryContext) => Rows;
type PageAnswer<Query, Rows> = (query: Query, context: QueryContext, pages: PageOfCounts) => Rows;

function withContext<Query, Rows>(answer: Answer<Query, Rows>) {
  return (site: SiteWithFacts, query: Query, context = new QueryContext(site)): Rows =>
    answer(query, context);
}

/** The question is the only one of its page. */
function withPage<Query extends Question, Rows>(answer: PageAnswer<Query, Rows>) {
  return withContext<Query, Rows>((query, context) => answer(query, context, pageOfCounts([query], context)));
}

export const answerDrivers = withContext(drivers.answerDrivers);
export const answerFunnel = withContext(funnel.answerFunnel);
export const answerGoals = withContext(goals.answerGoals);
export const answerJourneys = withContext(journeys.answerJourneys);
export const answerList = withPage(list.answerList);
export const answerProperties = withContext(properties.answerProperties);
export const answerTime = withPage(time.answerTime);

export function answerSummary(
  site: SiteWithFacts,
  query: SummaryQuery,
  nowMs: number,
  context = new QueryContext(site),
): Summary {
  return summary.answerSummary({ ...query, nowMs }, context);
}
