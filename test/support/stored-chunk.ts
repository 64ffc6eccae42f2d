/** Chunks whose columns are in the place where a checkpoint leaves them. */
import { decodeSections, encodeSections } from "../../src/snapshot/section.ts";
import type { Chunk } from "../../src/store/chunks/chunk.ts";
import { joinedChunk } from "../../src/store/files/join-chunks.ts";
import { saveChunk, viewColumns } from "../../src/store/files/save-chunk.ts";
import type { Site } from "../../src/store/state/site.ts";

/** As a file of a sealed chunk has it. */
export function storeChunk(chunk: Chunk): void {
  const { head, rows, properties } = chunk;
  const sections = joinedChunk({ head, parts: [{ rows, properties, sections: saveChunk(chunk) }] }, () => {
    throw new Error("the chunk is in memory");
  });
  const columns = viewColumns(decodeSections(encodeSections(sections), "chunk"));
  chunk.store(() => columns);
}

/** Seals the chunks that no hit of that time or later reaches, and takes them out of memory. */
export function sealAndStore(site: Site, timeMs: number): void {
  site.seal(timeMs);
  for (const chunk of site.chunks.values()) if (chunk.sealed && chunk.resident) storeChunk(chunk);
}
