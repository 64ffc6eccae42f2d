/** The fields and traits that several kinds of records have in common. */
import { noNumbers } from "../core/questions/property.ts";
import { appended, flag, integer, numbers, optional, text } from "./field.ts";

/** The first fields of records about one website. */
export const ofWebsite = { timeMs: integer, websiteId: integer } as const;
/** The traits of records by which something leaves accounts, and every file. */
export const removal = { part: "accounts", deletes: "accounts" } as const;
/** The numbers among the values of the properties (core/questions/property.ts). */
export const ofProperties = { numbers: appended(numbers, noNumbers) } as const;
/**
 * The hash of the id that the website gives an event, which counts once with it; null for none. `isSentId`: it came with a
 * token, and strangers cannot have sent it before.
 */
export const ofEventId = { idHash: appended(optional(text), null), isSentId: appended(flag, false) } as const;
