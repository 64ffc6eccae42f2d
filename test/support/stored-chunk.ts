/** Sections as they come back from a file, and chunks whose columns are in the place where a checkpoint leaves them. */
import { decodeSections, encodeSections, type Section } from "../../src/snapshot/section.ts";
import type { Chunk } from "../../src/store/chunks/chunk.ts";
import { joinedChunk } from "../../src/store/files/join-chunks.ts";
import { saveChunk, viewColumns } from "../../src/store/files/save-chunk.ts";
import type { Site } from "../../src/store/state/site.ts";

/** Reads sections back from the bytes of a file. */
export function stored(sections: readonly Section[]): Map<string, Uint8Array> {
  return decodeSections(encodeSections(sections), "file");
}

/** As a file of a sealed chunk has it. */
function storeChunk(chunk: Chunk): void {
  const { head, rows, properties } = chunk;
  const sections = joinedChunk({ head, parts: [{ rows, properties, sections: saveChunk(chunk) }] }, () => {
    throw new Error("the chunk is in memory");
  });
  const columns = viewColumns(stored(sections));
  chunk.store(() => columns);
}

/** Seals the chunks that no hit of that time or later reaches, and takes them out of memory. */
export function sealAndStore(site: Site, timeMs: number): void {
  site.seal(timeMs);
  for (const chunk of site.chunks.values()) if (chunk.sealed && chunk.resident) storeChunk(chunk);
}
