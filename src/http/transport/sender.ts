/** Which network a hit comes from: what its budget is for, in memory only. */
import type { Sender } from "../../collect/hit.ts";
import { parseAddress } from "./address.ts";
import { clientAddress, isTrusted, type Networks } from "./client-address.ts";

/** `peer`: the other end of the connection; undefined for a Unix socket. */
export function senderOf(peer: string | undefined, forwardedFor: string | null, trusted: Networks): Sender {
  if (forwardedFor === null && peer !== undefined) return { network: networkOf(peer), isUnnamedProxy: false };
  const isUnnamedProxy = forwardedFor !== null && peer !== undefined && !isTrusted(peer, trusted);
  return { network: networkOf(clientAddress(peer, forwardedFor, trusted)), isUnnamedProxy };
}

/** The /24 of an IPv4 address, the /48 of an IPv6 one; what is no address is a network of its own. */
export function networkOf(address: string): string {
  if (!address.includes(":")) return address.slice(0, address.lastIndexOf("."));
  const parsed = parseAddress(address);
  if (parsed === undefined) return address;
  if (parsed.bits === 128) return `${(parsed.value >> 80n).toString(16)}::`;
  const value = Number(parsed.value);
  return [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255].join(".");
}
