/** The kinds of records about accounts and their sessions: rows of the table in `record.ts`. */
import { removal } from "./common-fields.ts";
import { appended, flag, integer, optional, text, texts, word } from "./field.ts";

/** The most live sessions of an account under records that do not say. */
export const sessionsMaxBefore = 100;

export const accountKinds = {
  /** `firstOnly`: add the account only if there is none at all; else the outcome is "taken". */
  userAdded: {
    number: 8,
    part: "accounts",
    fields: { timeMs: integer, userId: integer, username: text, passwordHash: text, firstOnly: flag },
  },
  /** Fields that are null stay as they are. A new password ends every session of the account except `keepSessionId`. */
  userChanged: {
    number: 9,
    part: "accounts",
    fields: {
      timeMs: integer,
      userId: integer,
      username: optional(text),
      passwordHash: optional(text),
      keepSessionId: text,
      language: optional(word),
      scriptType: optional(texts),
    },
  },
  /**
   * The second factor of an account (accounts/login/totp.ts): its secret, "taken" if there is one already; null takes it
   * away, "missing" if there is none. `usedStep`: that of the code with which it was switched on, which counts no more. A
   * secret ends every session of the account except `keepSessionId`, and is "missing" unless that is a live one of it.
   */
  secondFactorChanged: {
    number: 59,
    ...removal,
    fields: {
      timeMs: integer,
      userId: integer,
      secret: optional(text),
      usedStep: integer,
      keepSessionId: text,
    },
  },
  /**
   * The account goes with its sessions and all websites that have no other owner. `oneOwner` means the same as in
   * `memberChanged`.
   */
  userRemoved: {
    number: 10,
    part: "accounts",
    deletes: "statistics",
    fields: { timeMs: integer, userId: integer, oneOwner: appended(flag, false) },
  },
  /**
   * `tokenHash`: SHA-256 of the token, hex. `browser` and `os` are shown in the list of sessions. The account keeps
   * `sessionsMax` live sessions, this one included: those that were renewed longest ago end. `usedStep`: the step of the code
   * of the second factor that came with the login, null for none. "taken" unless it is after all that were used before, and
   * null for an account without a second factor.
   */
  sessionStarted: {
    number: 11,
    part: "accounts",
    fields: {
      timeMs: integer,
      sessionId: text,
      userId: integer,
      tokenHash: text,
      browser: word,
      os: word,
      sessionsMax: appended(integer, sessionsMaxBefore),
      usedStep: appended(optional(integer), null),
    },
  },
  sessionRenewed: { number: 12, part: "accounts", fields: { timeMs: integer, sessionId: text } },
  sessionEnded: { number: 13, part: "accounts", fields: { timeMs: integer, sessionId: text } },
} as const;
