/**
 * Values as rows and filters show them. What a hit says of itself does not tell a page that somebody opened directly
 * from one that a link on the website led to; a visit does, and has a name for what nobody knows.
 */
import { unknownLabel } from "../../../core/questions/dimension.ts";
import type { FilterName } from "../../../core/questions/stored-dimension.ts";
import { isolated } from "../../../core/questions/label.ts";
import { operatorOf } from "../../../core/questions/operator.ts";
import type { Filter } from "../../../core/questions/query.ts";
import { filterLabels, operandText, type Question } from "./question.ts";
import { t, translated } from "../texts/words.ts";

interface Named {
  readonly text: string;
  /** The words that explain it. */
  readonly title: string;
}

const directOrInternal: Named = {
  text: t("Direct or internal"),
  title: t(
    "Typed, from a bookmark, or from another page of this website: without visits these are not told apart",
  ),
};
const nobodyKnows: Named = {
  text: translated(unknownLabel),
  title: t(
    "From this website without a known visit, for example after a restart of the server, from before visits were told apart, or imported without a source",
  ),
};

/** The values that have another name in the dashboard than in the API. */
const ofHits: Readonly<Partial<Record<FilterName, string>>> = { referrer: "", channel: "Direct" };
const ofVisits: Readonly<Partial<Record<FilterName, string>>> = {
  referrer: unknownLabel,
  channel: unknownLabel,
};

type Asked = Pick<Question, "visits">;

function namedOf({ visits }: Asked, name: FilterName, value: string): Named | undefined {
  if ((visits ? ofVisits : ofHits)[name] !== value) return undefined;
  return visits ? nobodyKnows : directOrInternal;
}

export function valueText(asked: Asked, name: FilterName, value: string): string {
  return namedOf(asked, name, value)?.text ?? operandText(name, value);
}

/** Returns the words for the tooltip of a value: what explains it, or else itself. */
export function valueTitle(asked: Asked, name: FilterName, value: string): string {
  return namedOf(asked, name, value)?.title ?? operandText(name, value);
}

/** Returns a filter in words, such as: Browser is one of Chrome, Firefox. */
export function filterText(asked: Asked, { name, operator, operands }: Filter): string {
  const values = operands.map((operand) => isolated(valueText(asked, name, operand))).join(", ");
  return t("{dimension} {operator} {values}", {
    dimension: filterLabels[name],
    operator: translated(operatorOf(operator).label),
    values,
  });
}
