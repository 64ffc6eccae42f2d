/** The encoding of values that records share: those of dimensions, and the names that filters and goals have. */
import { dimensions, filterNames, type AskedName } from "../core/questions/dimension.ts";
import {
  noVisitValues,
  storedFilterNames,
  valuesBefore,
  visitDimensions,
  type DimensionValues,
  type StoredFilterName,
  type VisitValues,
} from "../core/questions/stored-dimension.ts";
import { tokenScopes, type TokenScope } from "../core/api-token.ts";
import { operators, type OperatorName } from "../core/questions/operator.ts";
import { roles, type Role } from "../core/website/role.ts";
import {
  subscriptionKinds,
  webhookFormats,
  type SubscriptionKind,
  type WebhookFormat,
} from "../core/website/subscription.ts";
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
  known: dimensions.length,
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
  known: visitDimensions.length,
};

/** Makes a field for one of some names. One that this program does not know is a later program's. */
function oneOf<T extends string>(names: readonly T[], what: string): Field<T> {
  const known: ReadonlySet<string> = new Set(names);
  return {
    write: word.write,
    read: (raw, strings) => {
      const name = word.read(raw, strings);
      if (known.has(name)) return name as T;
      throw new NewerFormat(`the ${what} ${name}, which this one does not know`);
    },
    known: names.join(" "),
  };
}

export const tokenScope = oneOf<TokenScope>(tokenScopes, "scope");
export const role = oneOf<Role>(roles, "role");
export const subscriptionKind = oneOf<SubscriptionKind>(subscriptionKinds, "kind of subscription");
export const webhookFormat = oneOf<WebhookFormat>(webhookFormats, "format of webhooks");
/** The name of what rows are selected by. */
export const filterName = oneOf<StoredFilterName>(storedFilterNames, "dimension");
/** The name of a filter as a question spells it out. */
export const askedName = oneOf<AskedName>(filterNames, "filter");
export const operator = oneOf<OperatorName>(
  operators.map(({ name }) => name),
  "operator",
);
