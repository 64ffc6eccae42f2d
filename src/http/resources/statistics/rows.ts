/** The schemas of the rows of statistics: the field that names a row, and the metrics that core's table gives it. */
import { Type, type SchemaOptions, type TProperties, type TSchema } from "@sinclair/typebox";
import { definitionOf, describedMetric } from "../../../core/definition.ts";
import type { ListedDimension } from "../../../core/questions/dimension.ts";
import {
  fieldOf,
  metricOf,
  rowKindOf,
  rowMetrics,
  type Format,
  type MetricName,
  type RowKind,
  type RowMetrics,
} from "../../../core/questions/metric.ts";
import { namedMetrics } from "../../../core/questions/named-metric.ts";
import { intervalsMax } from "../../../core/questions/query.ts";
import { named } from "../../parsing/schemas.ts";

const schemas: Readonly<Record<Format, (options: SchemaOptions) => TSchema>> = {
  ratio: (options) => Type.Number({ minimum: 0, description: "Rounded to two decimals", ...options }),
  count: (options) => Type.Integer({ minimum: 0, ...options }),
  percentage: (options) => Type.Number({ minimum: 0, maximum: 100, ...options }),
  duration: (options) => Type.Integer({ minimum: 0, ...options }),
  amount: (options) => Type.Number(options),
};

/**
 * Returns the schemas of a row's figures: its fields, and what it has if it is asked for by name. None is required: a row
 * that is asked for by name has none of the others. `required`: the fields that are, in the schema of rows that are not asked so.
 */
function figures(kind: RowKind, required: readonly MetricName[] = []): TProperties {
  const { all }: RowMetrics = rowMetrics[kind];
  const schemaOf = (name: MetricName) =>
    schemas[metricOf(name).format]({ description: describedMetric(name) });
  const fields = all.map((name) => {
    const schema = schemaOf(name);
    return [fieldOf(name), required.includes(name) ? schema : Type.Optional(schema)] as const;
  });
  const byName = namedMetrics[kind].map((name) => [name, Type.Optional(schemaOf(name))] as const);
  const known = new Set<string>(fields.map(([field]) => field));
  return Object.fromEntries<TSchema>([...fields, ...byName.filter(([name]) => !known.has(name))]);
}

/** Says which figures are there, which the schema of a row leaves open. */
function whichFigures(kind: RowKind): string {
  const { all, always }: RowMetrics = rowMetrics[kind];
  const fields = (names: readonly MetricName[]) => names.map((name) => `\`${fieldOf(name)}\``).join(", ");
  const more = all.filter((name) => !always.includes(name));
  return (
    `Without \`metrics\` always with ${fields(always)}` +
    (more.length === 0 ? "" : `, and unless \`summary=true\` with ${fields(more)}`) +
    "; with `metrics`, those that it names and that have a base"
  );
}

const other = Type.Optional(Type.Literal(true, { description: definitionOf("other") }));

/** Returns the figures, and the field with those of the period that a question compares with. */
export function compared(own: TProperties): TProperties {
  const description =
    "With compare_start or compare_end: the figures of that period; missing if it has no such row";
  return { ...own, previous: Type.Optional(Type.Object(own, { description })) };
}

/** The rows of a list are named by what one of them is: PageRow, CountryRow. */
export function listRow({ list, field, description, label }: ListedDimension): TSchema {
  const value = Type.String({ description });
  return named(
    `${label.one}Row`,
    Type.Object(
      { [field]: value, ...compared(figures(rowKindOf(list))), other },
      { description: whichFigures(rowKindOf(list)) },
    ),
  );
}

function entriesRow(list: "entries" | "exits"): TSchema {
  const path = Type.String({ description: "Path of the page" });
  return named(
    list === "entries" ? "EntryRow" : "ExitRow",
    Type.Object({ path, ...compared(figures(list)), other }, { description: whichFigures(list) }),
  );
}

const timePath = Type.String({ description: "Path of the page" });

/** The row of the interface, which has required figures, and beside it the row that is asked for by name. */
const timeRow = named(
  "AnyTimeRow",
  Type.Union([
    named(
      "TimeRow",
      Type.Object(
        { path: timePath, ...compared(figures("time", rowMetrics.time.always)), other },
        { description: "Every row that is not asked for with `metrics`" },
      ),
    ),
    named(
      "NamedTimeRow",
      Type.Object(
        { path: timePath, ...compared(figures("time")), other },
        { description: "With `metrics`: the figures that it names and that have a base" },
      ),
    ),
  ]),
);

/** The rows of the lists of pages. */
export const pageRows = { entries: entriesRow("entries"), exits: entriesRow("exits"), time: timeRow };

export const propertyRow = named(
  "PropertyRow",
  Type.Object(
    {
      name: Type.String({ description: "Name of the property" }),
      value: Type.Optional(Type.String({ description: "Only when one name is selected by prop_name[eq]" })),
      ...compared(figures("properties")),
      other,
    },
    { description: whichFigures("properties") },
  ),
);

const totalFigures = figures("summary");
const totals = named("Totals", Type.Object(totalFigures, { description: whichFigures("summary") }));
const date = Type.String({
  format: "date-time",
  description: "Start of the interval, with the zone's offset",
});

export const summaryAnswer = named(
  "SummaryAnswer",
  Type.Object({
    current: totals,
    previous: Type.Optional(totals),
    interval: Type.Optional(
      Type.Array(named("IntervalTotals", Type.Object({ date, ...totalFigures })), { maxItems: intervalsMax }),
    ),
    rows_from: Type.Optional(
      Type.String({
        format: "date-time",
        description: "The answer is of the months with page views, from here on",
      }),
    ),
    imported_from: Type.Optional(
      Type.String({
        format: "date-time",
        description: "With `metrics`: from then on sums of another product are in the answer",
      }),
    ),
    imported_until: Type.Optional(
      Type.String({
        format: "date-time",
        description: "Until then sums of another product are in the answer",
      }),
    ),
    recorded_from: Type.Optional(
      Type.String({
        format: "date-time",
        description:
          "With `metrics` or `compare_start`: when the website's first hit came, if the period or the one that is " +
          "compared with begins earlier. What is compared is not the whole of it",
      }),
    ),
    approximate: Type.Optional(
      Type.Literal(true, { description: "Times of months that gave up their rows are close, and not exact" }),
    ),
  }),
);
