/** Time as an argument: whatever depends on it takes a Clock, and tests bring their own. */
export interface Clock {
  /** Wall clock, whole milliseconds since 1970 (UTC). May step in either direction. */
  nowMs(): number;
  /** Milliseconds from an arbitrary start; never goes back. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};
