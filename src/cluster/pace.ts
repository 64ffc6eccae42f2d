/** The times of a cluster, in milliseconds. */
export interface Pace {
  /** The time after which a lease lapses, since its holder was last heard. */
  readonly leaseMs: number;
  /** The interval at which each node renews the lease, or looks at it. */
  readonly roundMs: number;
  /** The longest that a batch waits for servers that do not answer. */
  readonly patienceMs: number;
}

export const paceDefault: Pace = { leaseMs: 4_000, roundMs: 1_000, patienceMs: 8_000 };
