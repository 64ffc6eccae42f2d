import { describe, expect, test } from "bun:test";
import { decodeSections, encodeSections, type Section } from "../../src/snapshot/section.ts";
import { changingColumns, loadColumns, saveChanges } from "../../src/store/files/chunk-changes.ts";
import { Chunk } from "../../src/store/columns/chunk.ts";
import { saveChunk } from "../../src/store/files/save-chunk.ts";
import { randomFrom } from "../support/random.ts";
import { noonMs } from "../support/records.ts";
import { seed } from "../support/seed.ts";

const monthMs = Date.UTC(2026, 2);

function stored(sections: readonly Section[]): Map<string, Uint8Array> {
  return decodeSections(encodeSections(sections), "file");
}

function filled(rows: number, properties: number): Chunk {
  const chunk = new Chunk(1, monthMs);
  for (let row = 0; row < rows; row++)
    chunk.addRow(
      noonMs + row,
      { path: row % 7, client: 1, place: 2, source: row === 9 ? 70_000 : 3, entry: 1, origin: 1 },
      row % 2,
    );
  for (let index = 0; index < properties; index++)
    chunk.addProperty(index % rows, 1, index, noonMs + index, index % 3 === 0 ? index / 4 : undefined);
  return chunk;
}

/** Saved to a file, changed, and put together again from the file and what has changed since. */
function reloaded(chunk: Chunk, change: () => void): Chunk {
  const file = stored(saveChunk(chunk));
  change();
  const changes = stored(saveChanges(stored(changingColumns(chunk)), file));
  return Chunk.open(chunk.head, loadColumns(chunk.head, file, changes));
}

describe("a chunk of its file and what has changed since", () => {
  test("is the one that changed, to the byte", () => {
    const random = randomFrom(seed());
    const upTo = (count: number) => Math.floor(random() * count);
    for (let round = 0; round < 200; round++) {
      const rows = 1 + upTo(600);
      const properties = upTo(3) * upTo(100);
      const chunk = filled(rows, properties);
      const change = () => {
        for (let count = upTo(40); count > 0; count--) {
          const row = upTo(rows);
          const kind = upTo(4);
          if (kind === 0) chunk.addDuration(row, upTo(20_000));
          else if (kind === 1) chunk.markEvented(row);
          else if (kind === 2) chunk.addProperty(row, upTo(9), upTo(9), noonMs + upTo(1_000), random());
          else if (chunk.properties > 0) chunk.moveProperty(upTo(chunk.properties));
        }
      };
      const copy = reloaded(chunk, change);
      expect(encodeSections(saveChunk(copy))).toEqual(encodeSections(saveChunk(chunk)));
      // It goes on as the one that stayed in memory.
      for (const each of [chunk, copy]) {
        each.addRow(noonMs + rows, { path: 1, client: 1, place: 1, source: 1, entry: 1, origin: 1 }, 1);
        each.addProperty(rows, 3, 4, noonMs);
      }
      expect(encodeSections(saveChunk(copy))).toEqual(encodeSections(saveChunk(chunk)));
    }
  });

  test("takes eight bytes for a row that has changed", () => {
    const chunk = filled(60_000, 0);
    const file = stored(saveChunk(chunk));
    const bytesOf = () => encodeSections(saveChanges(stored(changingColumns(chunk)), file)).length;
    const before = bytesOf();
    expect(before).toBeLessThan(400);
    for (let row = 0; row < 8_000; row++) chunk.addDuration(row, 5_000 + row);
    expect(bytesOf() - before).toBe(8 * 8_000);
  });

  test("is refused where the file has other rows", () => {
    const file = stored(saveChunk(filled(10, 0)));
    const more = filled(11, 0);
    expect(() => saveChanges(stored(changingColumns(more)), file)).toThrow("as many rows as its file");
    expect(() => loadColumns(more.head, file, undefined)).toThrow("as many rows as its checkpoint says");
  });
});
