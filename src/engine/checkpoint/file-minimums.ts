/** The sizes from which on data has a file of its own that a start does not read. */
import { chunkRowsMax } from "../../store/chunks/chunk-head.ts";

export interface FileMinimums {
  /**
   * Beacons in a run. Fewer are read at a start and written again by each checkpoint; the number gives a busy day a few
   * runs.
   */
  readonly beaconRunMin: number;
  /** Rows of a chunk that still changes. Such a chunk is not written again either, unless rows were added. */
  readonly openRowsMin: number;
  /** Rows of such a chunk whose columns are mapped from its file. Those of a full one are. */
  readonly basedRowsMin: number;
}

export const fileMinimums: FileMinimums = {
  beaconRunMin: 131_072,
  openRowsMin: 16_384,
  basedRowsMin: chunkRowsMax,
};
