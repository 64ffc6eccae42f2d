/** Judges an answer of the leader of a stream: one that is cut off goes on answering, and does not know what others store. */
import type { ClusterInfo, PeerInfo } from "@nats-io/jetstream";

/** The servers that have a stream answer its leader at least so often. */
const heartbeatMs = 1_000;
/** One that writes to a slow disk, or whose machine is busy, misses some. */
const silentMsMax = 5 * heartbeatMs;

/** Returns for how long a leader has not heard as many of the `others` as it needs to lead, in milliseconds. */
export function silenceOf(others: readonly Pick<PeerInfo, "active" | "offline">[]): number {
  const silences = others.map(({ active, offline }) => (offline ? Infinity : active / 1e6));
  const needed = silences.sort((a, b) => a - b)[Math.floor((others.length + 1) / 2) - 1] ?? 0;
  return Math.max(0, needed - heartbeatMs);
}

/**
 * Returns the names of the `others` that do not answer the leader: what is stored does not get to their disks. One that never
 * answered this leader has no time, and one that answers may lag for a moment.
 */
export function awayAmong(others: readonly PeerInfo[]): readonly string[] {
  const isAway = ({ active, current, offline }: PeerInfo) =>
    offline === true || active / 1e6 > silentMsMax || (active === 0 && !current);
  return others.filter(isAway).map(({ name }) => name);
}

/**
 * Throws if whoever answered knows of no leader: a server that is cut off answers by itself once it has given up the one that
 * led, with what it has. One that has no others says nothing of a `cluster`.
 */
export function expectLed(cluster: Pick<ClusterInfo, "leader"> | undefined): void {
  if (cluster !== undefined && cluster.leader === undefined) throw new Error("no server leads the stream");
}
