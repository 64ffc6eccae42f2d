/** A website as another thread is told of it, step by step, against the website itself. */
import { describe, expect, test } from "bun:test";
import { dayMs } from "../../src/core/hit.ts";
import { QueryCache } from "../../src/query/cache/cache.ts";
import { QueryContext } from "../../src/query/cache/context.ts";
import type { FileEntry } from "../../src/snapshot/manifest.ts";
import { decodeSections, encodeSections } from "../../src/snapshot/section.ts";
import { ChangedRows } from "../../src/store/chunks/changed-rows.ts";
import { Chunk } from "../../src/store/chunks/chunk.ts";
import { monthsFrom, withMonths } from "../../src/store/state/rebuilding/drop.ts";
import type { ReadSite } from "../../src/store/mirror/read-site.ts";
import { saveChunk, viewColumns } from "../../src/store/files/save-chunk.ts";
import type { RowRef } from "../../src/store/state/row-ref.ts";
import { Site, tupleColumns } from "../../src/store/state/site.ts";
import { SitePublisher, transferable, type SiteDelta } from "../../src/store/mirror/site-publisher.ts";
import { SiteMirror } from "../../src/store/mirror/site-mirror.ts";
import { answerList, answerProperties, answerSummary, answerTime } from "../support/answers.ts";
import { randomFrom } from "../support/random.ts";
import { noonMs } from "../support/records.ts";
import { seed } from "../support/seed.ts";
import { addView, everything, filter, listOf, siteOf } from "../support/site.ts";

const noFile = (): FileEntry => {
  throw new Error("no chunk is in a file here");
};

/** The delta as a Worker gets it: what is not shared is another's. */
function sent(delta: SiteDelta): SiteDelta {
  return structuredClone(delta, { transfer: transferable(delta) });
}

/** A website that is told to another thread, which reads files by `columns`. */
function shown(site: Site, files = new Map<string, Chunk>()) {
  const publisher = new SitePublisher(site);
  const reader = ({ name }: FileEntry) => {
    const columns = saveChunk(files.get(name) as Chunk).map(({ name, data }) => [name, data] as const);
    return () => viewColumns(new Map(columns));
  };
  const mirror = new SiteMirror(site.websiteId, reader);
  const fileOf = ({ number }: Chunk) => ({ name: `${number}`, bytes: 0, checksum: 0 });
  const tell = () => {
    const delta = sent(publisher.next(files.size > 0 ? fileOf : noFile));
    mirror.update(delta);
    return delta;
  };
  return { mirror, tell };
}

/** `cache`: of the reader. */
function answers(site: ReadSite, cache = new QueryCache(0)): unknown[] {
  const context = () => new QueryContext(site, cache);
  const filters = [filter("path", "contains", "7"), filter("browser", "neq", "Safari")];
  return [
    answerList(site, listOf("pages"), context()),
    answerList(site, listOf("browsers", { filters }), context()),
    answerList(site, listOf("referrers", { grouped: false }), context()),
    answerTime(site, { ...everything, list: "time", summary: false }, context()),
    answerTime(site, { ...everything, filters, list: "time", summary: false }, context()),
    answerProperties(site, { ...everything, list: "properties" }, context()),
    answerSummary(
      site,
      { ...everything, interval: "day", previous: false, timezone: "Europe/Berlin" },
      noonMs + 3 * dayMs,
      context(),
    ),
  ];
}

/** Rows, durations and properties at random, enough for memory that is shared and for ids of 32 bits. */
function grow(site: Site, refs: RowRef[], random: () => number, rows: number): void {
  for (let count = 0; count < rows; count++) {
    const choice = random();
    const open = refs[Math.floor(random() * refs.length)];
    if (open !== undefined && choice < 0.2) open.chunk.addDuration(open.row, Math.floor(random() * 90_000));
    else if (open !== undefined && choice < 0.25) open.chunk.markEvented(open.row);
    else
      refs.push(
        addView(site, {
          timeMs: noonMs + Math.floor(random() * dayMs),
          path: `/${Math.floor(random() * 20_000)}`,
          browser: random() < 0.5 ? "Firefox" : "Safari",
          referrer: random() < 0.5 ? "" : `${Math.floor(random() * 3_000)}.example`,
          p: random() < 0.3,
          properties: random() < 0.1 ? [["plan", `${Math.floor(random() * 5)}`]] : [],
        }),
      );
  }
}

describe("a website that is told to another thread", () => {
  test("answers like itself after each telling, whatever came in between", () => {
    const random = randomFrom(seed());
    const site = new Site(1);
    const refs: RowRef[] = [];
    const { mirror, tell } = shown(site);
    const cache = new QueryCache(2 ** 22);
    for (let round = 0; round < 12; round++) {
      grow(site, refs, random, Math.floor(random() * 3_000));
      if (random() < 0.2) {
        site.seal(noonMs + 400 * dayMs);
        refs.length = 0;
      }
      tell();
      const expected = answers(site);
      expect(answers(mirror, cache)).toEqual(expected);
      // Later hits change nothing of what was told.
      grow(site, refs, random, 500);
      expect(answers(mirror)).toEqual(expected);
    }
  });

  test("has no file of its own of a chunk whose ids are others now, until one is told", () => {
    const site = siteOf({ path: "/gone", timeMs: noonMs - 60 * dayMs }, { path: "/a" }, { path: "/b" });
    site.seal(noonMs + 60 * dayMs);
    const files = new Map<string, Chunk>();
    const store = (chunk: Chunk, from: Site) => {
      files.set(
        `${chunk.number}`,
        Chunk.sealed(chunk.head, () => from.chunks.get(chunk.number)?.columns as never),
      );
      const sections = new Map(saveChunk(chunk).map(({ name, data }) => [name, data]));
      chunk.store(() => viewColumns(sections));
    };
    for (const chunk of site.chunks.values()) store(chunk, site);
    const kept = withMonths(site, monthsFrom(Date.UTC(2026, 2)));
    const [chunk] = [...kept.chunks.values()] as [Chunk];
    expect(chunk.rewrittenFrom?.chunk).toBe(site.chunks.get(2) as Chunk);
    const { mirror, tell } = shown(kept, files);
    expect(tell().chunks).toMatchObject([{ head: { number: 2 }, rewrites: [{ ids: { columns: {} } }] }]);
    expect(mirror.files.size).toBe(0);
    expect(answers(mirror)).toEqual(answers(siteOf({ path: "/a" }, { path: "/b" })));
    store(chunk, kept);
    expect(chunk.rewrittenFrom).toBeUndefined();
    expect(tell().chunks).toMatchObject([{ head: { number: 2 }, rewrites: undefined }]);
    expect(mirror.files.size).toBe(1);
    expect(answers(mirror)).toEqual(answers(kept));
  });

  test("costs nothing when nothing is new, and little when little is", () => {
    const site = new Site(1);
    grow(site, [], randomFrom(1), 10_000);
    const { tell } = shown(site);
    expect(tell()).toMatchObject({ fresh: true, chunks: [{ version: expect.any(Number) }] });
    expect(tell()).toEqual({
      websiteId: 1,
      fresh: false,
      dictionaries: [],
      tuples: [],
      chunks: [],
      merged: [],
    });
    addView(site, { path: "/one more", timeMs: noonMs });
    const { dictionaries, tuples, chunks } = tell();
    expect(dictionaries).toEqual([{ at: 0, size: expect.any(Number) }]);
    expect(tuples).toEqual([]);
    expect(chunks).toHaveLength(1);
  });

  test("copies only what later hits may change of memory that is shared", () => {
    const site = new Site(1);
    grow(site, [], randomFrom(2), 20_000);
    const [chunk] = new SitePublisher(site).next(noFile).chunks;
    const shared = chunk?.sections?.filter(({ data }) => data.buffer instanceof SharedArrayBuffer);
    expect(shared?.map(({ name }) => name).sort()).toEqual([
      "client",
      "entry",
      "origin",
      "path",
      "place",
      "property.number",
      "source",
      "time",
      "visit",
    ]);
  });

  test("frees what was copied of a chunk when a newer copy comes, and no shared memory", () => {
    const site = siteOf({ path: "/a" }, { path: "/b" });
    const { mirror, tell } = shown(site);
    const told = tell().chunks.flatMap(({ sections = [] }) => sections);
    const copies = told.filter(({ data }) => data.buffer instanceof ArrayBuffer && data.length > 0);
    const lengths = () => copies.map(({ data }) => data.length);
    expect(copies.map(({ name }) => name)).toContain("duration");
    answers(mirror);
    tell();
    expect(lengths().every((length) => length > 0)).toBe(true);
    addView(site, { path: "/c" });
    tell();
    expect(lengths().every((length) => length === 0)).toBe(true);
    expect(told.length).toBeGreaterThan(copies.length);
    expect(answers(mirror)).toEqual(answers(site));
  });

  test("copies only the rows that have changed of a chunk that is mapped from a file", () => {
    const site = new Site(1);
    grow(site, [], randomFrom(4), 2_000);
    const chunk = site.chunks.get(1) as Chunk;
    const file = { name: "file", bytes: 0, checksum: 0 };
    const bytes = encodeSections(saveChunk(chunk));
    const written = () => decodeSections(bytes.slice(), "file");
    const { ids, ...plain } = viewColumns(written());
    chunk.changed = new ChangedRows(file.name, chunk.rows, chunk.properties);
    chunk.base(
      { ...plain, ids: { ...ids } },
      { file, buffer: plain.time.buffer, isDamaged: false, rewrites: [] },
    );
    const publisher = new SitePublisher(site);
    const mirror = new SiteMirror(1, (_, columns) => () => columns(written()));
    const copied = () => {
      const delta = publisher.next(noFile);
      const bytes = transferable(delta).reduce((sum, { byteLength }) => sum + byteLength, 0);
      mirror.update(sent(delta));
      expect(answers(mirror)).toEqual(answers(site));
      return { bytes, chunk: delta.chunks[0] };
    };
    const first = copied();
    expect(first.chunk).toMatchObject({ sealed: false, file, sections: [{ name: "chunk" }] });
    chunk.addDuration(7, 600_000);
    chunk.markEvented(8);
    chunk.moveProperty(0);
    const { bytes: before } = copied();
    chunk.addDuration(9, 600_000);
    expect(copied().bytes - before).toBe(2 + 4 + 1 + 1);
    // All properties are in other memory now than the file's, and their rows may change.
    chunk.addProperty(7, 1, 1, noonMs);
    const { sections } = copied().chunk!;
    expect(sections?.map(({ name }) => name).sort()).toEqual([
      "chunk",
      "property.name",
      "property.number",
      "property.row",
      "property.time",
      "property.value",
    ]);
  });

  test("keeps the object of a chunk that went into its file, and what is cached of it", () => {
    const site = siteOf({ path: "/a" }, { path: "/b" });
    const files = new Map<string, Chunk>();
    const { mirror, tell } = shown(site, files);
    tell();
    const chunk = mirror.chunks.get(1) as Chunk;
    site.seal(noonMs + 400 * dayMs);
    const own = site.chunks.get(1) as Chunk;
    const before = answers(mirror);
    files.set(
      "1",
      own.withColumns(viewColumns(new Map(saveChunk(own).map(({ name, data }) => [name, data]))), own.head),
    );
    own.store(() => viewColumns(new Map(saveChunk(files.get("1") as Chunk).map((s) => [s.name, s.data]))));
    tell();
    expect(mirror.chunks.get(1)).toBe(chunk);
    expect([chunk.sealed, chunk.resident]).toEqual([true, false]);
    expect(answers(mirror)).toEqual(before);
  });

  test("has the sizes of its dictionaries and tuples", () => {
    const site = new Site(1);
    grow(site, [], randomFrom(3), 9_000);
    const { mirror, tell } = shown(site);
    tell();
    expect(mirror.dictionaries.map(({ size }) => size)).toEqual(site.dictionaries.map(({ size }) => size));
    for (const column of tupleColumns) expect(mirror.tuples[column].size).toBe(site.tuples[column].size);
    expect(() => mirror.dictionaries[0]?.value(0)).toThrow("no value 0");
  });
});
