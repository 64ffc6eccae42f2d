/** Finds the country of a visitor by the time zone: no address is needed, and none is looked up. */
import { countryByZone } from "./zones.ts";

/**
 * Returns the ISO 3166-1 alpha-2 code; "" for a zone of no country and for anything that is no zone. Case is ignored.
 */
export function countryOf(timeZone: string): string {
  return countryByZone().get(timeZone.toLowerCase()) ?? "";
}
