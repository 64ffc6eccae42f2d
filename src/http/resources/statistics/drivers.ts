/** The endpoint that says what made a period unlike others. */
import { Type } from "@sinclair/typebox";
import { listedDimensions } from "../../../core/questions/dimension.ts";
import { driverMetrics, driversMax, type DriversQuery, type Period } from "../../../core/questions/query.ts";
import { badInput } from "../../../core/refusal.ts";
import type { ReaderRoute } from "../../transport/route.ts";
import { named, wordsSchema } from "../../parsing/schemas.ts";
import { parseStatisticsQuery, scalars, valuesOf } from "../../parsing/statistics-query.ts";
import { answer, nowOf, statisticsRoute } from "./answer.ts";

const parameters = ["by", "metric", "timezone", "compare_start", "compare_end"] as const;

const share = (description: string) => Type.Number({ description, minimum: 0 });
const instant = Type.String({ format: "date-time" });

const driver = named(
  "Driver",
  Type.Object({
    dimension: wordsSchema(listedDimensions.map(({ name }) => name)),
    value: Type.String({ description: "As the list of the dimension has it, and as filters by it select" }),
    current: Type.Integer({ minimum: 0 }),
    base: Type.Number({ minimum: 0, description: "Its mean in the periods of the base, to a hundredth" }),
    difference: Type.Number({ description: "`current` less `base`, with the sign of the whole difference" }),
    difference_percentage: share(
      "Its share of the whole difference; values overlap, so shares do not add up to 100",
    ),
    of_first_percentage: Type.Optional(
      share("Missing of the first driver: the share of the first one's difference that this value has too"),
    ),
  }),
);

const drivers = named(
  "Drivers",
  Type.Object({
    current: Type.Integer({ minimum: 0, description: "The metric in the period" }),
    base: Type.Optional(
      Type.Number({ minimum: 0, description: "Its mean in the periods of the base; missing without a base" }),
    ),
    difference: Type.Optional(Type.Number({ description: "`current` less `base`; missing without a base" })),
    stands_out: Type.Boolean({
      description:
        "Whether the difference is a tenth of the base or more, three square roots of the base or more, and larger " +
        "than that of any period of the base to their mean",
    }),
    base_periods: Type.Array(Type.Object({ start: instant, end: instant }), {
      description: "The periods of the base, both ends inclusive",
    }),
    drivers: Type.Array(driver, {
      maxItems: driversMax,
      description:
        "Those that made half of the difference or more come first, by source, page, place and client; then the " +
        "larger difference. Empty where nothing stands out",
    }),
  }),
);

/** Throws Refusal 400 for a period without an end or a start. */
function closed(start: string, end: string, { startMs, endMs }: Period): Period {
  if (!Number.isFinite(startMs)) throw badInput(start, undefined, scalars.start.expected);
  if (!Number.isFinite(endMs)) throw badInput(end, undefined, scalars.end.expected);
  if (startMs > endMs)
    throw badInput(start, new Date(startMs).toISOString(), `a time that is not after ${end}`);
  return { startMs, endMs };
}

/** Refuses the parameter of lists, which name several: it would be ignored, and the answer be for visitors. */
function refuseMetrics(raw: string): void {
  const [metrics] = valuesOf(raw, "metrics");
  if (metrics === undefined) return;
  throw badInput("metrics", metrics, driverMetrics.map((name) => `metric=${name}`).join(", "));
}

function questionOf(raw: string, nowMs: number): DriversQuery {
  refuseMetrics(raw);
  const { compare_start, compare_end, metric, period, ...query } = parseStatisticsQuery(raw, parameters);
  const compare = { startMs: compare_start, endMs: compare_end };
  const isGiven = Number.isFinite(compare.startMs) || Number.isFinite(compare.endMs);
  return {
    list: "drivers",
    ...query,
    period: closed("start", "end", period),
    compare: isGiven ? closed("compare_start", "compare_end", compare) : undefined,
    metrics: [metric],
    nowMs,
  };
}

export const driversRoutes: readonly ReaderRoute[] = [
  {
    ...statisticsRoute(
      "drivers",
      "What made a period unlike others: the values that made most of the difference",
    ),
    description:
      "The base is the period from compare_start to compare_end, or without them the mean of the " +
      "same weekdays and clock times of earlier weeks in the time zone: four periods, each so many whole weeks before " +
      "the next that none overlap. A period that is not over is compared until now. Periods that began before the " +
      "first hit, or reach into months of sums, are left out; without any there is no base. A driver is a value of any list that changed in the " +
      "direction of the whole, by three square roots of its own base or more, and whose share of the difference " +
      "exceeds its share of the base by ten points or more: what grew as everything did is none. Left out is a value " +
      "most of whose difference narrower ones made: a referrer is named, and its channel is not. As in the lists, " +
      "visitors of a page are those who first see it.",
    query: (["start", "end"] as const).map((name) => {
      const { description, schema } = scalars[name];
      return { name, required: true, description, schema };
    }),
    statistics: parameters,
    answer: drivers,
    handle: (call) => answer(call, (raw) => questionOf(raw, nowOf(call))),
  },
];
