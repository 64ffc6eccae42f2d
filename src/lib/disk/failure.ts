/** For what goes on although the disk refuses something, such as to remove a file that is needed no more. */
import { DiskError } from "./disk.ts";

/** Calls `act`, and returns the DiskError that it throws; undefined if it throws none. */
export function diskFailure(act: () => void): DiskError | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (error instanceof DiskError) return error;
    throw error;
  }
}
