/**
 * The values that Umami keeps of events besides their names: a row of the table `event_data` for each value, by the id of the event.
 * It is a file of its own, or a column `event_data` with an object beside each event.
 */
import { propertiesMax } from "../../../core/hit.ts";
import { pairOf, type Pair } from "./event-values.ts";
import type { Columns } from "./table.ts";
import { wholeObject } from "../../../lib/texts/json-object.ts";
import { ownText } from "../../../lib/texts/own-text.ts";
import { hashOf } from "../visitors.ts";
import { tableFormat } from "./table.ts";

/** Umami's number of values that are numbers. */
const numberType = "2";

/** The values of events by their ids. There may be millions, which wait for the file with the events. */
export class EventData {
  /** The rows of the file. */
  rows = 0;
  /** The rows that could not be read. */
  unreadable = 0;
  /** By the hash of an id: each value as JSON, which has no line feed. A text takes a quarter of the memory of lists. */
  private readonly events = new Map<number, string>();

  add(eventId: string, pair: Pair): void {
    const key = hashOf(eventId);
    const known = this.events.get(key);
    const value = JSON.stringify(pair);
    if (known === undefined) this.events.set(key, ownText(value));
    // One is the name of the event itself.
    else if (known.split("\n").length < propertiesMax - 1)
      this.events.set(key, ownText(`${known}\n${value}`));
  }

  of(eventId: string): readonly Pair[] {
    const known = this.events.get(hashOf(eventId));
    return known === undefined ? [] : known.split("\n").map((value) => JSON.parse(value) as Pair);
  }
}

/** Returns the format of the file with the values, which go into `data`: it has no page views. */
export function eventDataFormat(data: EventData) {
  return tableFormat({
    name: "umami-event-data",
    description: "Umami's table of the values of events",
    example: "event_data_id,website_id,website_event_id,data_key,string_value,…",
    hasEvents: true,
    takesJson: true,
    required: ["data_key", "string_value", "number_value", "data_type"],
    open: () => (columns) => {
      data.rows++;
      // Umami Cloud calls it by the shorter name.
      const eventId = columns("website_event_id") || columns("event_id");
      const number = columns("data_type") === numberType ? columns("number_value") : undefined;
      const value = number === undefined ? columns("string_value") : String(Number(number));
      data.add(eventId, pairOf(columns("data_key"), value, number === undefined ? null : Number(number)));
      return "none";
    },
  });
}

/** Returns the values of an event: those of the column, or else those of the file. Throws RangeError for too many of them. */
export function valuesOf(columns: Columns, data: EventData | undefined): readonly Pair[] {
  const object = wholeObject(columns("event_data"));
  if (object === undefined) return data?.of(columns("event_id")) ?? [];
  return Object.entries(object)
    .slice(0, propertiesMax - 1)
    .map(([name, value]) =>
      pairOf(
        name,
        typeof value === "object" ? JSON.stringify(value) : String(value),
        typeof value === "number" ? value : null,
      ),
    );
}
