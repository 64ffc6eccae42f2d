/**
 * Questions on a node that is still fetching files of its copy: each waits for the files of its website and period, which
 * come before all others. If it reads yet another one, the disk has no such file: then it waits for all files of the
 * website, and is asked once more. So no answer is ever made of a part.
 */
import { pageViewOpenMs } from "../core/hit.ts";
import { periodBefore, type Period, type Question } from "../core/questions/query.ts";
import { Refusal } from "../core/refusal.ts";
import type { Answer } from "../query-worker/answer.ts";
import { Questions, type QuestionsOptions } from "../query-worker/questions.ts";
import { websiteOf } from "./checkpoint/checkpoint-names.ts";
import type { AwaitedFiles } from "./files/awaited-files.ts";

export class QuestionsToCome extends Questions {
  constructor(
    options: QuestionsOptions,
    private readonly awaited: AwaitedFiles,
  ) {
    super(options);
  }

  override async ask(
    websiteId: number,
    question: Question,
    signal?: AbortSignal,
    isByLink?: boolean,
  ): Promise<Answer> {
    const ask = () => super.ask(websiteId, question, signal, isByLink);
    const files = [...this.awaited.names].filter((name) => websiteOf(name) === websiteId);
    if (files.length === 0) return ask();
    const untilMs = this.options.clock.monotonicMs() + this.options.answerMs;
    const span = spanOf(question);
    await this.come(
      files.filter((name) => isIn(name, span)),
      untilMs,
      signal,
    );
    try {
      return await ask();
    } catch (error) {
      if (error instanceof Refusal) throw error;
      await this.come(files, untilMs, signal);
      return ask();
    }
  }

  /** Waits for files. Throws Refusal 500 if they do not come in time, cannot be had, or nobody waits for them any more. */
  private async come(names: readonly string[], untilMs: number, signal?: AbortSignal): Promise<void> {
    const { promise: ended, reject } = Promise.withResolvers<never>();
    const late = () => reject(notYet(this.awaited.names.size));
    const gone = () => reject(new Refusal(500, "the request was cancelled"));
    const limit = setTimeout(late, untilMs - this.options.clock.monotonicMs());
    signal?.addEventListener("abort", gone, { once: true });
    try {
      await Promise.race([this.awaited.until(names), ended]);
    } finally {
      clearTimeout(limit);
      signal?.removeEventListener("abort", gone);
    }
  }
}

function notYet(files: number): Refusal {
  return new Refusal(
    500,
    `this server is new and still fetches ${files} files: try again, or ask about a shorter period`,
    10,
  );
}

/** Returns the time that a question is about, with all periods that it compares. */
function spanOf(question: Question): Period {
  const { startMs, endMs } = question.period;
  const compare = "compare" in question ? question.compare : undefined;
  const isWithWeeksBefore = question.list === "drivers" && compare === undefined;
  const isWithPrevious = "previous" in question && question.previous;
  return {
    startMs: Math.min(
      isWithWeeksBefore ? -Infinity : startMs,
      isWithPrevious ? periodBefore(question.period).startMs : startMs,
      compare?.startMs ?? startMs,
    ),
    endMs: Math.max(endMs, compare?.endMs ?? endMs),
  };
}

/**
 * Returns whether a file `chunks/<website>/<year>-<month>-<rest>` may have something of a span of time. A page view of the
 * month may have events after it.
 */
function isIn(name: string, { startMs, endMs }: Period): boolean {
  const [, year = NaN, month = NaN] = /\/(\d+)-(\d\d)-[^/]*$/.exec(name) ?? [];
  const fromMs = Date.UTC(Number(year), Number(month) - 1);
  const untilMs = Date.UTC(Number(year), Number(month));
  return fromMs <= endMs && untilMs + pageViewOpenMs >= startMs;
}
