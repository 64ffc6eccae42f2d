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

export function listRow({ list, field, description }: Dimension): TSchema {
  return Type.Object({ [field]: Type.String({ description }), ...figures(rowKindOf(list)), other });
}

export const timeRow = Type.Object({ path: Type.String(), ...figures("time"), other });

export const propertyRow = Type.Object({
  name: Type.String(),
  value: Type.Optional(Type.String({ description: "Only when one name is selected by prop_name[eq]" })),
  ...figures("properties"),
  other,
});

const totals = figures("summary");

export const summaryAnswer = Type.Object({
  current: Type.Object(totals),
  previous: Type.Optional(Type.Object(totals)),
  interval: Type.Optional(Type.Array(Type.Object({ date: Type.String({ format: "date-time" }), ...totals }))),
});
