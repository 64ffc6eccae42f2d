/**
 * Remembers something of each network, in memory only. Networks that tokens name are in a map of their own: a
 * token can name any number of them, and must not have those of visitors forgotten.
 */
import { isSentNetwork } from "../../collect/hit.ts";
import { OldestFirst } from "../../lib/collections/oldest-first.ts";

export class ByNetwork<V> {
  private readonly ofVisitors = new OldestFirst<string, V>();
  private readonly ofTokens = new OldestFirst<string, V>();

  /** Returns the map that a network belongs to. */
  of(network: string): OldestFirst<string, V> {
    return isSentNetwork(network) ? this.ofTokens : this.ofVisitors;
  }

  clear(): void {
    this.ofVisitors.clear();
    this.ofTokens.clear();
  }
}
