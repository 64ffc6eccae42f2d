/** The kinds of records about API tokens (core/api-token.ts): rows of the table in `record.ts`. */
import { integer, text } from "./field.ts";
import { ofWebsite, removal } from "./common-fields.ts";
import { tokenScope } from "./values.ts";

export const tokenKinds = {
  /** `websiteId` 0: of all websites of the account. `tokenHash`: SHA-256 of the token, hex. */
  tokenAdded: {
    number: 35,
    part: "accounts",
    fields: { ...ofWebsite, tokenId: text, userId: integer, name: text, scope: tokenScope, tokenHash: text },
  },
  tokenRemoved: { number: 36, ...removal, fields: { timeMs: integer, tokenId: text } },
  /** A token was used for the first time on a UTC day. */
  tokenUsed: { number: 37, part: "accounts", fields: { timeMs: integer, tokenId: text } },
} as const;
