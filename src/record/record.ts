/**
 * The table of all records in the log: each kind with its number on disk, its fields in their order, and its traits
 * (traits.ts), which are not on disk. Kinds never change: fields are appended, with a value for the records from before
 * (`appended`), and a new meaning is a new kind.
 * Every time in a record is the log's clock in whole milliseconds; `apply` knows no other. No field can hold an address
 * or a raw user agent.
 */
import { noVisitValues } from "../core/questions/stored-dimension.ts";
import {
  appended,
  flag,
  integer,
  optional,
  rows,
  text,
  texts,
  word,
  wordPairs,
  words,
  type ValuesOf,
} from "./field.ts";
import { dimensionValues, filterName, operator, visitValues } from "./values.ts";
import { accountKinds } from "./account-kinds.ts";
import { monthKinds } from "./month-kinds.ts";
import { sharingKinds } from "./sharing-kinds.ts";
import { ofEventId, ofProperties, ofWebsite, removal } from "./common-fields.ts";
import { subscriptionKinds } from "./subscription-kinds.ts";
import { tokenKinds } from "./token-kinds.ts";

/** The number of the visit within its website, 0 for none; and the source and entry page of the visit. */
const ofVisit = { visit: appended(integer, 0), visitValues: appended(visitValues, noVisitValues) } as const;

/** When a hit happened, where the server that sent it says so; null for the record's own time, by which all else goes. */
const atMs = appended(optional(integer), null);

/**
 * Says that a null stands for a value that is not kept apart. A program from before the field knows no such value: the
 * field, which a record without one lacks, makes it refuse the log instead of taking it for damaged.
 */
const hasOthers = appended(flag, false);

/** Properties that a page view of the past has, or that an event on it brought, at their time. */
const pastProperties = { timeMs: integer, isEvent: flag, properties: wordPairs, ...ofProperties } as const;
export type PastProperties = ValuesOf<typeof pastProperties>;
export const noPastProperties: readonly PastProperties[] = [];

/**
 * A page view of the past, taken from an access log or another product; without a beacon it takes no unload and no event.
 * `isBare`: it is an event without a page view, which counts by its properties only. `visitFlags`: those of a row that
 * this program exported, whose visit may go on in other records; null: they follow from the visit, which is in the record.
 */
const pastLoad = {
  timeMs: integer,
  unique: flag,
  seen: flag,
  values: dimensionValues,
  hasOthers,
  ...ofVisit,
  visibleMs: appended(optional(integer), null),
  properties: appended(rows(pastProperties), noPastProperties),
  isBare: appended(flag, false),
  visitFlags: appended(optional(integer), null),
} as const;

export const recordKinds = {
  /**
   * A page load. `unique` is the hit's `p`, `seen` its `q`; values are in the order of `dimensions`. `sharesBeacon`: the
   * tracker sends several pages under one beacon, so that one with another path is no retry.
   */
  load: {
    number: 1,
    part: "statistics",
    isHit: true,
    ofOneWebsite: true,
    fields: {
      ...ofWebsite,
      beacon: text,
      unique: flag,
      seen: flag,
      values: dimensionValues,
      properties: wordPairs,
      hasOthers,
      ...ofVisit,
      sharesBeacon: appended(flag, false),
      ...ofProperties,
      atMs,
    },
  },
  /**
   * The end of a page view. websiteId 0 means the latest load with this beacon; visibleMs null means the time since the
   * load.
   */
  unload: {
    number: 2,
    part: "statistics",
    isHit: true,
    ofOneWebsite: true,
    fields: { ...ofWebsite, beacon: text, visibleMs: optional(integer), atMs },
  },
  /**
   * Custom events; beacon "": of the website; values null: sent without `u`, websiteId 0 then. `isAdmitted` false: names
   * and values of properties that the website does not know when it takes them are not kept apart. `isApart`: no other hit
   * of its row gets its time (store/state/hit-time.ts).
   */
  event: {
    number: 3,
    part: "statistics",
    isHit: true,
    ofOneWebsite: true,
    fields: {
      ...ofWebsite,
      beacon: text,
      values: optional(dimensionValues),
      properties: wordPairs,
      hasOthers,
      isAdmitted: appended(flag, true),
      ...ofVisit,
      ...ofProperties,
      atMs,
      ...ofEventId,
      isApart: appended(flag, false),
    },
  },
  /**
   * Lines of an access log or an export up to the byte `position`; `digest` is the SHA-256 (hex) of the file up to
   * there. `isPartial`: the page views of visits that went on there are not among those that were logged.
   */
  import: {
    number: 4,
    part: "both",
    ofOneWebsite: true,
    fields: {
      ...ofWebsite,
      /** SHA-256 of the file up to its first line of data, hex: it tells one file from another. */
      file: text,
      fromPosition: integer,
      position: integer,
      digest: text,
      loads: rows(pastLoad),
      isPartial: appended(flag, false),
      /**
       * Blocks of `visitsOfBlock` (core/hit.ts) visit numbers: those of the file from `index` times that on are from
       * `first` on in the website.
       */
      visitBlocks: appended(rows({ index: integer, first: integer }), []),
    },
  },
  /** `oneOwner`: if another account has a `www.` form of the hostname, the outcome is "taken". `visits`: it has visits. */
  websiteAdded: {
    number: 5,
    part: "accounts",
    fields: {
      ...ofWebsite,
      userId: integer,
      hostname: text,
      oneOwner: appended(flag, false),
      visits: appended(flag, false),
    },
  },
  /** `oneOwner` means the same as above. */
  websiteRenamed: {
    number: 6,
    part: "accounts",
    fields: { ...ofWebsite, hostname: text, oneOwner: appended(flag, false) },
  },
  /** The other hostnames of a website, without `www.`, in place of those before. "taken" if another website has one of them. */
  websiteAliases: { number: 58, ...removal, fields: { ...ofWebsite, aliases: texts } },
  websiteRemoved: {
    number: 7,
    part: "accounts",
    deletes: "statistics",
    fields: ofWebsite,
  },
  ...accountKinds,
  /** A checkpoint became durable; its manifest has this sequence number. */
  checkpoint: { number: 14, part: "statistics", fields: { timeMs: integer, manifestSeq: integer } },
  /** The last record of a clean stop. */
  closed: { number: 15, part: "log", fields: { timeMs: integer } },
  /**
   * The statistics of all websites before `beforeMs`, the start of a UTC month, were dropped. A website kept its ids if fewer
   * than `deadPercent` of the bytes of its names were of no row any more.
   */
  monthsDropped: {
    number: 16,
    part: "statistics",
    deletes: "statistics",
    fields: { timeMs: integer, beforeMs: integer, deadPercent: appended(integer, 0) },
  },
  /** Hits of a website that were not counted since the last such record, by reason (core/rejection.ts). */
  rejected: {
    number: 17,
    part: "statistics",
    fields: { ...ofWebsite, counts: rows({ reason: word, count: integer }) },
  },
  /**
   * Page views and events of a website were removed: those from `startMs` to `endMs`, both inclusive, null for an open
   * end, that have one of the `values` by every name. The values of `prop_name` and `prop_value` are those of one
   * property. They are stored values, so that a later program removes the same rows; null is a value not kept apart.
   */
  rowsRemoved: {
    number: 18,
    part: "statistics",
    ofOneWebsite: true,
    deletes: "statistics",
    fields: {
      ...ofWebsite,
      startMs: optional(integer),
      endMs: optional(integer),
      having: rows({ name: filterName, values: words }),
    },
  },
  /**
   * The rules of a website (core/website/rules.ts), and whether it has visits. Fields that are null stay as they are. A
   * network that its owner blocks may be one address: the owner wrote it, no hit did. What the new rules lack is deleted.
   */
  websiteRules: {
    number: 19,
    ...removal,
    fields: {
      ...ofWebsite,
      networks: optional(texts),
      countries: optional(texts),
      paths: optional(texts),
      referrers: optional(texts),
      countsCrawlers: optional(flag),
      countsSpam: optional(flag),
      visits: appended(optional(flag), null),
      ignoredReferrers: appended(optional(texts), null),
    },
  },
  /**
   * Names of a website that are counted as `(other)` from now on. `kind` is a dimension, `property.name` or
   * `property.value`; `hashes` are those of store/state/rebuilding/fold.ts.
   */
  namesFolded: {
    number: 20,
    part: "statistics",
    ofOneWebsite: true,
    deletes: "statistics",
    fields: { ...ofWebsite, names: rows({ kind: text, hashes: text }) },
  },
  /** A goal (core/website/goal.ts): of page views that meet all conditions, or of the events with a property. */
  goalAdded: {
    number: 21,
    part: "accounts",
    fields: {
      ...ofWebsite,
      goalId: integer,
      name: text,
      page: rows({ operator, operands: texts }),
      /** null for the goal of a page. */
      propName: optional(text),
      propValue: optional(text),
      amount: optional(text),
    },
  },
  goalRemoved: { number: 22, ...removal, fields: { ...ofWebsite, goalId: integer } },
  ...sharingKinds,
  /** A note on a day (core/website/note.ts), such as 2026-11-03. */
  noteAdded: { number: 30, part: "accounts", fields: { ...ofWebsite, noteId: integer, date: text, text } },
  /** Fields that are null stay as they are. */
  noteChanged: {
    number: 31,
    part: "accounts",
    fields: { ...ofWebsite, noteId: integer, date: optional(text), text: optional(text) },
  },
  noteRemoved: { number: 32, ...removal, fields: { ...ofWebsite, noteId: integer } },
  /** Filters with a name (core/website/segment.ts), as a query string writes them. */
  segmentAdded: {
    number: 33,
    part: "accounts",
    fields: { ...ofWebsite, segmentId: integer, name: text, filters: text },
  },
  segmentRemoved: { number: 34, ...removal, fields: { ...ofWebsite, segmentId: integer } },
  /** Steps with a name (core/website/funnel.ts), as the question about a funnel has them. */
  funnelAdded: {
    number: 56,
    part: "accounts",
    fields: { ...ofWebsite, funnelId: integer, name: text, steps: texts },
  },
  funnelRemoved: { number: 57, ...removal, fields: { ...ofWebsite, funnelId: integer } },
  ...tokenKinds,
  ...monthKinds,
  ...subscriptionKinds,
} as const;

export type RecordKind = keyof typeof recordKinds;
export type RecordOf<K extends RecordKind> = K extends RecordKind
  ? { readonly kind: K } & ValuesOf<(typeof recordKinds)[K]["fields"]>
  : never;
export type LogRecord = RecordOf<RecordKind>;
/** A record that may lack its time: it gets that of its commit. */
export type NewRecord = {
  [K in RecordKind]: Omit<RecordOf<K>, "timeMs"> & { readonly timeMs?: number };
}[RecordKind];
export type PastLoad = ValuesOf<typeof pastLoad>;
