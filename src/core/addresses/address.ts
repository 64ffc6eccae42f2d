/**
 * IPv4 and IPv6 addresses as numbers. They are parsed here and not by node:net, because loading that would cost every
 * start some milliseconds.
 */

export interface Address {
  readonly value: bigint;
  /** 32 for IPv4, even if it is written as IPv6 (`::ffff:192.0.2.7`); else 128. */
  readonly bits: 32 | 128;
}

const byte = /^(?:0|[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])$/;
const group = /^[\da-f]{1,4}$/i;
const groupCount = 8;
/** The bits of an IPv6 address before the IPv4 address that it stands for. */
const mappedPrefix = 0xffffn;

/** Returns undefined for a text that is no address, and for an address with a zone (`fe80::1%eth0`). */
export function parseAddress(text: string): Address | undefined {
  const ipv4 = bytesOf(text);
  if (ipv4 !== undefined) return { value: joined(ipv4, 8), bits: 32 };
  const [head = "", tail, ...more] = text.split("::");
  const first = groupsOf(head, tail === undefined);
  const last = groupsOf(tail ?? "", true);
  if (first === undefined || last === undefined || more.length > 0) return undefined;
  const missing = groupCount - first.length - last.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const value = joined([...first, ...new Array<number>(missing).fill(0), ...last], 16);
  return value >> 32n === mappedPrefix ? { value: value & 0xffff_ffffn, bits: 32 } : { value, bits: 128 };
}

/**
 * Returns the part of the net that counts as one place: an IPv4 address, also where a dual-stack socket of somebody's back end
 * shows it as IPv6, or the /64 of an IPv6 one, because whoever has one of its addresses may use them all. Behind a proxy that is not trusted everybody is one place: its header may be
 * made up, and each made-up address would be a new place.
 */
export function placeOf(address: string): string {
  if (!address.includes(":")) return address;
  const parsed = parseAddress(address);
  if (parsed === undefined) return address;
  if (parsed.bits === 128) return `${(parsed.value >> 64n).toString(16)}::/64`;
  const value = Number(parsed.value);
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join(".");
}

const privateIpv4 =
  /^(?:::ffff:)?(?:10|127|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./i;
const privateIpv6 = /^(?:::1$|f[cd][\da-f]{2}:|fe[89ab][\da-f]:)/i;

/** Whether an address is one within a network of its own, not on the internet: also that of this machine. */
export function isPrivate(address: string): boolean {
  return privateIpv4.test(address) || (address.includes(":") && privateIpv6.test(address));
}

function bytesOf(text: string): number[] | undefined {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => byte.test(part)) ? parts.map(Number) : undefined;
}

/** Returns the groups between the colons. `ends`: whether the last may be four bytes as IPv4 writes them. */
function groupsOf(text: string, ends: boolean): number[] | undefined {
  if (text === "") return [];
  const parts = text.split(":");
  const bytes = ends ? bytesOf(parts.at(-1)!) : undefined;
  if (bytes !== undefined) parts.pop();
  if (!parts.every((part) => group.test(part))) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = bytes ?? [];
  const low = bytes === undefined ? [] : [a * 256 + b, c * 256 + d];
  return [...parts.map((part) => Number.parseInt(part, 16)), ...low];
}

/** Joins parts of `bits` bits each into one number; the first part is the highest. */
function joined(parts: readonly number[], bits: number): bigint {
  return parts.reduce((value, part) => (value << BigInt(bits)) | BigInt(part), 0n);
}
