/** Records of accounts, websites and sessions for tests. Fields that a test does not care about have defaults. */
import type { RecordOf } from "../../src/record/record.ts";
import { noonMs } from "./records.ts";

export function userAdded(
  userId: number,
  username: string,
  more: Partial<RecordOf<"userAdded">> = {},
): RecordOf<"userAdded"> {
  return {
    kind: "userAdded",
    timeMs: noonMs,
    userId,
    username,
    passwordHash: `hash of ${username}`,
    firstOnly: false,
    ...more,
  };
}

export function userChanged(
  userId: number,
  more: Partial<RecordOf<"userChanged">> = {},
): RecordOf<"userChanged"> {
  return {
    kind: "userChanged",
    timeMs: noonMs,
    userId,
    username: null,
    passwordHash: null,
    keepSessionId: "",
    language: null,
    scriptType: null,
    ...more,
  };
}

export function websiteAdded(websiteId: number, hostname: string, userId = 1): RecordOf<"websiteAdded"> {
  return { kind: "websiteAdded", timeMs: noonMs, websiteId, userId, hostname, oneOwner: true };
}

export function websiteAliases(websiteId: number, aliases: readonly string[]): RecordOf<"websiteAliases"> {
  return { kind: "websiteAliases", timeMs: noonMs, websiteId, aliases };
}

/** Rules that are not given stay as they are. */
export function websiteRules(
  websiteId: number,
  more: Partial<RecordOf<"websiteRules">>,
): RecordOf<"websiteRules"> {
  return {
    kind: "websiteRules",
    timeMs: noonMs,
    websiteId,
    networks: null,
    countries: null,
    paths: null,
    referrers: null,
    countsCrawlers: null,
    countsSpam: null,
    ignoredReferrers: null,
    ...more,
  };
}

/** A goal of a page, unless `more` says otherwise. */
export function goalAdded(
  websiteId: number,
  goalId: number,
  more: Partial<RecordOf<"goalAdded">> = {},
): RecordOf<"goalAdded"> {
  return {
    kind: "goalAdded",
    timeMs: noonMs,
    websiteId,
    goalId,
    name: `goal ${goalId}`,
    page: [{ operator: "eq", operands: ["/thanks"] }],
    propName: null,
    propValue: null,
    amount: null,
    ...more,
  };
}

export function goalRemoved(websiteId: number, goalId: number): RecordOf<"goalRemoved"> {
  return { kind: "goalRemoved", timeMs: noonMs, websiteId, goalId };
}

export function noteAdded(websiteId: number, noteId: number): RecordOf<"noteAdded"> {
  const text = `note ${noteId}`;
  return { kind: "noteAdded", timeMs: noonMs, websiteId, noteId, date: "2026-11-03", text };
}

/** Fields that are not given stay as they are. */
export function noteChanged(
  websiteId: number,
  noteId: number,
  more: Partial<RecordOf<"noteChanged">>,
): RecordOf<"noteChanged"> {
  return { kind: "noteChanged", timeMs: noonMs, websiteId, noteId, date: null, text: null, ...more };
}

export function noteRemoved(websiteId: number, noteId: number): RecordOf<"noteRemoved"> {
  return { kind: "noteRemoved", timeMs: noonMs, websiteId, noteId };
}

export function segmentAdded(websiteId: number, segmentId: number): RecordOf<"segmentAdded"> {
  const [name, filters] = [`segment ${segmentId}`, "country[eq]=Germany"];
  return { kind: "segmentAdded", timeMs: noonMs, websiteId, segmentId, name, filters };
}

export function segmentRemoved(websiteId: number, segmentId: number): RecordOf<"segmentRemoved"> {
  return { kind: "segmentRemoved", timeMs: noonMs, websiteId, segmentId };
}

export function funnelAdded(websiteId: number, funnelId: number): RecordOf<"funnelAdded"> {
  const [name, steps] = [`funnel ${funnelId}`, ["page:/pricing", "event:signup"]];
  return { kind: "funnelAdded", timeMs: noonMs, websiteId, funnelId, name, steps };
}

export function funnelRemoved(websiteId: number, funnelId: number): RecordOf<"funnelRemoved"> {
  return { kind: "funnelRemoved", timeMs: noonMs, websiteId, funnelId };
}

/** A weekly report to a mail address, unless `more` says otherwise. */
export function subscriptionAdded(
  websiteId: number,
  subscriptionId: number,
  more: Partial<RecordOf<"subscriptionAdded">> = {},
): RecordOf<"subscriptionAdded"> {
  return {
    kind: "subscriptionAdded",
    timeMs: noonMs,
    websiteId,
    subscriptionId,
    subscribed: "weekly",
    threshold: 0,
    goalId: 0,
    target: "ada@example.com",
    format: null,
    secret: "",
    timezone: "Europe/Berlin",
    ofLanguage: "en",
    ...more,
  };
}

export function invitationAdded(
  websiteId: number,
  invitationId: string,
  more: Partial<RecordOf<"invitationAdded">> = {},
): RecordOf<"invitationAdded"> {
  const tokenHash = `hash of ${invitationId}`;
  return {
    kind: "invitationAdded",
    timeMs: noonMs,
    websiteId,
    invitationId,
    role: "owner",
    tokenHash,
    ...more,
  };
}

export function invitationAccepted(
  websiteId: number,
  invitationId: string,
  userId: number,
): RecordOf<"invitationAccepted"> {
  return { kind: "invitationAccepted", timeMs: noonMs, websiteId, invitationId, userId };
}

/** A link that shows everything, unless `more` says otherwise. */
export function linkAdded(
  websiteId: number,
  linkId: string,
  more: Partial<RecordOf<"linkAdded">> = {},
): RecordOf<"linkAdded"> {
  return {
    kind: "linkAdded",
    timeMs: noonMs,
    websiteId,
    linkId,
    name: `link ${linkId}`,
    tokenHash: `hash of ${linkId}`,
    passwordHash: null,
    filters: [],
    frameAncestors: [],
    ...more,
  };
}

export function linkRemoved(websiteId: number, linkId: string): RecordOf<"linkRemoved"> {
  return { kind: "linkRemoved", timeMs: noonMs, websiteId, linkId };
}

/** Without a secret it is taken away. */
export function secondFactorChanged(
  userId: number,
  more: Partial<RecordOf<"secondFactorChanged">> = {},
): RecordOf<"secondFactorChanged"> {
  return {
    kind: "secondFactorChanged",
    timeMs: noonMs,
    userId,
    secret: null,
    usedStep: 0,
    keepSessionId: "",
    ...more,
  };
}

export function sessionStarted(
  sessionId: string,
  more: Partial<RecordOf<"sessionStarted">> = {},
): RecordOf<"sessionStarted"> {
  return {
    kind: "sessionStarted",
    timeMs: noonMs,
    sessionId,
    userId: 1,
    tokenHash: `hash of ${sessionId}`,
    browser: "Firefox",
    os: "Linux",
    sessionsMax: 20,
    ...more,
  };
}

/** A token of all websites, unless `more` says otherwise. */
export function tokenAdded(
  tokenId: string,
  more: Partial<RecordOf<"tokenAdded">> = {},
): RecordOf<"tokenAdded"> {
  return {
    kind: "tokenAdded",
    timeMs: noonMs,
    websiteId: 0,
    tokenId,
    userId: 1,
    name: `token ${tokenId}`,
    scope: "read",
    tokenHash: `hash of ${tokenId}`,
    ...more,
  };
}

/** The next part of a file's import, without page views. */
export function imported(
  websiteId: number,
  file: string,
  fromPosition: number,
  position: number,
): RecordOf<"import"> {
  const digest = `digest at ${position}`;
  return { kind: "import", timeMs: noonMs, websiteId, file, fromPosition, position, digest, loads: [] };
}
