/**
 * Parses the two forms in which an instant is written: RFC 3339 in queries, files and commands, an HTTP date in headers. It
 * is strict: a date that no calendar has is invalid.
 */
import { dayMs } from "./hit.ts";

const rfc3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+ -])(\d{2}):(\d{2}))$/;

/**
 * Returns whole milliseconds since 1970, cutting off finer digits; undefined for a text that RFC 3339 does not allow. A
 * space before the offset is the `+` of a URL. A leap second, 23:59:60 UTC, is the instant after it.
 */
export function parseDateTime(text: string): number | undefined {
  const match = rfc3339.exec(text);
  if (match === null) return undefined;
  const [
    ,
    year,
    month,
    day,
    hour,
    minute,
    second,
    fraction = "",
    sign,
    offsetHours = "0",
    offsetMinutes = "0",
  ] = match as unknown as readonly string[];
  if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return undefined;
  const local = instantOf(
    Number(year),
    Number(month),
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  );
  if (local === undefined) return undefined;
  const offsetMs = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000;
  const instant = local + (sign === "-" ? offsetMs : -offsetMs);
  if (second === "60" && instant % dayMs !== 0) return undefined;
  return instant + Number(fraction.slice(0, 3).padEnd(3, "0"));
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const month = `(?<month>${months.join("|")})`;
const time = String.raw`(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)`;
const shortDay = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const longDay = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day";
/** RFC 9110, 5.6.7: the one form to write and the two old ones that a recipient must still read. */
const httpDates = [
  String.raw`${shortDay}, (?<day>\d\d) ${month} (?<year>\d{4}) ${time} GMT`,
  String.raw`${longDay}, (?<day>\d\d)-${month}-(?<year>\d\d) ${time} GMT`,
  String.raw`${shortDay} ${month} (?<day>[ \d]\d) ${time} (?<year>\d{4})`,
].map((pattern) => new RegExp(`^${pattern}$`));

/**
 * Returns whole milliseconds since 1970; undefined for a malformed date. The name of the weekday is not checked against
 * the date. A year of two digits is the one less than fifty years ahead of `nowMs`.
 */
export function parseHttpDate(text: string, nowMs: number): number | undefined {
  for (const pattern of httpDates) {
    const groups = pattern.exec(text)?.groups;
    if (groups === undefined) continue;
    const year = groups["year"]!;
    return instantOf(
      year.length === 2 ? centuryOf(Number(year), nowMs) : Number(year),
      months.indexOf(groups["month"]!) + 1,
      Number(groups["day"]),
      Number(groups["hour"]),
      Number(groups["minute"]),
      Number(groups["second"]),
    );
  }
  return undefined;
}

function centuryOf(twoDigits: number, nowMs: number): number {
  const latest = new Date(nowMs).getUTCFullYear() + 50;
  return latest - ((latest - twoDigits) % 100);
}

/**
 * Returns the instant in UTC; the second 60 is the first of the next minute. Returns undefined for a field out of
 * range.
 */
function instantOf(
  year: number,
  monthNumber: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): number | undefined {
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  // Date.UTC takes years under 100 for those of the 20th century, and 30 February for 2 March.
  const date = new Date(0);
  date.setUTCFullYear(year, monthNumber - 1, day);
  if (date.getUTCMonth() !== monthNumber - 1 || date.getUTCDate() !== day) return undefined;
  return date.getTime() + ((hour * 60 + minute) * 60 + second) * 1_000;
}
