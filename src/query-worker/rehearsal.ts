/**
 * Rehearses filters while nobody waits, once in the life of a Worker. The first filters of a new Worker take longest: the
 * runtime compiles the loops that count filtered rows while they run, and columns that nothing has read yet are compared
 * with their checksums and come into memory. After the first page without a filter, its questions are answered with filters
 * as clicks on rows of its lists add them, about one chunk after the other. The answers are thrown away.
 */
import type { Filter, Question } from "../core/questions/query.ts";
import type { Clock } from "../lib/clock.ts";
import { QuestionPage } from "../query/answers/answer.ts";
import type { QueryContext } from "../query/cache/context.ts";
import type { Chunk } from "../store/chunks/chunk.ts";

/** A row of a list to filter for, and how. */
type Click = Pick<Filter, "operator"> & {
  readonly list: "browsers" | "countries" | "pages";
  readonly name: "browser" | "country" | "path";
  /** The first row stands for many page views; the last one for few, of which other loops read copies. */
  readonly row: "first" | "last";
};

const browser: Click = { list: "browsers", name: "browser", operator: "eq", row: "first" };
const country: Click = { list: "countries", name: "country", operator: "eq", row: "first" };
/** Each is a page with all these filters. The first one is repeated, because it reads every column that filters need. */
const pages: readonly (readonly Click[])[] = [
  [browser],
  [{ list: "pages", name: "path", operator: "eq", row: "first" }],
  [{ list: "pages", name: "path", operator: "eq", row: "last" }],
  [{ list: "pages", name: "path", operator: "contains", row: "first" }],
  [browser, country],
];
/** Questions that are no part of a page, or take longer than all of it. */
const excluded: ReadonlySet<Question["list"]> = new Set(["drivers", "export", "funnel", "journeys"]);
/** All of it takes no longer, but for one page: a slow disk has better things to do than to read years that nobody asks for. */
const allMs = 1_000;

export class Rehearsal {
  /** The newest question without filters, by what it lists. */
  private readonly asked = new Map<Question["list"], Question>();
  private step = 0;
  private leftMs = allMs;

  constructor(private readonly clock: Pick<Clock, "monotonicMs">) {}

  /** Takes note of a question that was asked. */
  note(question: Question): void {
    if (question.filters.length === 0 && !excluded.has(question.list))
      this.asked.set(question.list, question);
  }

  /**
   * Answers the questions of a page, if a page was asked about this website, which has rows in files. Returns whether there
   * is another one. Throws what questions throw; the time that they took counts.
   */
  next(context: QueryContext): boolean {
    const chunks = [...context.site.chunks.values()]
      .filter(({ sealed }) => sealed)
      .sort((a, b) => b.rows - a.rows);
    const steps = Math.max(chunks.length, pages.length);
    const isKnown = pages.flat().every(({ list }) => this.asked.has(list));
    if (chunks.length === 0 || !isKnown || this.step >= steps || this.leftMs <= 0) return false;
    const startMs = this.clock.monotonicMs();
    try {
      // Few chunks are taken several times each.
      this.rehearse(chunks[this.step % chunks.length]!, pages[this.step] ?? pages[0]!, context);
    } finally {
      this.leftMs -= this.clock.monotonicMs() - startMs;
    }
    this.step++;
    return this.step < steps && this.leftMs > 0;
  }

  private rehearse({ minMs, maxMs }: Chunk, clicks: readonly Click[], context: QueryContext): void {
    const period = { startMs: minMs, endMs: maxMs };
    const about = (question: Question, filters: readonly Filter[]) =>
      ({ ...question, period, filters, compare: undefined }) as Question;
    const filters = clicks.flatMap(({ list, name, operator, row }): Filter[] => {
      const [rows] = answersOf([about(this.asked.get(list)!, [])], context);
      const operand = rows?.at(row === "first" ? 0 : -1)?.[name];
      return typeof operand === "string" ? [{ name, operator, operands: [operand] }] : [];
    });
    const [first] = filters;
    if (first === undefined) return;
    const questions = [...this.asked.values()].map((question) => about(question, filters));
    if (first.name === "path" && first.operator === "eq")
      questions.push({
        list: "journeys",
        period,
        filters,
        path: first.operands[0]!,
        direction: "next",
        limit: 1,
      });
    answersOf(questions, context);
  }
}

type Rows = readonly Readonly<Record<string, unknown>>[];

function answersOf(questions: readonly Question[], context: QueryContext): Rows[] {
  const page = new QuestionPage(questions, context);
  return questions.map((question) => page.answer(question) as Rows);
}
