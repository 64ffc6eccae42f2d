/** Networks of addresses as people write them: `192.0.2.7`, `10.0.0.0/8`, `fd00::/8`. */
import { parseAddress, type Address } from "./address.ts";

/** All addresses whose first `prefix` bits equal those of `address`. */
export interface Network {
  readonly address: Address;
  readonly prefix: number;
}

/** Returns undefined for a text that is neither an address nor a network. An address is the network of itself. */
export function parseNetwork(text: string): Network | undefined {
  const slash = text.indexOf("/");
  const address = parseAddress(slash < 0 ? text : text.slice(0, slash));
  if (address === undefined) return undefined;
  const prefix = slash < 0 ? String(address.bits) : text.slice(slash + 1);
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > address.bits) return undefined;
  return { address, prefix: Number(prefix) };
}

export function isIn({ address, prefix }: Network, { value, bits }: Address): boolean {
  return bits === address.bits && (value ^ address.value) >> BigInt(bits - prefix) === 0n;
}
