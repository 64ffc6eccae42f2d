import { heapStats } from "bun:jsc";

/** What the heap of this thread holds that is still in use. */
export function heapBytes(): number {
  Bun.gc(true);
  return heapStats().heapSize;
}
