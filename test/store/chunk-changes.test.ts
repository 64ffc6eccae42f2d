import { describe, expect, test } from "bun:test";
import { encodeSections } from "../../src/snapshot/section.ts";
import { loadChanged, saveChanges, withChanges } from "../../src/store/files/chunk-changes.ts";
import { ChangedRows } from "../../src/store/chunks/changed-rows.ts";
import { Chunk } from "../../src/store/chunks/chunk.ts";
import { saveChunk, viewColumns, withRoom } from "../../src/store/files/save-chunk.ts";
import { noonMs } from "../support/records.ts";
import { randomBySeed } from "../support/seed.ts";
import { stored } from "../support/stored-chunk.ts";

const monthMs = Date.UTC(2026, 2);
const rowIds = { path: 1, client: 1, place: 1, source: 1, entry: 1, origin: 1 };

function filled(rows: number, properties: number): Chunk {
  const chunk = new Chunk(1, monthMs);
  for (let row = 0; row < rows; row++)
    chunk.addRow(
      noonMs + row,
      { ...rowIds, path: row % 7, place: 2, source: row === 9 ? 70_000 : 3 },
      row % 2,
      row,
    );
  for (let index = 0; index < properties; index++)
    chunk.addProperty(index % rows, 1, index, noonMs + index, index % 3 === 0 ? index / 4 : undefined);
  return chunk;
}

/** Returns the chunk's file, which it knows of from now on. */
function written(chunk: Chunk): Map<string, Uint8Array> {
  chunk.changed = new ChangedRows("file", chunk.rows, chunk.properties);
  return stored(saveChunk(chunk));
}

/** Returns what has changed since the file, as a file. */
function changesOf(chunk: Chunk): Map<string, Uint8Array> {
  return stored(saveChanges(chunk, chunk.changed!));
}

/** Put together from a file, which is left as it is, and what has changed since. */
function reloaded(chunk: Chunk, file: ReadonlyMap<string, Uint8Array>): Chunk {
  const own = viewColumns(new Map([...file].map(([name, data]) => [name, data.slice()])));
  const changes = changesOf(chunk);
  const copy = Chunk.open(chunk.head, withRoom(withChanges(own, changes)));
  copy.changed = loadChanged("file", viewColumns(file), changes);
  return copy;
}

const bytesOf = (chunk: Chunk) => encodeSections(saveChunk(chunk));

describe("a chunk of its file and what has changed since", () => {
  test("is the one that changed, to the byte, over one start after another", () => {
    const random = randomBySeed();
    const upTo = (count: number) => Math.floor(random() * count);
    for (let round = 0; round < 200; round++) {
      const rows = 1 + upTo(600);
      let chunk = filled(rows, upTo(3) * upTo(100));
      const file = written(chunk);
      for (let starts = 0; starts < 3; starts++) {
        for (let count = upTo(40); count > 0; count--) {
          const row = upTo(rows);
          const kind = upTo(5);
          if (kind === 0) chunk.addDuration(row, upTo(20_000));
          else if (kind === 1) chunk.markEvented(row);
          else if (kind === 2) chunk.addProperty(row, upTo(9), upTo(9), noonMs + upTo(1_000), random());
          else if (kind === 3) chunk.markVisit(row, upTo(8), upTo(8));
          else if (chunk.properties > 0) chunk.moveProperty(upTo(chunk.properties));
        }
        const copy = reloaded(chunk, file);
        expect(bytesOf(copy)).toEqual(bytesOf(chunk));
        expect(encodeSections(saveChanges(copy, copy.changed!))).toEqual(
          encodeSections(saveChanges(chunk, chunk.changed!)),
        );
        chunk = copy;
      }
      // It goes on as the one that stayed in memory, and the file has not all of its rows any more.
      const copy = reloaded(chunk, file);
      for (const each of [chunk, copy]) {
        each.addRow(noonMs + rows, rowIds, 1);
        each.addProperty(rows, 3, 4, noonMs);
        expect(each.changed).toBeUndefined();
      }
      expect(bytesOf(copy)).toEqual(bytesOf(chunk));
    }
  });

  test("takes eight bytes for a row that has changed, however often it does", () => {
    const chunk = filled(60_000, 0);
    written(chunk);
    const length = () => encodeSections(saveChanges(chunk, chunk.changed!)).length;
    const before = length();
    expect(before).toBeLessThan(400);
    for (let times = 0; times < 2; times++)
      for (let row = 0; row < 8_000; row++) chunk.addDuration(row, 5_000 + row + times);
    expect(length() - before).toBe(8 * 8_000);
  });

  test("has the rows that a checkpoint from before knew of, and flags of visits that it did not know", () => {
    const chunk = filled(20, 0);
    const file = written(chunk);
    chunk.addDuration(19, 7);
    chunk.addDuration(0, 9);
    const changes = changesOf(chunk);
    changes.delete("visit.flags");
    const { rows, moved } = loadChanged("file", viewColumns(file), changes);
    expect([...rows]).toEqual([0, 19]);
    expect(moved).toEqual([]);
    const { duration, visitFlags } = withChanges(viewColumns(file), changes);
    expect([duration[19], duration[0], visitFlags[19]]).toEqual([7, 9, 0]);
  });
});

test("rows that have changed are known, rising and once each", () => {
  const random = randomBySeed();
  for (const size of [1, 7, 8, 9, 600, 65_536]) {
    const changed = new ChangedRows("file", size, 0);
    expect([...changed.rows]).toEqual([]);
    const expected = new Set([0, size - 1]);
    for (let count = 0; count < 300; count++) expected.add(Math.floor(random() * size));
    for (const row of [...expected].reverse()) changed.add(row);
    for (const row of expected) changed.add(row);
    expect([...changed.rows]).toEqual([...expected].sort((a, b) => a - b));
  }
});
