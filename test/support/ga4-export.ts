/**
 * Events as Google Analytics 4 has them in BigQuery, made up: no product wrote these rows. Their fields are those of Google's
 * description of the schema (https://support.google.com/analytics/answer/7029846) and of its public sample
 * `ga4_obfuscated_sample_ecommerce`. As CSV they are what the line in the help selects, with more fields of the device, and TO_JSON_STRING writes all
 * fields of a value; as JSON lines what BigQuery exports, which leaves out fields without a value and writes INT64 as texts.
 */
import { madeHost, type MadeView } from "./made-up-people.ts";

export interface MadeEvent {
  readonly timeMs: number;
  readonly name: string;
  /** null where the visitor did not consent. */
  readonly person: string | null;
  readonly params: Readonly<Record<string, string | number>>;
  readonly device?: object;
  readonly country?: string;
  readonly source?: Readonly<Record<string, string | null>>;
}

export const madeDevice = {
  category: "desktop",
  mobile_brand_name: "Mozilla",
  operating_system: "Linux",
  operating_system_version: "6",
  language: "ro-ro",
  is_limited_ad_tracking: "No",
  web_info: { browser: "Firefox", browser_version: "126.0" },
};

const fields = ["string_value", "int_value", "float_value", "double_value"] as const;

/** Returns a parameter with all fields of its value, null but for one. */
function param([key, given]: readonly [string, string | number]) {
  const field =
    typeof given === "string" ? "string_value" : Number.isInteger(given) ? "int_value" : "double_value";
  return { key, value: Object.fromEntries(fields.map((name) => [name, name === field ? given : null])) };
}

function rowOf({
  timeMs,
  name,
  person,
  params,
  device = madeDevice,
  country = "Romania",
  source,
}: MadeEvent) {
  return {
    event_timestamp: timeMs * 1_000 + 123,
    event_name: name,
    user_pseudo_id: person,
    event_params: Object.entries(params).map(param),
    device,
    geo: { continent: "Europe", country, region: "Bucharest", city: "Bucharest" },
    collected_traffic_source: source ?? null,
  };
}

const cell = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

export function ga4Csv(events: readonly MadeEvent[]): string {
  const head = "event_timestamp,event_name,user_pseudo_id,event_params,device,geo,collected_traffic_source\n";
  const cells = (row: object) =>
    Object.values(row).map((value: unknown) =>
      typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? ""),
    );
  return head + events.map((event) => `${cells(rowOf(event)).map(cell).join(",")}\n`).join("");
}

export function ga4Json(events: readonly MadeEvent[]): string {
  const written = (key: string, value: unknown) =>
    value === null
      ? undefined
      : key.endsWith("int_value") || key === "event_timestamp"
        ? String(value)
        : value;
  return events
    .map(
      (event) =>
        `${JSON.stringify({ event_date: "20240501", user_id: "ada@example.org", ...rowOf(event) }, written)}\n`,
    )
    .join("");
}

/** The made-up page views and events, with what Google's script sends beside them. */
export function ga4Events(views: readonly MadeView[]): MadeEvent[] {
  const begun = new Set<number>();
  return views.flatMap(({ kind, timeMs, person, visit, name, path, referrer, durationMs }): MadeEvent[] => {
    const isNew = !begun.has(visit);
    begun.add(visit);
    const common = {
      ga_session_id: visit,
      ga_session_number: 1,
      page_location: `https://${madeHost}${path}`,
      page_title: 'A "title", of\ntwo lines',
      ...(referrer !== "" && { page_referrer: referrer }),
      session_engaged: "1",
    };
    const of = { person: `10264${person}.4271112504` };
    const event = (name: string, params: MadeEvent["params"] = {}, laterMs = 0) => ({
      ...of,
      timeMs: timeMs + laterMs,
      name,
      params: { ...common, ...params },
    });
    if (kind === "event") return [event(name, { batch_page_id: 17 })];
    return [
      event("page_view", isNew ? { entrances: 1, engagement_time_msec: 3 } : {}),
      ...(isNew ? [event("session_start", { engagement_time_msec: 3 })] : []),
      ...(durationMs === null ? [] : [event("user_engagement", { engagement_time_msec: durationMs }, 900)]),
    ];
  });
}
