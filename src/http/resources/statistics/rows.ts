/** The schemas of the rows of statistics: the field that names a row, and the metrics that core's table gives it. */
import { Type, type SchemaOptions, type TProperties, type TSchema } from "@sinclair/typebox";
import type { Dimension } from "../../../core/dimension.ts";
import {
  fieldOf,
  metricOf,
  rowKindOf,
  rowMetrics,
  type Format,
  type RowKind,
  type RowMetrics,
} from "../../../core/metric.ts";
import { intervalsMax } from "../../../core/query.ts";
import { named } from "../../transport/schemas.ts";

const schemas: Readonly<Record<Format, (options: SchemaOptions) => TSchema>> = {
  count: (options) => Type.Integer({ minimum: 0, ...options }),
  percentage: (options) =>
    Type.Number({ minimum: 0, maximum: 100, description: "Rounded to two decimals", ...options }),
  duration: (options) => Type.Integer({ minimum: 0, ...options }),
};

/** Returns the schemas of a row's figures. Figures that only a full row has are optional. */
function figures(kind: RowKind): TProperties {
  const { all, always }: RowMetrics = rowMetrics[kind];
  const columns = all.map((name): [string, TSchema] => {
    const { format, description } = metricOf(name);
    const schema = schemas[format](description === undefined ? {} : { description });
    return [fieldOf(name), always.includes(name) ? schema : Type.Optional(schema)];
  });
  return Object.fromEntries(columns);
}

const other = Type.Optional(Type.Literal(true, { description: "Values past the limit on distinct values" }));

/** The rows of a list are named by what one of them is: PageRow, CountryRow. */
export function listRow({ list, field, description, label }: Dimension): TSchema {
  const value = Type.String({ description });
  return named(`${label.one}Row`, Type.Object({ [field]: value, ...figures(rowKindOf(list)), other }));
}

export const timeRow = named(
  "TimeRow",
  Type.Object({ path: Type.String({ description: "Path of the page" }), ...figures("time"), other }),
);

export const propertyRow = named(
  "PropertyRow",
  Type.Object({
    name: Type.String({ description: "Name of the property" }),
    value: Type.Optional(Type.String({ description: "Only when one name is selected by prop_name[eq]" })),
    ...figures("properties"),
    other,
  }),
);

const totals = named("Totals", Type.Object(figures("summary")));
const date = Type.String({
  format: "date-time",
  description: "Start of the interval, with the zone's offset",
});

export const summaryAnswer = named(
  "Summary",
  Type.Object({
    current: totals,
    previous: Type.Optional(totals),
    interval: Type.Optional(
      Type.Array(named("IntervalTotals", Type.Object({ date, ...figures("summary") })), {
        maxItems: intervalsMax,
      }),
    ),
  }),
);
