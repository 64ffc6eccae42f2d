/** The fields and traits that several kinds of records have in common. */
import { integer } from "./field.ts";

/** The first fields of records about one website. */
export const ofWebsite = { timeMs: integer, websiteId: integer } as const;
/** The traits of records by which something leaves accounts, and every file. */
export const removal = { part: "accounts", deletes: "accounts" } as const;
