/**
 * Finds the address that a request comes from, for throttling logins in memory; it is never stored and never logged.
 * The addresses that proxies add are believed from the right, as long as the hop that added one is ours.
 */
import { parseAddress } from "../../core/addresses/address.ts";
import { isIn, parseNetwork, type Network } from "../../core/addresses/network.ts";
import { badInput } from "../../core/refusal.ts";

/** The addresses whose `X-Forwarded-For` is believed. */
export type Networks = readonly Network[];

const thisMachine = "127.0.0.1";
const loopback = ["127.0.0.0/8", "::1"];

/**
 * Parses a comma-separated list of addresses and networks (`10.0.0.0/8, fd00::/8, 192.0.2.7`); the word `loopback`
 * stands for this machine. Throws Refusal 400 naming `source`, the setting.
 */
export function parseNetworks(text: string, source: string): Networks {
  return text
    .split(",")
    .map((part) => part.trim())
    .flatMap((entry) => (entry === "loopback" ? loopback : [entry]))
    .map((text) => {
      const network = parseNetwork(text);
      if (network !== undefined) return network;
      throw badInput(source, text, "addresses and networks like 127.0.0.1, 10.0.0.0/8 or fd00::/8");
    });
}

/**
 * Returns the address of the client: the peer's, or if the peer is one of `trusted`, the rightmost address of
 * `forwardedFor` that is not. Without a peer (a Unix socket) the request comes from this machine.
 */
export function clientAddress(
  peer: string | undefined,
  forwardedFor: string | null,
  trusted: Networks,
): string {
  let address = plainAddress(peer ?? thisMachine);
  const hops = forwardedFor?.split(",") ?? [];
  while (hops.length > 0 && isTrusted(address, trusted)) {
    const hop = plainAddress(withoutPort(hops.pop()!.trim()));
    // A trusted proxy that names no address hides its client: the proxy's own address is the best known one.
    if (parseAddress(hop) === undefined) break;
    address = hop;
  }
  return address;
}

/** Whether a peer is one of those that are believed. Without a peer (a Unix socket) it is this machine. */
export function isTrusted(peer: string | undefined, trusted: Networks): boolean {
  const parsed = parseAddress(peer ?? thisMachine);
  return parsed !== undefined && trusted.some((network) => isIn(network, parsed));
}

/** Removes the port that some proxies append: `192.0.2.7:4711`, `[2001:db8::1]:4711`. */
export function withoutPort(hop: string): string {
  return /^\[(.*)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop;
}

/** Returns an IPv4 address in its own form if a dual-stack socket shows it as IPv6. */
function plainAddress(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address.toLowerCase();
}
