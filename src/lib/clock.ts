/** Time as an argument: everything that depends on time takes a Clock, and tests bring their own. */
export interface Clock {
  /** Returns the wall clock in whole milliseconds since 1970 (UTC). It may step in either direction. */
  nowMs(): number;
  /** Returns milliseconds since an arbitrary start; never goes back. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};
