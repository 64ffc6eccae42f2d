import { describe, expect, test } from "bun:test";
import { clientAddress, parseNetworks } from "../../src/http/client-address.ts";
import { Refusal } from "../../src/core/refusal.ts";

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
