import { beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { callables, type Control } from "../../../src/cli/control/control.ts";
import { filesInOrder } from "../../../src/cli/import/files.ts";
import { combinedLog } from "../../../src/cli/import/formats/logs/text-line.ts";
import { Import } from "../../../src/cli/import/import.ts";
import type { ImportOptions } from "../../../src/cli/import/options.ts";
import { noneLeftOut, type ImportReport } from "../../../src/cli/import/report/report.ts";
import { Collector } from "../../../src/collect/fact.ts";
import { dimensionIndex } from "../../../src/core/questions/stored-dimension.ts";
import { addWebsite } from "../../../src/engine/admin/websites.ts";
import type { PastLoad, RecordOf } from "../../../src/record/record.ts";
import { InstantEngine } from "../../support/instant-engine.ts";
import { apacheTime } from "../../support/made-up-people.ts";
import { refusalOf } from "../../support/refusals.ts";
import { rounds } from "../../support/rounds.ts";
import { seed } from "../../support/seed.ts";

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:30.0) Gecko/20100101 Firefox/30.0";
const googlebot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

interface LineParts {
  address?: string;
  time?: string;
  request?: string;
  status?: number;
  referrer?: string;
  userAgent?: string;
}

function line(parts: LineParts = {}): string {
  const { address = "203.0.113.7", time = "17/May/2015:10:05:03 +0000", request = "GET / HTTP/1.1" } = parts;
  const { status = 200, referrer = "-", userAgent = firefox } = parts;
  return `${address} - - [${time}] "${request}" ${status} 1 "${referrer}" "${userAgent}"\n`;
}
const page = (path: string, parts: LineParts = {}) => line({ ...parts, request: `GET ${path} HTTP/1.1` });

/** A server with one website, and imports into it. */
class World {
  readonly engine = new InstantEngine();
  readonly control = callables(this.engine) as unknown as Control;

  /** `visits`: whether the website has visits. */
  async begin(visits = false): Promise<void> {
    const { engine } = this;
    const account = { userId: 1, username: "ada", passwordHash: "-", firstOnly: true };
    await engine.commit({ kind: "userAdded", timeMs: engine.nowMs(), ...account });
    await addWebsite(engine, { userId: 1, sessionId: "" }, { hostname: "example.com", visits });
  }

  import(
    text: string,
    hostname = "example.com",
    chunkBytes = 4_096,
    more: Partial<ImportOptions> = {},
  ): Promise<ImportReport> {
    const options = { control: this.control, collector: new Collector(), hostname, format: combinedLog };
    const log = new Import({ ...options, nowMs: () => Date.UTC(2020, 0, 1), ...more });
    return log.run(inChunks(Buffer.from(text), chunkBytes), () => {});
  }

  get records(): RecordOf<"import">[] {
    return this.engine.committed.filter((record) => record.kind === "import");
  }

  get loads(): PastLoad[] {
    return this.records.flatMap(({ loads }) => loads);
  }
}

/** Returns a new world, and a control with which one batch, counted from 1, finds its disk full; 0 for none. */
async function worldFullAt(batch: number): Promise<{ own: World; control: Control }> {
  const own = new World();
  await own.begin(true);
  let calls = 0;
  const importBatch: Control["importBatch"] = async (input) => {
    own.engine.diskFull = ++calls === batch;
    return own.control.importBatch(input);
  };
  return { own, control: { ...own.control, importBatch } };
}

async function* inChunks(bytes: Buffer, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

const pathOf = ({ values }: PastLoad) => values[dimensionIndex.path] as string;

let world: World;
beforeEach(async () => {
  world = new World();
  await world.begin();
});

describe("what is taken", () => {
  test("page views with their time, values and visitors", async () => {
    const text =
      page("/a/?utm_source=news", { referrer: "http://www.google.com/search?q=x" }) +
      page("/b", { time: "17/May/2015:12:06:00 +0200", referrer: "http://example.com/a" }) +
      page("/a", { time: "17/May/2015:10:07:00 +0000" }) +
      page("/a", { address: "2001:db8::7" });
    const report = await world.import(text);
    expect(report.taken).toBe(4);
    const { path, referrer, utm_source, browser, country, language } = dimensionIndex;
    const shown = world.loads.map(({ timeMs, unique, seen, values }) => ({
      time: new Date(timeMs).toISOString().slice(11, 19),
      unique,
      seen,
      values: [path, referrer, utm_source, browser, country, language].map((index) => values[index]),
    }));
    expect(shown).toEqual([
      {
        time: "10:05:03",
        unique: true,
        seen: false,
        values: ["/a", "google.com/search", "news", "Firefox", "", ""],
      },
      { time: "10:06:00", unique: false, seen: false, values: ["/b", "", "", "Firefox", "", ""] },
      { time: "10:07:00", unique: false, seen: true, values: ["/a", "", "", "Firefox", "", ""] },
      { time: "10:05:03", unique: true, seen: false, values: ["/a", "", "", "Firefox", "", ""] },
    ]);
  });

  test("lines that are written while the file is read, also by a clock that is somewhat ahead", async () => {
    let nowMs = Date.UTC(2015, 4, 17, 10, 5, 3);
    const at = (path: string, aheadMs: number) =>
      Buffer.from(page(path, { time: apacheTime(nowMs + aheadMs, 0) }));
    async function* growing() {
      yield at("/first", 0);
      nowMs += 600_000;
      yield at("/meanwhile", 0);
      yield at("/ahead", 120_000);
      yield at("/future", 3_600_000);
    }
    const log = new Import({
      control: world.control,
      collector: new Collector(),
      hostname: "example.com",
      format: combinedLog,
      nowMs: () => nowMs,
    });
    const { taken, leftOut } = await log.run(growing(), () => {});
    expect([taken, leftOut.future]).toEqual([3, 1]);
    expect(world.loads.map(pathOf)).toEqual(["/first", "/meanwhile", "/ahead"]);
  });

  test("each line is taken or left out for one reason", async () => {
    const text = [
      page("/"),
      "nonsense\n",
      `${"x".repeat(70_000)}\n`,
      line({ request: "POST / HTTP/1.1" }),
      line({ status: 404 }),
      page("/a.css"),
      line({ time: "17/May/2045:10:05:03 +0000" }),
      page("http://other.example/"),
      page("http://www.example.com/mine"),
      line({ userAgent: googlebot }),
      line({ userAgent: "-" }),
      line({ referrer: "http://semalt.com/" }),
      page(`/${"x".repeat(3_000)}`),
      page("/unfinished").trimEnd(),
    ].join("");
    expect(await world.import(text)).toEqual({
      unit: "line",
      lines: 14,
      taken: 2,
      events: 0,
      unreadableAt: 2,
      disordered: 0,
      leftOut: {
        ...noneLeftOut,
        unreadable: 3,
        method: 1,
        status: 1,
        asset: 1,
        future: 1,
        host: 1,
        crawler: 2,
        referrer_spam: 1,
        unfinished: 1,
      },
    });
    expect(world.loads.map(pathOf)).toEqual(["/", "/mine"]);
  });

  test("nothing is taken that is older than the retention keeps", async () => {
    world.engine.keptFrom = Date.UTC(2015, 4, 1);
    const text =
      page("/april", { time: "30/Apr/2015:23:59:59 +0000" }) +
      page("/april-too", { time: "01/May/2015:01:00:00 +0200" }) +
      page("/april.css", { time: "30/Apr/2015:23:59:59 +0000" }) +
      page("/may", { time: "01/May/2015:00:00:00 +0000" });
    const report = await world.import(text);
    expect({ taken: report.taken, expired: report.leftOut.expired }).toEqual({ taken: 1, expired: 2 });
    expect(world.loads.map(pathOf)).toEqual(["/may"]);
  });

  test("no address and no raw user agent is sent", async () => {
    await world.import(page("/", { address: "198.51.100.23", userAgent: `${firefox} Secret/1` }));
    expect(world.loads).toHaveLength(1);
    expect(JSON.stringify(world.engine.committed)).not.toMatch(/198\.51\.100\.23|Secret|Gecko/);
  });

  test("goes in batches whose positions follow each other", async () => {
    const text = Array.from({ length: 2_500 }, (_, at) => page(`/${at}`)).join("");
    await world.import(text);
    expect(world.records.map(({ loads }) => loads.length)).toEqual([1_000, 1_000, 500]);
    expect(world.records.map(({ fromPosition }) => fromPosition)).toEqual([
      0,
      ...world.records.slice(0, -1).map(({ position }) => position),
    ]);
    expect(world.records.at(-1)?.position).toBe(text.length);
  });

  test("much text with few page views goes in batches too", async () => {
    const asset = page(`/${"a".repeat(60_000)}.css`);
    await world.import(page("/1") + asset.repeat(20) + page("/2") + asset.repeat(20));
    expect(world.records.map(({ loads }) => loads.map(pathOf))).toEqual([["/1"], ["/2"]]);
  });

  test("a log without page views leaves nothing behind", async () => {
    expect((await world.import("this is\nno access log\n")).leftOut.unreadable).toBe(2);
    expect((await world.import("")).lines).toBe(0);
    expect(world.records).toEqual([]);
  });
});

describe("a log that comes again", () => {
  const first = page("/a") + page("/b") + page("/c");
  const more = page("/a") + page("/d") + page("/e", { address: "203.0.113.8" });

  test("adds nothing when it is the same", async () => {
    await world.import(first);
    const before = world.loads;
    const report = await world.import(first);
    expect({ taken: report.taken, imported: report.leftOut.imported }).toEqual({ taken: 0, imported: 3 });
    expect(world.loads).toEqual(before);
  });

  test("adds its new lines when it has grown, and knows the visitors of the old ones", async () => {
    await world.import(first);
    const report = await world.import(first + more);
    expect({ taken: report.taken, imported: report.leftOut.imported }).toEqual({ taken: 3, imported: 3 });
    const [a, d, e] = world.loads.slice(3);
    expect([a, d, e].map((load) => load && [pathOf(load), load.unique, load.seen])).toEqual([
      ["/a", false, true],
      ["/d", false, false],
      ["/e", true, false],
    ]);
  });

  test("packed or in other chunks it is the same: the text counts", async () => {
    await world.import(first, "example.com", 1);
    expect((await world.import(first, "www.example.com", 100_000)).taken).toBe(0);
  });

  test("a last line that was not complete is taken once it is", async () => {
    for (const length of [first.length - 40, first.length - 1, first.length])
      await world.import(first.slice(0, length));
    expect(world.loads.map(pathOf)).toEqual(["/a", "/b", "/c"]);
  });

  test.each([
    ["another line", page("/a") + page("/X") + page("/c")],
    ["a line more in the middle", page("/a") + page("/x") + page("/b") + page("/c")],
    ["a longer line", page("/a") + page("/bbbb") + page("/c") + more],
    ["its end missing", page("/a") + page("/b")],
  ])("is refused with %s, and nothing is imported", async (_, changed) => {
    await world.import(first);
    const { code, message } = await refusalOf(() => world.import(changed));
    expect(code).toBe(409);
    expect(message).toContain(`imported before (${first.length} bytes)`);
    expect(message).toContain("nothing was imported");
    expect(world.loads).toHaveLength(3);
  });

  test("several logs are read in the order of their first times", async () => {
    const folder = mkdtempSync(join(tmpdir(), "footfall-logs-"));
    const write = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const may = write("a.log", `no time\n${page("/may", { time: "17/May/2015:10:00:00 +0000" })}`);
    const april = write(
      "b.log",
      Bun.gzipSync(page("/april", { time: "17/Apr/2015:10:00:00 +0000" })) as never,
    );
    const none = write("c.log", "");
    const input = new Blob().stream();
    const order = async (paths: readonly string[]) =>
      (await filesInOrder(paths, input, new Collector())).map(({ path }) => path);
    expect(await order([may, april])).toEqual([april, may]);
    expect((await refusalOf(() => order([none]))).message).toContain("is empty");
    expect((await refusalOf(() => order([may, "-"]))).message).toContain("standard input alone");
    rmSync(folder, { recursive: true });
  });

  test("another log with another first line is another log", async () => {
    await world.import(first);
    expect((await world.import(page("/z") + first)).taken).toBe(4);
  });

  test("in whatever pieces it grew, the page views are those of one import", async () => {
    const parts = fc.record({
      address: fc.constantFrom("203.0.113.7", "203.0.113.8"),
      path: fc.constantFrom("/", "/a", "/a.css", "/b"),
      day: fc.integer({ min: 16, max: 18 }),
      status: fc.constantFrom(200, 200, 404),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(parts, { maxLength: 30, size: "max" }),
        fc.array(fc.nat(4_000)),
        async (lines, cuts) => {
          const text = lines
            .map(({ address, path, day, status }) =>
              page(path, { address, status, time: `${day}/May/2015:10:00:00 +0000` }),
            )
            .join("");
          const once = new World();
          const pieces = new World();
          await Promise.all([once.begin(), pieces.begin()]);
          await once.import(text);
          for (const cut of [...cuts.sort((a, b) => a - b), text.length]) {
            // The shortest pieces may not reach what was imported before.
            if (cut >= (pieces.records.at(-1)?.position ?? 0)) await pieces.import(text.slice(0, cut));
          }
          expect(pieces.loads).toEqual(once.loads);
        },
      ),
      { seed: seed(), numRuns: rounds(50) },
    );
  });
});

describe("an import that fails", () => {
  const text = Array.from({ length: 3_500 }, (_, at) => page(`/${at % 700}`)).join("");

  test.each([1, 2, 3, 4])("before its batch %d goes on from there the next time", async (batch) => {
    const { engine, control } = world;
    let calls = 0;
    const broken: Control["importBatch"] = async (input) => {
      if (++calls === batch) engine.diskFull = true;
      return control.importBatch(input);
    };
    const options = {
      control: { ...control, importBatch: broken },
      collector: new Collector(),
      hostname: "example.com",
    };
    const run = () =>
      new Import({ ...options, format: combinedLog, nowMs: () => Infinity }).run(
        inChunks(Buffer.from(text), 4_096),
        () => {},
      );
    expect((await refusalOf(run)).code).toBe(500);
    expect(world.loads).toHaveLength((batch - 1) * 1_000);
    engine.diskFull = false;
    expect((await world.import(text)).taken).toBe(3_500 - (batch - 1) * 1_000);
    const whole = new World();
    await whole.begin();
    await whole.import(text);
    expect(world.loads).toEqual(whole.loads);
  });

  test.each([1, 2, 3])("before its batch %d keeps visits whole, and repeats none", async (batch) => {
    const atMinute = (minutes: number) =>
      new Date(Date.UTC(2015, 4, 17) + minutes * 60_000).toISOString().slice(11, 19);
    const visitsText = Array.from({ length: 4_000 }, (_, at) =>
      page(`/${at}`, {
        address: `203.0.113.${(Math.floor(at / 17) + (at % 3) * 31) % 97}`,
        time: `17/May/2015:${atMinute(Math.floor(at / 3))} +0000`,
        referrer: at % 40 === 0 ? "-" : "http://example.com/",
      }),
    ).join("");
    const imported = async (failsAt: number) => {
      const { own, control } = await worldFullAt(failsAt);
      const options = { control, collector: new Collector(), hostname: "example.com", nowMs: () => Infinity };
      const run = () =>
        new Import({ ...options, format: combinedLog }).run(
          inChunks(Buffer.from(visitsText), 4_096),
          () => {},
        );
      if (failsAt > 0) expect((await refusalOf(run)).code).toBe(500);
      const report = await run();
      const { imported: before } = report.leftOut;
      expect(before + report.taken).toBe(4_000);
      expect((await run()).leftOut.imported).toBe(4_000);
      return own;
    };
    const [whole, interrupted] = [await imported(0), await imported(batch)];
    expect(interrupted.records.map(({ isPartial }) => isPartial)).toContain(true);
    expect(interrupted.records.at(-1)?.isPartial).toBe(false);
    expect(whole.loads).toHaveLength(4_000);
    expect(interrupted.loads).toEqual(whole.loads);
    const records = interrupted.records.map(({ loads }) => new Set(loads.map(({ visit }) => visit)));
    const visits = new Set(interrupted.loads.map(({ visit }) => visit));
    expect(records.reduce((sum, { size }) => sum + size, 0)).toBe(visits.size);
    expect(visits.size).toBeGreaterThan(100);
  });

  test.each([16, 17, 18])(
    "has nothing more for an end on %d May before it, and keeps its place",
    async (day) => {
      const dayMs = 86_400_000;
      const firstMs = Date.UTC(2015, 4, 17);
      const hoursText = Array.from({ length: 4_000 }, (_, at) =>
        page(`/${at}`, { address: `203.0.113.${at % 97}`, time: apacheTime(firstMs + at * 60_000) }),
      ).join("");
      const imported = async (failsAt: number) => {
        const { own, control } = await worldFullAt(failsAt);
        const run = (untilDay?: number) =>
          own.import(hoursText, "example.com", 4_096, { control, ...(untilDay && { untilDay }) });
        if (failsAt === 0) return { ...(await run()), loads: own.loads };
        expect((await refusalOf(run)).code).toBe(500);
        expect(own.records.at(-1)?.isPartial).toBe(true);
        const before = own.loads;
        const ended = await run((firstMs + (day - 17) * dayMs) / dayMs);
        expect([ended.taken, own.loads]).toEqual([0, before]);
        return { ...(await run()), loads: own.loads };
      };
      const [whole, interrupted] = [await imported(0), await imported(3)];
      expect([whole.taken, interrupted.taken + interrupted.leftOut.imported]).toEqual([4_000, 4_000]);
      expect(interrupted.loads).toEqual(whole.loads);
    },
  );

  test("goes on from there where it was imported anew", async () => {
    await world.import(text);
    const isAnew = () => true;
    let calls = 0;
    const importBatch: Control["importBatch"] = async (input) => {
      world.engine.diskFull = ++calls === 3;
      return world.control.importBatch(input);
    };
    const control = { ...world.control, importBatch };
    expect((await refusalOf(() => world.import(text, "example.com", 4_096, { control, isAnew }))).code).toBe(
      500,
    );
    world.engine.diskFull = false;
    const { taken, leftOut } = await world.import(text);
    expect([taken, leftOut.imported]).toEqual([2_500, 1_000]);
    expect(world.loads.slice(3_500)).toEqual(world.loads.slice(0, 3_500));
  });

  test("because the website is not there says what to do", async () => {
    const { code, message } = await refusalOf(() => world.import(text, "other.example"));
    expect(code).toBe(404);
    expect(message).toContain("footfall website add");
    expect((await refusalOf(() => world.import(text, "no hostname"))).code).toBe(404);
  });

  test("because another import of the same log is faster adds nothing twice", async () => {
    const results = await Promise.allSettled([world.import(text), world.import(text)]);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const failed = results.find((result) => result.status === "rejected");
    expect(String(failed?.reason)).toContain("another import of the same file is under way");
    const taken = results.map((result) => (result.status === "fulfilled" ? result.value.taken : 0));
    expect(Math.max(...taken)).toBe(3_500);
    const [imported] = [...(world.engine.registry.websites.get(1)?.imports.values() ?? [])];
    expect(imported?.position).toBe(text.length);
  });
});
