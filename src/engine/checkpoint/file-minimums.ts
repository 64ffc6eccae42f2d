/** From how much on something has a file of its own that a start only measures. */
export interface FileMinimums {
  /** Beacons: few enough to be read at a start and written twice, so many that a busy day has a few runs. */
  readonly beaconRunMin: number;
  /** Rows of a chunk that still changes. It is not written again either, where rows are not what changed. */
  readonly openRowsMin: number;
}

export const fileMinimums: FileMinimums = { beaconRunMin: 131_072, openRowsMin: 16_384 };
