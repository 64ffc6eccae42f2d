import { describe, expect, test } from "bun:test";
import { Day } from "../src/cli/import/sums/days.ts";
import { Visits } from "../src/collect/visits/visits.ts";
import { RefusedBeacons } from "../src/engine/admission/refused-beacons.ts";
import { dimensionIndex } from "../src/core/questions/stored-dimension.ts";
import { noSums } from "../src/facts/months/month-sums.ts";
import { SummedNames } from "../src/facts/months/summed-names.ts";
import { SharedTexts } from "../src/lib/collections/shared-texts.ts";
import { answerRecent } from "../src/query/answers/recent/recent.ts";
import { Groups } from "../src/query/names/labels.ts";
import { SegmentStrings } from "../src/record/field.ts";
import { EarlyHits } from "../src/store/state/early.ts";
import { Dictionary } from "../src/store/values/dictionary.ts";
import { seededRandom } from "./support/clock.ts";
import { collidingText, otherText } from "./support/colliding-texts.ts";
import { cpuMs } from "./support/cpu-time.ts";
import { hitTo } from "./support/hits.ts";
import { MemoryDisk } from "./support/memory-disk.ts";
import { openInMemory } from "./support/memory-engine.ts";
import { noonMs, valuesOf } from "./support/records.ts";
import { siteOf } from "./support/site.ts";
import { addWebsites } from "./support/websites.ts";

const textsCount = 6_000;

/** By what keeps texts of strangers: a function that makes one, and returns another that adds a text to it. */
const keepers: Readonly<Record<string, () => (text: string) => void>> = {
  "beacons that were refused": () => {
    const beacons = new RefusedBeacons();
    return (text) => beacons.add(text, { websiteId: 1, reason: "crawler", lastMs: 0 });
  },
  "hits that came before their load": () => {
    const early = new EarlyHits();
    return (text) => early.add(text, { kind: "unload", timeMs: 0, websiteId: 1, visibleMs: 1 });
  },
  "strings of a segment": () => {
    const strings = new SegmentStrings();
    return (text) => strings.idOf(text);
  },
  "values of visits": () => {
    const texts = new SharedTexts();
    return (text) => texts.hold(text);
  },
  "labels of a list": () => {
    const dictionary = new Dictionary();
    const groups = new Groups((value) => value.slice(0));
    return (text) => {
      dictionary.intern(text);
      groups.extend(dictionary);
    };
  },
  "pages of an imported day": () => {
    const day = new Day(1, () => {});
    return (text) => day.addValue("path", text, noSums);
  },
  "events of an imported day": () => {
    const day = new Day(1, () => {});
    return (text) => day.addEvents(text, 1);
  },
};

/** Returns how long it takes to keep texts, the shorter one of two times. */
function keptMs(keeper: () => (text: string) => void, texts: readonly string[]): number {
  const times = [0, 1].map(() => {
    const keep = keeper();
    const before = cpuMs();
    for (const text of texts) keep(text);
    return cpuMs() - before;
  });
  return Math.min(...times);
}

const numbers = Array.from({ length: textsCount }, (_, number) => number);
const texts = (textOf: (number: number, before?: number) => string, before = 0) =>
  numbers.map((number) => textOf(number, before));
const mapOfRuntime = () => {
  const map = new Map<string, number>();
  return (text: string) => void map.set(text, 1);
};

describe("texts that the runtime's map gives one hash", () => {
  test("cost it far more than others", () => {
    const others = keptMs(mapOfRuntime, texts(otherText));
    expect(keptMs(mapOfRuntime, texts(collidingText))).toBeGreaterThan(10 * others);
  });

  test.each(Object.entries(keepers))("cost no more than others: %s", (_, keeper) => {
    const others = keptMs(keeper, texts(otherText));
    expect(keptMs(keeper, texts(collidingText))).toBeLessThan(5 * others + 20);
  });

  test("cost no more than others: names of an imported month", () => {
    const namesMs = (textOf: (number: number) => string) => {
      const day = new Day(1, () => {});
      for (const text of texts(textOf)) day.addValue("path", text, noSums);
      const { sums } = day;
      return keptMs(() => () => new SummedNames([sums]).entriesOf(dimensionIndex.path, sums), ["once"]);
    };
    expect(namesMs(collidingText)).toBeLessThan(5 * namesMs(otherText) + 20);
  });

  test("cost no more than others: sources of the last minutes", () => {
    const answerMs = (textOf: (number: number) => string) => {
      const site = siteOf(...texts(textOf).map((utm_source) => ({ timeMs: noonMs, path: "/", utm_source })));
      return keptMs(() => () => answerRecent(site, [], noonMs), ["once"]);
    };
    expect(answerMs(collidingText)).toBeLessThan(5 * answerMs(otherText) + 20);
  });

  test("cost no more than others: beacons of events that wait for their load", () => {
    const keeper = () => {
      let last = 0;
      const visits = new Visits({ random: seededRandom(1), nextNumber: () => ++last });
      const arrival = { unique: false, isUniqueKnown: true, isInternal: true, isIgnored: false, utm: "" };
      const sender = { address: "192.0.2.7" };
      const headers = { userAgent: "Firefox", acceptLanguage: "de" };
      const event = {
        websiteId: 1,
        sender,
        headers,
        kind: "event",
        visit: 0,
        timeMs: 0,
        ...arrival,
      } as const;
      return (beacon: string) => visits.visitOf({ ...event, beacon, values: valuesOf("/") });
    };
    const prefix = "1 ".length;
    const others = keptMs(keeper, texts(otherText, prefix));
    expect(keptMs(keeper, texts(collidingText, prefix))).toBeLessThan(5 * others + 20);
  });

  test("cost hardly more than others: beacons of loads that are being logged", async () => {
    const loadsMs = async (textOf: (number: number) => string) => {
      const engine = await openInMemory(new MemoryDisk());
      await addWebsites(engine, "example.com");
      const before = cpuMs();
      const answers = Array.from({ length: 10_000 }, (_, at) =>
        hitTo(engine, { b: textOf(at), u: "https://example.com/", p: true }, { network: `192.0.${at % 4}` }),
      );
      expect((await Promise.all(answers)).every(({ accepted }) => accepted)).toBeTrue();
      const tookMs = cpuMs() - before;
      await engine.stop();
      return tookMs;
    };
    const bestMs = async (textOf: (number: number) => string) =>
      Math.min(await loadsMs(textOf), await loadsMs(textOf));
    const others = await bestMs(otherText);
    expect(await bestMs(collidingText)).toBeLessThan(3 * others + 20);
  });
});
