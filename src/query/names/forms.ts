/**
 * The forms of a value that a filter compares, in lower case. A positive operator needs one form that fits, a negative one
 * needs that none does.
 */
import { unknownLabel, type DimensionName } from "../../core/questions/dimension.ts";
import { ownDimension, unknownReferrer, type RowName } from "../../core/questions/stored-dimension.ts";
import { baseOf, countryName, dialectName, languageName, sameTags } from "./names.ts";
import { referrerGroup } from "./referrer-groups.ts";

export type Forms = (value: string) => readonly string[];

export const itself: Forms = (value) => [value.toLowerCase()];

/** The forms of dimensions whose values have others than themselves. */
const otherForms: Readonly<Partial<Record<DimensionName, Forms>>> = {
  path: (value) =>
    value.includes("%") ? [value.toLowerCase(), decoded(value).toLowerCase()] : itself(value),
  referrer: (value) =>
    value === unknownReferrer
      ? itself(unknownLabel)
      : [value.toLowerCase(), referrerGroup(value).toLowerCase()],
  country: (value) => itself(countryName(value)),
  language: (value) =>
    [...sameTags(value).flatMap((tag) => [tag, baseOf(tag)]), languageName(value), dialectName(value)].map(
      (form) => form.toLowerCase(),
    ),
};

export function formsOf(name: RowName): Forms {
  const own = ownDimension(name);
  return own === "channel" ? itself : (otherForms[own] ?? itself);
}

/** Returns a path as people read it; unchanged if it is not percent-encoded UTF-8. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
