import { placeOf } from "../../src/core/addresses/address.ts";
import { describe, expect, test } from "bun:test";
import { BlockList, isIP } from "node:net";
import { clientAddress, parseNetworks, type Networks } from "../../src/http/callers/client-address.ts";
import { Refusal } from "../../src/core/refusal.ts";
import { randomBySeed } from "../support/seed.ts";

const loopback = parseNetworks("loopback", "test");
const proxies = parseNetworks("loopback, 10.0.0.0/8,fd00::/8 , 192.0.2.7", "test");

describe("clientAddress", () => {
  test.each([
    [
      "a peer that is no proxy is the client, whatever it says",
      "198.51.100.1",
      "203.0.113.9",
      "198.51.100.1",
    ],
    ["a proxy without the header is the client", "127.0.0.1", null, "127.0.0.1"],
    ["a proxy is believed", "127.0.0.1", "203.0.113.9", "203.0.113.9"],
    [
      "only the rightmost address that is no proxy counts",
      "127.0.0.1",
      "1.1.1.1, 203.0.113.9",
      "203.0.113.9",
    ],
    ["a chain of proxies is followed", "127.0.0.1", "203.0.113.9, 10.1.2.3, 192.0.2.7", "203.0.113.9"],
    ["a client among the proxies is the last of them", "127.0.0.1", "10.0.0.1, 10.0.0.2", "10.0.0.1"],
    ["IPv6 in IPv6 networks", "::1", "2001:DB8::1, fd12::1", "2001:db8::1"],
    ["IPv4 that a dual-stack socket shows as IPv6", "::ffff:127.0.0.1", "::FFFF:203.0.113.9", "203.0.113.9"],
    ["ports are dropped", "127.0.0.1", "203.0.113.9:4711", "203.0.113.9"],
    ["ports of IPv6 too", "127.0.0.1", "[2001:db8::1]:4711", "2001:db8::1"],
    ["a hop that is no address hides what is left of it", "127.0.0.1", "203.0.113.9, unknown", "127.0.0.1"],
    ["an empty header says nothing", "127.0.0.1", "", "127.0.0.1"],
  ])("%s", (_, peer, forwardedFor, expected) => {
    expect(clientAddress(peer, forwardedFor, proxies)).toBe(expected);
  });

  test("without a peer the request comes from this machine", () => {
    expect(clientAddress(undefined, null, loopback)).toBe("127.0.0.1");
    expect(clientAddress(undefined, "203.0.113.9", loopback)).toBe("203.0.113.9");
    expect(clientAddress(undefined, "203.0.113.9", parseNetworks("10.0.0.1", "test"))).toBe("127.0.0.1");
  });
});

test.each([
  ["203.0.113.9", "203.0.113.9"],
  ["::ffff:cb00:7109", "203.0.113.9"],
  ["::FFFF:203.0.113.9", "203.0.113.9"],
  ["2001:db8::1", "20010db800000000::/64"],
  ["2001:0db8:0:0:ffff::9", "20010db800000000::/64"],
  ["2001:db8:0:1::1", "20010db800000001::/64"],
  ["fe80::1%eth0", "fe80::1%eth0"],
])("%s is throttled as %s", (address, place) => {
  expect(placeOf(address)).toBe(place);
});

describe("parseNetworks", () => {
  test.each([
    "",
    "10.0.0.0/33",
    "fd00::/129",
    "10.0.0.0/",
    "10.0.0.0/-1",
    "10.0.0.0/8/8",
    "1.2.3",
    "proxy",
    "10.0.0.1,",
  ])("refuses %p, naming the setting", (text) => {
    const parse = () => parseNetworks(text, "FOOTFALL_TRUST_PROXY");
    expect(parse).toThrow(Refusal);
    expect(parse).toThrow("FOOTFALL_TRUST_PROXY: expected addresses and networks");
  });

  test("a whole family can be trusted", () => {
    const all = parseNetworks("0.0.0.0/0,::/0", "test");
    expect(clientAddress("198.51.100.1", "203.0.113.9, 2001:db8::1", all)).toBe("203.0.113.9");
  });
});

describe("addresses", () => {
  const random = randomBySeed();
  const below = (end: number) => Math.floor(random() * end);
  const group = () => [0, 0, 1, 0xffff, 0xfd00, below(0x1_0000)][below(6)] as number;
  const dotted = () => Array.from({ length: 4 }, () => [0, 1, 10, 127, 255, below(256)][below(6)]).join(".");

  /** In one of the ways to write it, and now and then in none. */
  function ipv6(): string {
    const groups = Array.from({ length: 8 }, group);
    const texts = groups.map((value) => value.toString(16).padStart(below(2) * 4, "0"));
    if (below(4) === 0) texts.splice(6, 2, dotted());
    const from = below(texts.length);
    if (below(2) === 0) texts.splice(from, 1 + below(texts.length - from), "");
    const text = texts.join(":").replace(/^:|:$/g, "::");
    return below(4) === 0 ? text.toUpperCase() : text;
  }
  const address = () => (below(2) === 0 ? dotted() : ipv6());

  /** With a character more, less, or another. */
  function misspelt(text: string): string {
    const at = below(text.length);
    return (
      text.slice(0, at) + ["", ":", ".", "0", "g", "256", "f", " "][below(8)] + text.slice(at + below(2))
    );
  }

  function networksOf(text: string): Networks | undefined {
    try {
      return parseNetworks(text, "test");
    } catch (error) {
      expect(error).toBeInstanceOf(Refusal);
      return undefined;
    }
  }

  test("are those that node:net knows", () => {
    for (let round = 0; round < 20_000; round++) {
      const text = below(3) === 0 ? misspelt(address()) : address();
      // Blanks around an entry are none of it.
      expect([text, networksOf(text) !== undefined]).toEqual([text, isIP(text.trim()) !== 0]);
    }
  });

  test("are in the networks that node:net says", () => {
    let within = 0;
    for (let round = 0; round < 20_000; round++) {
      const [text, peer] = [address(), address()].map((each) => each.toLowerCase()) as [string, string];
      // An IPv4 address that is written as IPv6 is that address, whatever its network is called.
      if ([text, peer].some((each) => isIP(each) === 0 || isMapped(each))) continue;
      const prefix = below(isIP(text) === 4 ? 33 : 129);
      const list = new BlockList();
      list.addSubnet(text, prefix, isIP(text) === 4 ? "ipv4" : "ipv6");
      const trusted = isIP(text) === isIP(peer) && list.check(peer, isIP(peer) === 4 ? "ipv4" : "ipv6");
      const expected = trusted ? "203.0.113.9" : peer;
      const network = `${text}/${prefix}`;
      const client = clientAddress(peer, "203.0.113.9", parseNetworks(network, "test"));
      expect([network, peer, client]).toEqual([network, peer, expected]);
      within += Number(trusted);
    }
    expect(within).toBeGreaterThan(500);
  });

  function isMapped(text: string): boolean {
    const mapped = new BlockList();
    mapped.addSubnet("::ffff:0:0", 96, "ipv6");
    return isIP(text) === 6 && mapped.check(text, "ipv6");
  }

  test("are the same in IPv4 and in IPv6 that stands for it", () => {
    const networks = parseNetworks("::ffff:10.0.0.1, 192.0.2.0/24", "test");
    for (const peer of ["10.0.0.1", "::ffff:a00:1", "::ffff:192.0.2.9", "::ffff:c000:209"])
      expect(clientAddress(peer, "203.0.113.9", networks)).toBe("203.0.113.9");
    expect(clientAddress("::a00:1", "203.0.113.9", networks)).toBe("::a00:1");
    expect(networksOf("::ffff:10.0.0.0/104")).toBeUndefined();
  });
});
