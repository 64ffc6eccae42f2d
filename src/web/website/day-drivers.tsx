/** The sentence that says what made the day that is shown unlike others. */
import type { Drivers } from "../../core/questions/answer.ts";
import { useAnswer } from "../lib/answer.ts";
import { driversSentence } from "../lib/texts/drivers.ts";
import { isolated } from "../../core/questions/label.ts";
import { questionHref, withFilter, type Question } from "../lib/question/question.ts";
import { valueText } from "../lib/question/value-text.ts";

interface DayDriversProps {
  readonly question: Question;
  /** The path of its drivers. */
  readonly path: string;
}

/** Keeps a line free while it asks, so that nothing moves. */
export function DayDrivers({ question, path }: DayDriversProps) {
  const { data, loading } = useAnswer<Drivers>(path);
  const sentence = loading || data === undefined ? [] : driversSentence(question, data, Date.now());
  return (
    <p class="drivers" aria-busy={loading}>
      {sentence.map((piece, at) => {
        if (typeof piece === "string") return piece;
        const { dimension, value } = piece;
        const filter = { name: dimension, operator: "eq", operands: [value] } as const;
        return (
          <a key={at} class="cut" href={questionHref(withFilter(question, filter))}>
            {isolated(valueText(question, dimension, value))}
          </a>
        );
      })}
    </p>
  );
}
