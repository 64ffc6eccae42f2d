/**
 * Rehearses filters while nobody waits, once in the life of a Worker. The runtime compiles the loops that count filtered
 * rows while they run, so the first filters of a new Worker take longest. After the first page without one, its questions
 * are answered about a single month, with filters as a click on a row of a list adds them. The answers are thrown
 * away; what is cached for them is as for any question.
 */
import type { Filter, Question } from "../core/query.ts";
import type { SiteWithFacts } from "../facts/facts.ts";
import { QuestionPage } from "../query/answers/answer.ts";
import type { QueryContext } from "../query/cache/context.ts";
import type { Chunk } from "../store/columns/chunk.ts";

/** A page of questions to answer: the list of which a row is filtered for, and how. */
type Click = Pick<Filter, "operator"> & {
  readonly list: "browsers" | "pages";
  readonly name: "browser" | "path";
  /** The first row stands for many page views; the last one for few, of which other loops read copies. */
  readonly row: "first" | "last";
};

const clicks: readonly Click[] = [
  { list: "browsers", name: "browser", operator: "eq", row: "first" },
  { list: "pages", name: "path", operator: "eq", row: "first" },
  { list: "pages", name: "path", operator: "eq", row: "last" },
  { list: "pages", name: "path", operator: "contains", row: "first" },
];
/** Questions that are no part of a page, or take longer than all of it. */
const excluded: ReadonlySet<Question["list"]> = new Set(["drivers", "export", "funnel", "journeys"]);

export class Rehearsal {
  /** The newest question without filters, by what it lists. */
  private readonly asked = new Map<Question["list"], Question>();
  private readonly clicks = [...clicks];

  /** Takes note of a question that was asked. */
  note(question: Question): void {
    if (question.filters.length === 0 && !excluded.has(question.list))
      this.asked.set(question.list, question);
  }

  /**
   * Answers the questions of a page, if a page was asked about this website, which has rows in files. Returns whether there
   * is another one. Throws what questions throw.
   */
  next(site: SiteWithFacts, context: QueryContext): boolean {
    const month = largest(site.chunks.values().filter(({ sealed }) => sealed));
    const [click] = this.clicks;
    if (month === undefined || click === undefined || !clicks.every(({ list }) => this.asked.has(list)))
      return false;
    this.clicks.shift();
    const period = { startMs: month.minMs, endMs: month.maxMs };
    const about = (question: Question, filters: readonly Filter[]) =>
      ({ ...question, period, filters, compare: undefined }) as Question;
    const list = about(this.asked.get(click.list) as Question, []);
    const rows = answersOf(site, [list], context)[0] as readonly Readonly<Record<string, unknown>>[];
    const operand = rows.at(click.row === "first" ? 0 : -1)?.[click.name];
    if (typeof operand === "string") {
      const filters = [{ name: click.name, operator: click.operator, operands: [operand] }];
      const questions = [...this.asked.values()].map((question) => about(question, filters));
      if (click.name === "path" && click.operator === "eq")
        questions.push({ list: "journeys", period, filters, path: operand, direction: "next", limit: 1 });
      answersOf(site, questions, context);
    }
    return this.clicks.length > 0;
  }
}

function largest(chunks: Iterable<Chunk>): Chunk | undefined {
  let found: Chunk | undefined;
  for (const chunk of chunks) if (chunk.rows > (found?.rows ?? 0)) found = chunk;
  return found;
}

function answersOf(site: SiteWithFacts, questions: readonly Question[], context: QueryContext): object[] {
  const page = new QuestionPage(site, questions, context);
  return questions.map((question) => page.answer(question));
}
