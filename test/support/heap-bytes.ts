import { heapStats } from "bun:jsc";

/** Bytes of the heap of this thread that are in use. */
export function heapBytes(): number {
  Bun.gc(true);
  return heapStats().heapSize;
}
