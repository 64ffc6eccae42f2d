/**
 * Segments of format 1 as they were first written: later versions write the same bytes and read them. Kinds and fields
 * that came after the first segment are in others. `FOOTFALL_GOLDEN=write` makes them anew, which only the last may
 * need, when another kind comes.
 */
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemDisk } from "../../src/lib/disk/disk.ts";
import { noVisitValues, type DimensionValues } from "../../src/core/questions/stored-dimension.ts";
import type { LogRecord, RecordOf } from "../../src/record/record.ts";
import { directory, replayAll, segmentPath, writeLog } from "../support/log-folder.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { everyKind } from "../support/any-record.ts";

const timeMs = 1_774_787_696_789;
const values = [
  "/pricing",
  "google.com",
  "news",
  "email",
  "März",
  "Firefox",
  "Linux",
  "Desktop",
  "DE",
  "de-AT",
];
/** Values of the dimensions that came after the first segments. */
const laterValues = ["knopf oben", "statistik"];
const sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

const batches: LogRecord[][] = [
  [
    {
      kind: "userAdded",
      timeMs,
      userId: 1,
      username: "ada",
      passwordHash: "$argon2id$v=19$x",
      firstOnly: true,
    },
    {
      kind: "sessionStarted",
      timeMs: timeMs + 1,
      sessionId: "a1",
      userId: 1,
      tokenHash: sha256,
      browser: "Firefox",
      os: "Linux",
    },
    { kind: "websiteAdded", timeMs: timeMs + 2, websiteId: 1, userId: 1, hostname: "example.com" },
  ],
  [
    {
      kind: "load",
      timeMs: timeMs + 1_000,
      websiteId: 1,
      beacon: "beacon-1",
      unique: true,
      seen: false,
      values,
      properties: [
        ["plan", "free"],
        ["__proto__", "\u{1f463}"],
      ],
    },
    { kind: "unload", timeMs: timeMs + 2_000, websiteId: 1, beacon: "beacon-1", visibleMs: 86_400_000 },
    {
      kind: "event",
      timeMs: timeMs + 3_000,
      websiteId: 0,
      beacon: "beacon-1",
      values: null,
      properties: [["plan", ""]],
    },
  ],
  [
    {
      kind: "import",
      timeMs: timeMs + 4_000,
      websiteId: 1,
      file: sha256,
      fromPosition: 0,
      position: 5_000_000_000,
      digest: sha256,
      loads: [{ timeMs: 1_431_857_103_000, unique: true, seen: false, values }],
    },
    { kind: "sessionRenewed", timeMs: timeMs + 5_000, sessionId: "a1" },
    {
      kind: "userChanged",
      timeMs: timeMs + 6_000,
      userId: 1,
      username: null,
      passwordHash: "$argon2id$v=19$y",
      keepSessionId: "a1",
      language: "en",
      scriptType: ["outbound-links", "hash-routes"],
    },
    { kind: "checkpoint", timeMs: timeMs + 7_000, manifestSeq: 6 },
    { kind: "websiteRenamed", timeMs: timeMs + 8_000, websiteId: 1, hostname: "xn--mrz-qla.example" },
    { kind: "websiteRemoved", timeMs: timeMs + 9_000, websiteId: 1 },
    { kind: "sessionEnded", timeMs: timeMs + 10_000, sessionId: "a1" },
    { kind: "userRemoved", timeMs: timeMs + 11_000, userId: 1 },
    { kind: "monthsDropped", timeMs: timeMs + 12_000, beforeMs: 1_709_251_200_000 },
    { kind: "closed", timeMs: timeMs + 13_000 },
  ],
];

const later: LogRecord[][] = [
  [
    {
      kind: "load",
      timeMs,
      websiteId: 1,
      beacon: "beacon-2",
      unique: true,
      seen: false,
      values: values.with(0, null as never),
      properties: [["plan", null]],
      hasOthers: true,
    },
    {
      kind: "event",
      timeMs: timeMs + 1,
      websiteId: 0,
      beacon: "beacon-3",
      values: null,
      properties: [["plan", "free"]],
      hasOthers: false,
      isAdmitted: false,
    },
    { kind: "websiteAdded", timeMs, websiteId: 2, userId: 1, hostname: "www.example.com", oneOwner: true },
    { kind: "websiteRenamed", timeMs, websiteId: 2, hostname: "example.org", oneOwner: true },
    {
      kind: "sessionStarted",
      timeMs,
      sessionId: "a2",
      userId: 1,
      tokenHash: sha256,
      browser: "Firefox",
      os: "Linux",
      sessionsMax: 20,
    },
    { kind: "rejected", timeMs: timeMs + 2, websiteId: 1, counts: [{ reason: "crawler", count: 7 }] },
    {
      kind: "rowsRemoved",
      timeMs: timeMs + 3,
      websiteId: 1,
      startMs: timeMs,
      endMs: null,
      having: [
        { name: "path", values: ["/wp-login", null] },
        { name: "prop_name", values: ["plan"] },
      ],
    },
    {
      kind: "namesFolded",
      timeMs: timeMs + 3,
      websiteId: 1,
      names: [{ kind: "path", hashes: "AQAAAAAAAAA=" }],
    },
  ],
];

const rules: LogRecord[][] = [
  [
    {
      kind: "websiteRules",
      timeMs,
      websiteId: 1,
      networks: ["192.0.2.0/24", "2001:db8::/32"],
      countries: ["DE", ""],
      paths: ["/admin/*", "/caf%C3%A9"],
      referrers: ["spam.example"],
      countsCrawlers: true,
      countsSpam: false,
    },
    {
      kind: "websiteRules",
      timeMs: timeMs + 1,
      websiteId: 1,
      networks: [],
      countries: null,
      paths: null,
      referrers: null,
      countsCrawlers: null,
      countsSpam: null,
    },
  ],
];

const contents: LogRecord[][] = [
  [
    {
      kind: "load",
      timeMs,
      websiteId: 1,
      beacon: "beacon-4",
      unique: true,
      seen: false,
      values: [...values, ...laterValues],
      properties: [],
      hasOthers: false,
    },
  ],
];

const goals: LogRecord[][] = [
  [
    {
      kind: "goalAdded",
      timeMs,
      websiteId: 1,
      goalId: 1,
      name: "Docs",
      page: [
        { operator: "starts_with", operands: ["/docs/"] },
        { operator: "not_in", operands: ["/docs/a,b", "/docs/c"] },
      ],
      propName: null,
      propValue: null,
      amount: null,
    },
    {
      kind: "goalAdded",
      timeMs: timeMs + 1,
      websiteId: 1,
      goalId: 2,
      name: "Sales",
      page: [],
      propName: "order",
      propValue: "paid",
      amount: "price",
    },
    { kind: "goalRemoved", timeMs: timeMs + 2, websiteId: 1, goalId: 1 },
    {
      kind: "event",
      timeMs: timeMs + 3,
      websiteId: 0,
      beacon: "beacon-5",
      values: null,
      properties: [
        ["order", "paid"],
        [null, "49.9"],
        ["price", null],
      ],
      hasOthers: true,
      isAdmitted: true,
      visit: 0,
      visitValues: noVisitValues,
      numbers: [null, -3, 49.9],
    },
  ],
];

const notes: LogRecord[][] = [
  [
    { kind: "noteAdded", timeMs, websiteId: 1, noteId: 1, date: "2026-11-03", text: "Newsletter" },
    { kind: "noteChanged", timeMs: timeMs + 1, websiteId: 1, noteId: 1, date: null, text: "Newsletter 7" },
    { kind: "noteRemoved", timeMs: timeMs + 2, websiteId: 1, noteId: 1 },
    {
      kind: "segmentAdded",
      timeMs: timeMs + 3,
      websiteId: 1,
      segmentId: 1,
      name: "Germany",
      filters: "country[eq]=Germany",
    },
    { kind: "segmentRemoved", timeMs: timeMs + 4, websiteId: 1, segmentId: 1 },
  ],
];

const messages: LogRecord[][] = [
  [
    {
      kind: "subscriptionAdded",
      timeMs,
      websiteId: 1,
      subscriptionId: 1,
      subscribed: "goal",
      threshold: 5,
      goalId: 2,
      target: "https://hooks.example.com/a",
      format: "slack",
      secret: "whsec_1",
      timezone: "Europe/Berlin",
      ofLanguage: "de",
    },
    {
      kind: "subscriptionAdded",
      timeMs: timeMs + 1,
      websiteId: 1,
      subscriptionId: 2,
      subscribed: "weekly",
      threshold: 0,
      goalId: 0,
      target: "ada@example.com",
      format: null,
      secret: "",
      timezone: "UTC",
      ofLanguage: "en",
    },
    {
      kind: "confirmationSent",
      timeMs: timeMs + 2,
      websiteId: 1,
      recipient: "ada@example.com",
      tokenHash: "0123456789abcdef",
    },
    { kind: "addressConfirmed", timeMs: timeMs + 3, websiteId: 1, recipient: "ada@example.com" },
    {
      kind: "messageDue",
      timeMs: timeMs + 4,
      websiteId: 1,
      subscriptionId: 1,
      forMs: timeMs,
      value: 7,
      expected: 5,
    },
    {
      kind: "messageFailed",
      timeMs: timeMs + 5,
      websiteId: 1,
      subscriptionId: 1,
      forMs: timeMs,
      error: "connection refused",
      isLast: false,
    },
    { kind: "messageSent", timeMs: timeMs + 6, websiteId: 1, subscriptionId: 1, forMs: timeMs },
    { kind: "subscriptionRemoved", timeMs: timeMs + 7, websiteId: 1, subscriptionId: 1 },
    { kind: "addressRemoved", timeMs: timeMs + 8, websiteId: 1, recipient: "ada@example.com" },
  ],
];

/** Returns the record as a program reads it that knows more dimensions than its writer. */
function grown<R extends LogRecord>(record: R): R {
  const own = "values" in record && record.values !== null && { values: withLater(record.values) };
  const loads = "loads" in record && {
    loads: record.loads.map((load) => ({ ...load, values: withLater(load.values) })),
  };
  return { ...record, ...own, ...loads };
}

function withLater(known: DimensionValues): DimensionValues {
  return [...known, ...laterValues.map(() => "")].slice(0, values.length + laterValues.length);
}

/** Two pages under one beacon, of a tracker that has one for all routes. */
const routes: LogRecord[][] = [
  ["/#/one", "/#/two"].map((path, at) => ({
    kind: "load",
    timeMs: timeMs + at,
    websiteId: 1,
    beacon: "beacon-4",
    unique: at === 0,
    seen: false,
    values: [...values.with(0, path), ...laterValues],
    properties: [],
    hasOthers: false,
    sharesBeacon: true,
  })),
];

const origin = ["/landing", "?", "", "", "", "", ""];

const visits: LogRecord[][] = [
  [
    {
      kind: "websiteAdded",
      timeMs,
      websiteId: 1,
      userId: 1,
      hostname: "example.com",
      oneOwner: true,
      visits: true,
    },
    { ...(rules[0]?.[1] as RecordOf<"websiteRules">), networks: null, visits: false },
    {
      kind: "load",
      timeMs,
      websiteId: 1,
      beacon: "beacon-3",
      unique: false,
      seen: true,
      values: [...values, ...laterValues],
      properties: [],
      hasOthers: false,
      visit: 70_000,
      visitValues: origin,
    },
    {
      kind: "import",
      timeMs,
      websiteId: 1,
      file: sha256,
      fromPosition: 0,
      position: 9,
      digest: sha256,
      loads: [
        {
          timeMs: 1,
          unique: true,
          seen: false,
          values: [...values, ...laterValues],
          hasOthers: false,
          visit: 3,
          visitValues: origin,
        },
      ],
      isPartial: true,
    },
  ],
];

const sharing: LogRecord[][] = [
  [
    {
      kind: "linkAdded",
      timeMs,
      websiteId: 1,
      linkId: "00ff00ff00ff00ff",
      name: "Kunde",
      tokenHash: sha256,
      passwordHash: "$argon2id$v=19$z",
      filters: [
        { name: "channel", operator: "eq", operands: ["Email"] },
        { name: "path", operator: "in", operands: ["/a,b", "/c"] },
      ],
      frameAncestors: [],
    },
    {
      kind: "linkAdded",
      timeMs: timeMs + 1,
      websiteId: 1,
      linkId: "open",
      name: "open",
      tokenHash: null,
      passwordHash: null,
      filters: [],
      frameAncestors: ["https://partner.example:8443"],
    },
    { kind: "linkRemoved", timeMs: timeMs + 2, websiteId: 1, linkId: "open" },
    {
      kind: "invitationAdded",
      timeMs: timeMs + 3,
      websiteId: 1,
      invitationId: "0123456789abcdef",
      role: "viewer",
      tokenHash: sha256,
    },
    {
      kind: "invitationAccepted",
      timeMs: timeMs + 4,
      websiteId: 1,
      invitationId: "0123456789abcdef",
      userId: 2,
    },
    { kind: "invitationRemoved", timeMs: timeMs + 5, websiteId: 1, invitationId: "fedcba9876543210" },
    { kind: "memberChanged", timeMs: timeMs + 6, websiteId: 1, userId: 2, role: "owner" },
    { kind: "memberRemoved", timeMs: timeMs + 7, websiteId: 1, userId: 1 },
  ],
];

const tokens: LogRecord[][] = [
  [
    {
      kind: "tokenAdded",
      timeMs,
      websiteId: 0,
      tokenId: "00ff00ff00ff00ff",
      userId: 1,
      name: "Kasse",
      scope: "send",
      tokenHash: sha256,
    },
    { kind: "tokenUsed", timeMs: timeMs + 1, tokenId: "00ff00ff00ff00ff" },
    { kind: "tokenRemoved", timeMs: timeMs + 2, tokenId: "00ff00ff00ff00ff" },
  ],
  [
    {
      kind: "load",
      timeMs,
      websiteId: 1,
      beacon: "beacon-6",
      unique: true,
      seen: false,
      values: [...values, ...laterValues],
      properties: [],
      hasOthers: false,
      atMs: timeMs - 604_800_000,
    },
    { kind: "unload", timeMs, websiteId: 1, beacon: "beacon-6", visibleMs: null, atMs: timeMs - 604_790_000 },
  ],
];

const months: LogRecord[][] = [
  [
    {
      kind: "monthReduced",
      timeMs,
      websiteId: 1,
      monthMs: 1_709_251_200_000,
      rows: 1_000_000,
      propertyCount: 70_000,
      name: "chunks/1/2024-03-12.0000000000000000.month",
      bytes: 2_104_000,
      checksum: 3_735_928_559,
    },
  ],
];

const imported: LogRecord[][] = [
  [
    {
      kind: "monthImported",
      timeMs,
      websiteId: 1,
      monthMs: 1_709_251_200_000,
      chunkNumber: 12,
      rows: 1_000_000,
      propertyCount: 0,
      firstMs: 1_709_294_400_000,
      lastMs: 1_711_886_400_000,
      firstEventMs: null,
      lastEventMs: null,
      name: "chunks/1/2024-03-12.0000000000000000.month",
      bytes: 104_000,
      checksum: 3_735_928_559,
      namesOf: [
        { of: "path", values: ["/", null] },
        { of: "referrer", values: ["google.com"] },
      ],
      sources: [1, 0, 0, 0, 0, 0],
    },
  ],
];

const unasked: LogRecord[][] = [
  [
    {
      kind: "confirmationFailed",
      timeMs,
      websiteId: 1,
      recipient: "ada@example.com",
      error: "wrong user or password",
    },
  ],
];

const dropped: LogRecord[][] = [
  [{ kind: "monthsDropped", timeMs, beforeMs: 1_709_251_200_000, deadPercent: 30 }],
];

/** Fields that came later to kinds of before. */
const keyed: LogRecord[][] = [
  [
    {
      kind: "invitationAdded",
      timeMs,
      websiteId: 1,
      invitationId: "0123456789abcdef",
      role: "owner",
      tokenHash: sha256,
      madeBy: 1,
    },
    { kind: "memberChanged", timeMs, websiteId: 1, userId: 2, role: "editor", oneOwner: true, madeBy: 1 },
    { kind: "memberRemoved", timeMs, websiteId: 1, userId: 2, oneOwner: true, madeBy: 1 },
    {
      kind: "confirmationSent",
      timeMs: timeMs + 1,
      websiteId: 1,
      recipient: "ada@example.com",
      tokenHash: sha256,
      leavingKey: "0aB_-cdefghijklmnopqrstuvwxyz0123456789ABCD",
    },
  ],
];

const ignored: LogRecord[][] = [
  [
    { ...(rules[0]?.[1] as RecordOf<"websiteRules">), networks: null, ignoredReferrers: ["pay.example"] },
    { ...(rules[0]?.[1] as RecordOf<"websiteRules">), ignoredReferrers: [] },
  ],
];

const aliases: LogRecord[][] = [
  [
    { kind: "websiteAliases", timeMs, websiteId: 1, aliases: ["shop.example.com", "example.net"] },
    { kind: "websiteAliases", timeMs: timeMs + 1, websiteId: 1, aliases: [] },
  ],
];

const owners: LogRecord[][] = [
  [
    { kind: "memberChanged", timeMs, websiteId: 1, userId: 2, role: "editor", oneOwner: true },
    { kind: "memberRemoved", timeMs: timeMs + 1, websiteId: 1, userId: 2, oneOwner: true },
    { kind: "userRemoved", timeMs: timeMs + 2, userId: 2, oneOwner: true },
  ],
];

const funnels: LogRecord[][] = [
  [
    {
      kind: "funnelAdded",
      timeMs,
      websiteId: 1,
      funnelId: 1,
      name: "Checkout",
      steps: ["page:/cart", "page[starts_with]:/checkout", "event:order=paid", "goal:3"],
    },
    { kind: "funnelRemoved", timeMs: timeMs + 1, websiteId: 1, funnelId: 1 },
  ],
];

const eventIds: LogRecord[][] = [
  [
    {
      kind: "event",
      timeMs,
      websiteId: 1,
      beacon: "",
      values,
      properties: [["order", "paid"]],
      idHash: "1k2z9x8c7v6b5",
    },
    {
      kind: "event",
      timeMs: timeMs + 1,
      websiteId: 0,
      beacon: "beacon-7",
      values: null,
      properties: [["order", "paid"]],
      idHash: "3w5e11264sgsf",
      isSentId: true,
    },
  ],
];

const apart: LogRecord[][] = [
  [
    {
      kind: "event",
      timeMs,
      websiteId: 0,
      beacon: "beacon-7",
      values: null,
      properties: [["product", "tea"]],
      isApart: true,
    },
  ],
];

const secondFactor: LogRecord[][] = [
  [
    {
      kind: "secondFactorChanged",
      timeMs,
      userId: 1,
      secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
      usedStep: 56_666_666,
      keepSessionId: "5e55",
    },
    {
      kind: "sessionStarted",
      timeMs: timeMs + 1,
      sessionId: "5e56",
      userId: 1,
      tokenHash: "70c3",
      browser: "Firefox",
      os: "Linux",
      sessionsMax: 20,
      usedStep: 56_666_668,
    },
    {
      kind: "secondFactorChanged",
      timeMs: timeMs + 2,
      userId: 1,
      secret: null,
      usedStep: 0,
      keepSessionId: "",
    },
  ],
];

const sumsRemoved: LogRecord[][] = [[{ kind: "importedSumsRemoved", timeMs, websiteId: 1 }]];

describe.each([
  ["format-1.wal", batches],
  ["format-1-later.wal", later],
  ["format-1-rules.wal", rules],
  ["format-1-contents.wal", contents],
  ["format-1-routes.wal", routes],
  ["format-1-visits.wal", visits],
  ["format-1-goals.wal", goals],
  ["format-1-notes.wal", notes],
  ["format-1-sharing.wal", sharing],
  ["format-1-tokens.wal", tokens],
  ["format-1-messages.wal", messages],
  ["format-1-months.wal", months],
  ["format-1-imported.wal", imported],
  ["format-1-dropped.wal", dropped],
  ["format-1-owners.wal", owners],
  ["format-1-unasked.wal", unasked],
  ["format-1-funnels.wal", funnels],
  ["format-1-keyed.wal", keyed],
  ["format-1-event-ids.wal", eventIds],
  ["format-1-ignored.wal", ignored],
  ["format-1-aliases.wal", aliases],
  ["format-1-apart.wal", apart],
  ["format-1-second-factor.wal", secondFactor],
  ["format-1-sums-removed.wal", sumsRemoved],
] as const)("the golden segment %s", (name, written) => {
  const golden = join(import.meta.dir, "..", "golden", name);

  test("is read as it was written", () => {
    const disk = new MemoryDisk();
    disk.put(segmentPath(1), systemDisk.read(golden));
    expect(replayAll(disk)).toMatchObject({ read: written.flat().map(grown), repairs: [] });
  });

  test("is written with the same bytes", async () => {
    const disk = new MemoryDisk();
    await writeLog(disk, written);
    if (process.env["FOOTFALL_GOLDEN"] === "write") writeFileSync(golden, disk.read(segmentPath(1)));
    expect(disk.list(directory)).toHaveLength(1);
    expect(Buffer.from(disk.read(segmentPath(1))).equals(systemDisk.read(golden))).toBe(true);
  });
});

test("the golden segments have every kind", () => {
  const kinds = [
    ...batches,
    ...later,
    ...rules,
    ...goals,
    ...notes,
    ...sharing,
    ...tokens,
    ...messages,
    ...months,
    ...imported,
    ...unasked,
    ...funnels,
    ...aliases,
    ...secondFactor,
    ...sumsRemoved,
  ]
    .flat()
    .map(({ kind }) => kind);
  expect(new Set(kinds)).toEqual(new Set(everyKind));
});
