/** The hosts of which a file has rows, with how many: the most frequent one says which website it is of. */
import { bareHost } from "../../../core/addresses/referrer.ts";
import { hostnameCharactersMax } from "../../../core/addresses/hostname.ts";

/** The rows by host, without `www.`. */
export type HostCounts = ReadonlyMap<string, number>;

/** A log may have any number of names that somebody asked for once. Those after the first so many are not counted. */
const hostsMax = 1_000;

export function addHost(hosts: Map<string, number>, host: string, rows = 1): void {
  const name = bareHost(host).slice(0, hostnameCharactersMax);
  const known = hosts.get(name);
  if (known !== undefined || hosts.size < hostsMax) hosts.set(name, (known ?? 0) + rows);
}

/** Returns the hosts, the most frequent one first. */
export function byFrequency(hosts: HostCounts): readonly string[] {
  return [...hosts].toSorted(([, a], [, b]) => b - a).map(([host]) => host);
}
