/** The encoding of values that records share: those of dimensions, and the names that filters and goals have. */
import {
  dimensions,
  noVisitValues,
  storedFilterNames,
  valuesBefore,
  visitDimensions,
  type DimensionValues,
  type StoredFilterName,
  type VisitValues,
} from "../core/dimension.ts";
import { operatorName, type OperatorName } from "../core/operator.ts";
import { expectContent, NewerFormat } from "../lib/decoding.ts";
import { word, words, type Field } from "./field.ts";

/**
 * One value per dimension. If a record has fewer, the dimensions appended later have the default values of their lines.
 */
export const dimensionValues: Field<DimensionValues> = {
  write: words.write,
  read: (raw, strings) => {
    const values = words.read(raw, strings);
    const { length } = dimensions;
    if (values.length === length) return values;
    if (values.length > length)
      throw new NewerFormat(`${values.length} dimensions, where this one knows ${length}`);
    const later = valuesBefore.slice(values.length, length);
    expectContent(
      !later.includes(undefined),
      `${values.length} values stand where more dimensions always were`,
    );
    return [...values, ...(later as string[])];
  },
};

/**
 * The values of the visit of a page view or event. If a record has fewer, the later ones have their default; those of a
 * record without a visit are written as none.
 */
export const visitValues: Field<VisitValues> = {
  write: (values, strings) => words.write(values === noVisitValues ? [] : values, strings),
  read: (raw, strings) => {
    const values = words.read(raw, strings);
    if (values.length === 0) return noVisitValues;
    const { length } = visitDimensions;
    if (values.length > length)
      throw new NewerFormat(`${values.length} values of a visit, where this one knows ${length}`);
    return values.length === length ? values : [...values, ...noVisitValues.slice(values.length)];
  },
};

const knownNames: ReadonlySet<string> = new Set(storedFilterNames);
/** The name of what rows are selected by. One that this program does not know is a later dimension's. */
export const filterName: Field<StoredFilterName> = {
  write: word.write,
  read: (raw, strings) => {
    const name = word.read(raw, strings);
    if (knownNames.has(name)) return name as StoredFilterName;
    throw new NewerFormat(`the dimension ${name}, which this one does not know`);
  },
};
/** The name of an operator. One that this program does not know is a later one. */
export const operator: Field<OperatorName> = {
  write: word.write,
  read: (raw, strings) => {
    const name = word.read(raw, strings);
    const known = operatorName(name);
    if (known === undefined) throw new NewerFormat(`the operator ${name}, which this one does not know`);
    return known;
  },
};
