/** The kinds of records about who else may read a website: rows of the table in `record.ts`. */
import { appended, flag, integer, optional, rows, text, texts } from "./field.ts";
import { ofWebsite, removal } from "./common-fields.ts";
import { askedName, operator, role } from "./values.ts";

/**
 * The account that makes a change as an owner: where it ceased to be one before the record came into the log, the outcome is
 * "missing". 0: nobody has to be one, as for the operator and for whoever leaves.
 */
const madeBy = appended(integer, 0);

export const sharingKinds = {
  /**
   * A link (core/website/link.ts). `tokenHash`: SHA-256 of the token, hex; null for a public link. `passwordHash`: null for none.
   */
  linkAdded: {
    number: 23,
    part: "accounts",
    fields: {
      ...ofWebsite,
      linkId: text,
      name: text,
      tokenHash: optional(text),
      passwordHash: optional(text),
      filters: rows({ name: askedName, operator, operands: texts }),
      frameAncestors: texts,
    },
  },
  linkRemoved: { number: 24, ...removal, fields: { ...ofWebsite, linkId: text } },
  /** An invitation (core/website/role.ts). `tokenHash`: SHA-256 of the token, hex. */
  invitationAdded: {
    number: 25,
    part: "accounts",
    fields: { ...ofWebsite, invitationId: text, role, tokenHash: text, madeBy },
  },
  invitationRemoved: { number: 26, ...removal, fields: { ...ofWebsite, invitationId: text } },
  /** Somebody used an invitation: the account has its role, and the invitation is spent. */
  invitationAccepted: {
    number: 27,
    part: "accounts",
    fields: { ...ofWebsite, invitationId: text, userId: integer },
  },
  /**
   * An account of a website has another role. Where the last owner would go, the outcome is "needed". `oneOwner`: if the name
   * and its `www.` forms would have no owner in common any more (accounts/registry/common-owner.ts), the outcome is "parted".
   */
  memberChanged: {
    number: 28,
    part: "accounts",
    fields: { ...ofWebsite, userId: integer, role, oneOwner: appended(flag, false), madeBy },
  },
  /** `oneOwner` means the same as above. */
  memberRemoved: {
    number: 29,
    part: "accounts",
    fields: { ...ofWebsite, userId: integer, oneOwner: appended(flag, false), madeBy },
  },
} as const;
