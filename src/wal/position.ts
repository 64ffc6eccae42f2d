/** The durable end of the segments of a log; the next segment states it in its header. */

export interface LogPosition {
  /** The sequence number of the next record; the first is 1. */
  readonly nextSeq: number;
  /** The number of the segment that holds the last record; 0 for none. */
  readonly segmentNumber: number;
  readonly lastChecksum: number;
  /** The number of valid bytes in that segment. */
  readonly lastLength: number;
}

/** The position at which a folder's log begins. */
export const logStart: LogPosition = { nextSeq: 1, segmentNumber: 0, lastChecksum: 0, lastLength: 0 };
