/** Who may use how much of the memory that the server is given: settings of speed, never of answers. */

/** Bytes. */
export interface MemoryPlan {
  /** What questions about large websites leave to the next. */
  readonly deskDerived: number;
  /** Mapped files for these questions. */
  readonly deskMapped: number;
  /** The same for all else: small websites, and what hits and retention read of finished months. */
  readonly ownDerived: number;
  readonly ownMapped: number;
}

const deskDerivedMax = 2 ** 26;
const ownDerivedMax = 2 ** 24;

/** `bytes`: of `FOOTFALL_MEMORY`; Infinity: no bound on mappings. */
export function planMemory(bytes: number): MemoryPlan {
  const deskDerived = Math.min(deskDerivedMax, bytes / 4);
  const ownDerived = Math.min(ownDerivedMax, bytes / 16);
  const mapped = bytes - deskDerived - ownDerived;
  return { deskDerived, deskMapped: mapped * 0.75, ownDerived, ownMapped: mapped * 0.25 };
}
