/** Records of every kind for property tests, with every value that a record may hold, including hostile ones. */
import fc from "fast-check";
import { dimensions, filterNames } from "../../src/core/questions/dimension.ts";
import {
  storedFilterNames,
  noVisitValues,
  visitDimensions,
} from "../../src/core/questions/stored-dimension.ts";
import { tokenScopes } from "../../src/core/api-token.ts";
import { operators } from "../../src/core/questions/operator.ts";
import { roles } from "../../src/core/website/role.ts";
import { noPastProperties, recordKinds, type LogRecord, type RecordKind } from "../../src/record/record.ts";
import { subscriptionKinds, webhookFormats } from "../../src/core/website/subscription.ts";

const hostile = fc.constantFrom(
  "",
  "__proto__",
  "constructor",
  "\0",
  "(other)",
  "\u{1f463}\u{1f463}",
  "\uffff",
  "\ufffd",
  "é",
  "e\u0301",
  "FFW1\xff\xe5\xa3\xf7",
  "a".repeat(2_000),
  ...[58, 61, 62, 200].map((length) => `\ufeff${"a".repeat(length)}`),
  `\ufeff\ufeff${"a".repeat(70)}`,
);
/** Well formed: a record never holds half a surrogate pair. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  hostile,
  fc.string({ unit: "grapheme", maxLength: 20, size: "max" }),
  fc.string({ unit: "binary", maxLength: 20, size: "max" }),
);
const integer = fc.oneof(fc.nat(), fc.constantFrom(0, 2 ** 31, 2 ** 32, 2 ** 53 - 1, 1_700_000_000_000));
const word = fc.option(anyText, { nil: null, freq: 10 });
const values = fc.array(word, { minLength: dimensions.length, maxLength: dimensions.length });
const properties = fc.array(fc.tuple(word, word), { maxLength: 4 });
/** No hit has -0: the collector makes it 0, and the log would. */
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const numbers = fc.array(fc.option(number, { nil: null }), {
  maxLength: 4,
});
const hasOthers = fc.boolean();
const ofVisit = {
  visit: integer,
  visitValues: fc.oneof(
    fc.constant(noVisitValues),
    fc.array(word, { minLength: visitDimensions.length, maxLength: visitDimensions.length }),
  ),
};
const pastLoad = fc.record({
  timeMs: integer,
  unique: fc.boolean(),
  seen: fc.boolean(),
  values,
  hasOthers,
  ...ofVisit,
  visibleMs: fc.option(integer, { nil: null }),
  properties: fc.oneof(
    fc.constant(noPastProperties),
    fc.array(fc.record({ timeMs: integer, isEvent: fc.boolean(), properties, numbers }), {
      minLength: 1,
      maxLength: 2,
    }),
  ),
  isBare: fc.boolean(),
  visitFlags: fc.option(integer, { nil: null }),
});
const nullOr = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const texts = nullOr(fc.array(anyText, { maxLength: 12, size: "max" }));
const someTexts = fc.array(anyText, { maxLength: 3 });
const operator = fc.constantFrom(...operators.map(({ name }) => name));

/** By the name of the field: it means the same type in every kind but for those that may be null. */
const fieldArbitraries: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  atMs: nullOr(integer),
  beacon: anyText,
  counts: fc.array(fc.record({ reason: anyText, count: integer }), { maxLength: 3 }),
  browser: anyText,
  countries: texts,
  countsCrawlers: nullOr(fc.boolean()),
  countsSpam: nullOr(fc.boolean()),
  digest: anyText,
  file: anyText,
  filters: fc.array(fc.record({ name: fc.constantFrom(...filterNames), operator, operands: someTexts }), {
    maxLength: 3,
  }),
  frameAncestors: someTexts,
  hasOthers,
  endMs: nullOr(integer),
  firstOnly: fc.boolean(),
  idHash: nullOr(anyText),
  isSentId: fc.boolean(),
  isPartial: fc.boolean(),
  visitBlocks: fc.array(fc.record({ index: integer, first: integer }), { maxLength: 2 }),
  having: fc.array(
    fc.record({ name: fc.constantFrom(...storedFilterNames), values: fc.array(word, { maxLength: 4 }) }),
    { maxLength: 3 },
  ),
  hostname: anyText,
  isAdmitted: fc.boolean(),
  sharesBeacon: fc.boolean(),
  keepSessionId: anyText,
  language: nullOr(anyText),
  invitationId: anyText,
  leavingKey: anyText,
  linkId: anyText,
  loads: fc.array(pastLoad, { maxLength: 3 }),
  namesOf: fc.array(
    fc.record({ of: fc.constantFrom(...storedFilterNames), values: fc.array(word, { maxLength: 4 }) }),
    { maxLength: 3 },
  ),
  sources: numbers,
  firstEventMs: nullOr(integer),
  lastEventMs: nullOr(integer),
  names: fc.array(fc.record({ kind: anyText, hashes: anyText }), { maxLength: 3 }),
  oneOwner: fc.boolean(),
  name: anyText,
  date: anyText,
  text: anyText,
  page: fc.array(fc.record({ operator, operands: someTexts }), { maxLength: 3 }),
  propName: nullOr(anyText),
  propValue: nullOr(anyText),
  amount: nullOr(anyText),
  recipient: anyText,
  target: anyText,
  secret: anyText,
  timezone: anyText,
  ofLanguage: anyText,
  error: anyText,
  isLast: fc.boolean(),
  isApart: fc.boolean(),
  subscribed: fc.constantFrom(...subscriptionKinds),
  format: nullOr(fc.constantFrom(...webhookFormats)),
  networks: texts,
  aliases: someTexts,
  numbers,
  os: anyText,
  passwordHash: anyText,
  paths: texts,
  properties,
  referrers: texts,
  ignoredReferrers: texts,
  role: fc.constantFrom(...roles),
  scriptType: texts,
  seen: fc.boolean(),
  sessionId: anyText,
  startMs: nullOr(integer),
  steps: someTexts,
  tokenHash: anyText,
  scope: fc.constantFrom(...tokenScopes),
  tokenId: anyText,
  unique: fc.boolean(),
  usedStep: integer,
  username: anyText,
  values,
  visibleMs: nullOr(integer),
  visits: fc.boolean(),
  ...ofVisit,
};
/** Fields that mean another type in one kind than in the others. */
const ownArbitraries: Readonly<Record<string, fc.Arbitrary<unknown>>> = { "segmentAdded.filters": anyText };
const nullable: ReadonlySet<string> = new Set([
  "event.values",
  "userChanged.username",
  "websiteRules.visits",
  "websiteRules.ignoredReferrers",
  "userChanged.passwordHash",
  "noteChanged.date",
  "noteChanged.text",
  "linkAdded.tokenHash",
  "linkAdded.passwordHash",
]);

function arbitraryOf(kind: RecordKind): fc.Arbitrary<LogRecord> {
  const names = Object.keys(recordKinds[kind].fields);
  const fields = names.map((name) => {
    const arbitrary = ownArbitraries[`${kind}.${name}`] ?? fieldArbitraries[name] ?? integer;
    return [name, nullable.has(`${kind}.${name}`) ? nullOr(arbitrary) : arbitrary] as const;
  });
  return fc.record({ kind: fc.constant(kind), ...Object.fromEntries(fields) }) as fc.Arbitrary<LogRecord>;
}

export const everyKind = Object.keys(recordKinds) as readonly RecordKind[];

/** One record of the given kinds, each as likely as any other. */
export function anyRecord(kinds: readonly RecordKind[] = everyKind): fc.Arbitrary<LogRecord> {
  return fc.oneof(...kinds.map(arbitraryOf));
}
