/** Visitors whose addresses and user agents are known, and all the forms in which a server might keep them. */
import { createHash } from "node:crypto";
import { siegeHostname } from "./attack.ts";
import type { Picker } from "./odd-values.ts";
import type { Needles } from "./needles.ts";

export interface Visitor {
  readonly address: string;
  /** The bytes of the address, in network order. */
  readonly bytes: Buffer;
  /** A word of its user agent that nothing else has. */
  readonly word: string;
  readonly agent: string;
  /** The path of its hit, which is kept. */
  readonly path: string;
}

/** None of them is a digit of hexadecimal numbers, and they make no word that crawlers are known by. */
const letters = "ghjkqvwxyz";

export function visitorOf(picker: Picker): Visitor {
  const word = Array.from({ length: 14 }, () => picker.of([...letters])).join("");
  return {
    ...(picker.chance(0.5) ? ipv4(picker) : ipv6(picker)),
    word,
    agent: `Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0 ${word}`,
    path: `/${Array.from({ length: 14 }, () => picker.of([...letters])).join("")}`,
  };
}

/**
 * With three digits in each place, so that no other number contains it. Its places are not one step apart from each other:
 * the ids of rows that follow each other are, and would look like such an address in hexadecimal.
 */
function ipv4(picker: Picker): Pick<Visitor, "address" | "bytes"> {
  const bytes = Buffer.from(Array.from({ length: 4 }, () => 100 + picker.below(150)));
  const [a, b, c, d] = bytes as unknown as readonly [number, number, number, number];
  if (b - a === c - b && c - b === d - c) return ipv4(picker);
  return { address: [...bytes].join("."), bytes };
}

function ipv6(picker: Picker): Pick<Visitor, "address" | "bytes"> {
  const groups = [
    "2001",
    "db8",
    ...Array.from({ length: 6 }, () => (0x1000 + picker.below(0xefff)).toString(16)),
  ];
  return {
    address: groups.join(":"),
    bytes: Buffer.from(groups.map((group) => group.padStart(4, "0")).join(""), "hex"),
  };
}

export function requestOf({ address, agent, path }: Visitor): string {
  const body = JSON.stringify({ b: path, u: `https://${siegeHostname}${path}`, p: true });
  return (
    `POST /event/hit HTTP/1.1\r\nhost: siege\r\nuser-agent: ${agent}\r\n` +
    `x-forwarded-for: ${address}\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  );
}

/** Adds what no chance makes. */
export function addVisitor(needles: Needles, { address, bytes, word, agent }: Visitor): void {
  for (const [what, text] of [
    ["the address", address],
    ["the user agent", agent],
  ] as const) {
    addText(needles, `${what} ${address}`, text === agent ? word : text);
    for (const digest of ["sha256", "md5"]) {
      const hash = createHash(digest).update(text).digest();
      needles.add(`the ${digest} of ${what} ${address}`, hash.subarray(0, 8));
      needles.add(
        `the ${digest} of ${what} ${address} in hexadecimal`,
        Buffer.from(hash.toString("hex", 0, 8)),
      );
    }
  }
  addText(needles, `the bytes of ${address} in hexadecimal`, bytes.toString("hex"));
  if (isShort(bytes)) return;
  const network = bytes.subarray(0, 8);
  addText(needles, `the network of ${address} in hexadecimal`, network.toString("hex"));
  for (const [what, part] of [
    ["network", network],
    ["host", bytes.subarray(8)],
  ] as const)
    needles.add(`the bytes of the ${what} of ${address}`, part);
}

/** Adds the bytes of an address of four, in both orders, which happen by chance as well. */
export function addShort(needles: Needles, { address, bytes }: Visitor): void {
  needles.add(`the bytes of ${address}`, bytes);
  needles.add(`the bytes of ${address} reversed`, Buffer.from(bytes.toReversed()));
}

export function isShort(bytes: Buffer): boolean {
  return bytes.length === 4;
}

function addText(needles: Needles, name: string, text: string): void {
  for (const form of new Set([text, text.toLowerCase(), text.toUpperCase()])) {
    needles.add(name, Buffer.from(form));
    needles.add(`${name} in UTF-16`, Buffer.from(form, "utf16le"));
  }
}
