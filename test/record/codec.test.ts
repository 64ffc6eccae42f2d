import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Packr } from "msgpackr/pack";
import { decodeBatch, encodeBatch, SegmentStrings } from "../../src/record/codec.ts";
import { storedDimensions, valuesBefore } from "../../src/core/questions/stored-dimension.ts";
import { NewerFormat } from "../../src/lib/decoding.ts";
import { recordKinds, type RecordOf } from "../../src/record/record.ts";
import { anyRecord } from "../support/any-record.ts";
import { rounds } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";

const packr = new Packr({ useRecords: false, variableMapSize: true });
const load: RecordOf<"load"> = {
  kind: "load",
  timeMs: 1_700_000_000_000,
  websiteId: 1,
  beacon: "beacon",
  unique: true,
  seen: false,
  values: ["/", "google.com", "", "", "", "Firefox", "Linux", "Desktop", "DE", "de", "", ""],
  properties: [["plan", "free"]],
};

describe("a batch", () => {
  test("decodes to the records it was made of, of every kind, whatever the strings", () => {
    const batches = fc.array(fc.array(anyRecord(), { minLength: 1, maxLength: 5 }), { maxLength: 4 });
    fc.assert(
      fc.property(batches, (batches) => {
        const writing = new SegmentStrings();
        const reading = new SegmentStrings();
        for (const records of batches) {
          const bytes = encodeBatch(records, writing);
          expect(decodeBatch(bytes, reading)).toEqual(records);
          expect(reading.size).toBe(writing.size);
        }
      }),
      { seed: seed(), numRuns: rounds(300) },
    );
  });

  test("is not touched by the encoding of later ones", () => {
    const strings = new SegmentStrings();
    const first = encodeBatch([load], strings);
    const before = first.toHex();
    for (let count = 0; count < 100; count++) encodeBatch([{ ...load, beacon: "x".repeat(500) }], strings);
    expect(first.toHex()).toBe(before);
  });

  test("defines a repeating string once in its segment, and only where it is first used", () => {
    const strings = new SegmentStrings();
    const first = encodeBatch([load, load], strings);
    const second = encodeBatch([load], strings);
    expect(packr.unpack(first)[0]).toEqual([
      "/",
      "google.com",
      "",
      "Firefox",
      "Linux",
      "Desktop",
      "DE",
      "de",
      "plan",
      "free",
    ]);
    expect(packr.unpack(second)[0]).toEqual([]);
    expect(Buffer.from(second).includes("Firefox")).toBe(false);
  });

  test("is positional: the number of the kind, then the fields in the order of the table", () => {
    const strings = new SegmentStrings();
    const [, tuple] = packr.unpack(encodeBatch([load], strings));
    const ids = [0, 1, 2, 2, 2, 3, 4, 5, 6, 7, 2, 2];
    expect(tuple).toEqual([1, 1_700_000_000_000, 1, "beacon", 1, 0, ids, [8, 9]]);
  });

  test("of a kind that only a newer program knows is refused as such", () => {
    const bytes = packr.pack([[], [200, 1_700_000_000_000]]);
    expect(() => decodeBatch(bytes, new SegmentStrings())).toThrow(NewerFormat);
  });

  test("that uses a string before its definition is no batch", () => {
    const strings = new SegmentStrings();
    encodeBatch([load], strings);
    const second = encodeBatch([load], strings);
    expect(() => decodeBatch(second, new SegmentStrings())).toThrow(
      "segment string 0 is used before it is defined",
    );
  });

  test("may be empty", () => {
    expect(decodeBatch(encodeBatch([], new SegmentStrings()), new SegmentStrings())).toEqual([]);
  });
});

describe("the table of kinds", () => {
  // Kinds and the order of their fields are the format: a change here is a change of every log there is.
  test("is what it was in format 1", () => {
    const table = Object.entries(recordKinds).map(
      ([kind, { number, fields }]) => `${number} ${kind}: ${Object.keys(fields).join(" ")}`,
    );
    expect(table).toEqual([
      "1 load: timeMs websiteId beacon unique seen values properties hasOthers visit visitValues sharesBeacon numbers atMs",
      "2 unload: timeMs websiteId beacon visibleMs atMs",
      "3 event: timeMs websiteId beacon values properties hasOthers isAdmitted visit visitValues numbers atMs idHash isSentId isApart",
      "4 import: timeMs websiteId file fromPosition position digest loads isPartial visitBlocks",
      "5 websiteAdded: timeMs websiteId userId hostname oneOwner visits",
      "6 websiteRenamed: timeMs websiteId hostname oneOwner",
      "58 websiteAliases: timeMs websiteId aliases",
      "7 websiteRemoved: timeMs websiteId",
      "8 userAdded: timeMs userId username passwordHash firstOnly",
      "9 userChanged: timeMs userId username passwordHash keepSessionId language scriptType",
      "59 secondFactorChanged: timeMs userId secret usedStep keepSessionId",
      "10 userRemoved: timeMs userId oneOwner",
      "11 sessionStarted: timeMs sessionId userId tokenHash browser os sessionsMax usedStep",
      "12 sessionRenewed: timeMs sessionId",
      "13 sessionEnded: timeMs sessionId",
      "14 checkpoint: timeMs manifestSeq",
      "15 closed: timeMs",
      "16 monthsDropped: timeMs beforeMs deadPercent",
      "17 rejected: timeMs websiteId counts",
      "18 rowsRemoved: timeMs websiteId startMs endMs having",
      "19 websiteRules: timeMs websiteId networks countries paths referrers countsCrawlers countsSpam visits ignoredReferrers",
      "20 namesFolded: timeMs websiteId names",
      "21 goalAdded: timeMs websiteId goalId name page propName propValue amount",
      "22 goalRemoved: timeMs websiteId goalId",
      "23 linkAdded: timeMs websiteId linkId name tokenHash passwordHash filters frameAncestors",
      "24 linkRemoved: timeMs websiteId linkId",
      "25 invitationAdded: timeMs websiteId invitationId role tokenHash madeBy",
      "26 invitationRemoved: timeMs websiteId invitationId",
      "27 invitationAccepted: timeMs websiteId invitationId userId",
      "28 memberChanged: timeMs websiteId userId role oneOwner madeBy",
      "29 memberRemoved: timeMs websiteId userId oneOwner madeBy",
      "30 noteAdded: timeMs websiteId noteId date text",
      "31 noteChanged: timeMs websiteId noteId date text",
      "32 noteRemoved: timeMs websiteId noteId",
      "33 segmentAdded: timeMs websiteId segmentId name filters",
      "34 segmentRemoved: timeMs websiteId segmentId",
      "56 funnelAdded: timeMs websiteId funnelId name steps",
      "57 funnelRemoved: timeMs websiteId funnelId",
      "35 tokenAdded: timeMs websiteId tokenId userId name scope tokenHash",
      "36 tokenRemoved: timeMs tokenId",
      "37 tokenUsed: timeMs tokenId",
      "38 monthReduced: timeMs websiteId monthMs rows propertyCount name bytes checksum",
      "54 monthImported: timeMs websiteId monthMs chunkNumber rows propertyCount firstMs lastMs firstEventMs lastEventMs name bytes checksum namesOf sources untilMs",
      "60 importedSumsRemoved: timeMs websiteId",
      "41 subscriptionAdded: timeMs websiteId subscriptionId subscribed threshold goalId target format secret timezone ofLanguage",
      "42 subscriptionRemoved: timeMs websiteId subscriptionId",
      "43 confirmationSent: timeMs websiteId recipient tokenHash leavingKey",
      "44 addressConfirmed: timeMs websiteId recipient",
      "45 addressRemoved: timeMs websiteId recipient",
      "46 messageDue: timeMs websiteId subscriptionId forMs value expected",
      "47 messageSent: timeMs websiteId subscriptionId forMs",
      "48 messageFailed: timeMs websiteId subscriptionId forMs error isLast",
      "55 confirmationFailed: timeMs websiteId recipient error",
    ]);
  });

  test("has no field for an address or a user agent", () => {
    const names = Object.values(recordKinds).flatMap(({ fields }) => Object.keys(fields));
    for (const name of names) expect(name).not.toMatch(/address|^ip|agent|header/i);
  });

  test("gives every kind a number of its own and a time", () => {
    const kinds = Object.values(recordKinds);
    expect(new Set(kinds.map(({ number }) => number)).size).toBe(kinds.length);
    for (const { fields } of kinds) expect(Object.keys(fields)[0]).toBe("timeMs");
  });
});

describe("a record from before its table grew", () => {
  const timeMs = 1_700_000_000_000;
  const decoded = (record: unknown[]) => decodeBatch(packr.pack([["/"], record]), new SegmentStrings())[0];

  test("is refused where a field is missing that its kind always had", () => {
    for (const { number, fields } of Object.values(recordKinds))
      expect(() => decoded([number])).toThrow(`the field ${Object.keys(fields)[0]} is missing`);
  });

  test("is refused where a dimension is missing that was always there", () => {
    expect(() => decoded([1, timeMs, 1, "b", 1, 0, new Array(9).fill(0), []])).toThrow("9 values stand");
  });
});

describe("the tables that may grow", () => {
  /** Fields of format 1 by kind: what came after them has to say what it is in records from before. */
  const first: Readonly<Record<number, number>> = {
    ...{ 1: 7, 2: 4, 3: 5, 4: 7, 5: 4, 6: 3, 7: 2, 8: 5 },
    ...{ 9: 7, 10: 2, 11: 6, 12: 2, 13: 2, 14: 2, 15: 1, 16: 2, 17: 3, 18: 5, 19: 8, 20: 3, 21: 8, 22: 3 },
    ...{ 23: 8, 24: 3, 25: 5, 26: 3, 27: 4, 28: 4, 29: 3 },
    ...{
      30: 5,
      31: 5,
      32: 3,
      33: 5,
      34: 3,
      35: 7,
      36: 2,
      37: 2,
      38: 8,
      41: 11,
      42: 3,
      43: 4,
      44: 3,
      45: 3,
      46: 6,
      47: 4,
      48: 6,
      54: 15,
      55: 4,
      56: 5,
      57: 3,
      58: 3,
      59: 5,
      60: 2,
    },
  };

  test("say of each field that was appended, and of no other, what it is in records from before", () => {
    for (const { number, fields } of Object.values(recordKinds))
      Object.entries(fields).forEach(([name, field], at) =>
        expect([number, name, "before" in field]).toEqual([number, name, at >= (first[number] ?? 0)]),
      );
  });

  test("say so of each dimension", () => {
    expect(valuesBefore.map((value) => value !== undefined)).toEqual(
      storedDimensions.map((_, at) => at >= 10),
    );
  });
});
