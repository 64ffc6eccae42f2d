/** The time zone whose days a command means. */
import { badInput } from "../../core/refusal.ts";
import { isTimeZone } from "../../http/parsing/day-start.ts";
import type { CommandFlag } from "../command.ts";

export const timeZoneFlag: CommandFlag = {
  name: "timezone",
  placeholder: "ZONE",
  description: "Whose days they are, such as Europe/Berlin (default: this machine's)",
};

/** Returns the zone that the flags name. Throws Refusal 400. */
export function localZone(flags: ReadonlyMap<string, string>): string {
  const zone = flags.get("timezone") ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!isTimeZone(zone)) throw badInput("--timezone", zone, "the IANA name of a time zone, or UTC");
  return zone;
}
