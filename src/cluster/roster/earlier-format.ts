/**
 * The format of nodes from before they told theirs: they say the greatest kind of record that they know, and nothing of its
 * fields. It stays as it is, and can go with the last of these nodes. Numbers and texts mean what they do in `Known`.
 */
import type { RecordFormat } from "../../record/format.ts";

const dimensions =
  "path referrer utm_source utm_medium utm_campaign browser os device country language utm_content utm_term";
const sources =
  "visit_referrer visit_utm_source visit_utm_medium visit_utm_campaign visit_utm_content visit_utm_term";
const selected = `${dimensions} entry ${sources} prop_name prop_value`;
const asked = `${dimensions} channel entry prop_name prop_value`;
const operators =
  "eq neq contains not_contains starts_with not_starts_with ends_with not_ends_with in not_in";
const roles = "viewer editor owner";
const scopes = "read send admin";
const subscribed = "weekly monthly spike drop silence goal disk";
const formats = "json slack discord ntfy";

/** They may lack `oneOwner` of kinds 10, 28 and 29, and `untilMs` of 54: so these are not among the fields. */
const earliest: RecordFormat = {
  1: [0, 0, 0, 0, 0, 12, 0, 0, 0, 7, 0, 0, 0],
  2: [0, 0, 0, 0, 0],
  3: [0, 0, 0, 12, 0, 0, 0, 0, 7, 0, 0],
  4: [0, 0, 0, 0, 0, 0, [0, 0, 0, 12, 0, 0, 7, 0, [0, 0, 0, 0], 0, 0], 0, [0, 0]],
  5: [0, 0, 0, 0, 0, 0],
  6: [0, 0, 0, 0],
  7: [0, 0],
  8: [0, 0, 0, 0, 0],
  9: [0, 0, 0, 0, 0, 0, 0],
  10: [0, 0],
  11: [0, 0, 0, 0, 0, 0, 0],
  12: [0, 0],
  13: [0, 0],
  14: [0, 0],
  15: [0],
  16: [0, 0, 0],
  17: [0, 0, [0, 0]],
  18: [0, 0, 0, 0, [selected, 0]],
  19: [0, 0, 0, 0, 0, 0, 0, 0, 0],
  20: [0, 0, [0, 0]],
  21: [0, 0, 0, 0, [operators, 0], 0, 0, 0],
  22: [0, 0, 0],
  23: [0, 0, 0, 0, 0, 0, [asked, operators, 0], 0],
  24: [0, 0, 0],
  25: [0, 0, 0, roles, 0],
  26: [0, 0, 0],
  27: [0, 0, 0, 0],
  28: [0, 0, 0, roles],
  29: [0, 0, 0],
  30: [0, 0, 0, 0, 0],
  31: [0, 0, 0, 0, 0],
  32: [0, 0, 0],
  33: [0, 0, 0, 0, 0],
  34: [0, 0, 0],
  35: [0, 0, 0, 0, 0, scopes, 0],
  36: [0, 0],
  37: [0, 0],
  38: [0, 0, 0, 0, 0, 0, 0, 0],
  41: [0, 0, 0, subscribed, 0, 0, 0, formats, 0, 0, 0],
  42: [0, 0, 0],
  43: [0, 0, 0, 0],
  44: [0, 0, 0],
  45: [0, 0, 0],
  46: [0, 0, 0, 0, 0, 0],
  47: [0, 0, 0, 0],
  48: [0, 0, 0, 0, 0, 0],
  54: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, [selected, 0], 0],
};

/** Returns the format of a node that knows kinds of records up to `level`, for all that it says. */
export function formatUpTo(level: number): RecordFormat {
  return Object.fromEntries(Object.entries(earliest).filter(([kind]) => Number(kind) <= level));
}
