import { describe, expect, test } from "bun:test";
import { networkOf, RequestSender, senderOf } from "../../src/http/callers/sender.ts";
import { parseNetworks } from "../../src/http/callers/client-address.ts";

describe("the network of an address", () => {
  test.each([
    ["192.0.2.7", "192.0.2"],
    ["::ffff:192.0.2.7", "192.0.2"],
    ["2001:db8:1:2::3", "20010db80001::"],
    ["2001:db8:1:ffff::3", "20010db80001::"],
    ["::1", "0::"],
    ["nonsense:", "nonsense:"],
  ])("of %s is %s", (address, network) => {
    const zeros = (text: string) => text.replace(/^0+(?=.)/, "");
    expect(zeros(networkOf(address))).toBe(zeros(network));
  });
});

describe("the sender of a hit", () => {
  const trusted = parseNetworks("loopback, 10.0.0.0/8", "test");

  test.each([
    ["203.0.113.9", null, "203.0.113.9", "203.0.113", false],
    ["127.0.0.1", "198.51.100.4", "198.51.100.4", "198.51.100", false],
    ["::ffff:127.0.0.1", "198.51.100.4", "198.51.100.4", "198.51.100", false],
    ["10.1.2.3", "198.51.100.4, 10.9.9.9", "198.51.100.4", "198.51.100", false],
    ["203.0.113.9", "198.51.100.4", "203.0.113.9", "203.0.113", true],
    [undefined, null, "127.0.0.1", "127.0.0", false],
  ])("from %s with X-Forwarded-For %s", (peer, forwardedFor, address, network, isUnnamedProxy) => {
    expect(senderOf(peer, forwardedFor, trusted)).toEqual({ address, network, isUnnamedProxy });
  });

  test("is read once, and only when it is asked for", () => {
    let asked = 0;
    const peerOf = () => {
      asked++;
      return "203.0.113.9";
    };
    const sender = new RequestSender(peerOf, null, () => null, trusted);
    expect(asked).toBe(0);
    expect([sender.address, sender.network, sender.isUnnamedProxy]).toEqual([
      "203.0.113.9",
      "203.0.113",
      false,
    ]);
    expect(asked).toBe(1);
  });

  test.each([
    ["198.51.100.4", "203.0.113.9", true],
    ["198.51.100.4", "198.51.100.4", false],
    ["2001:db8::7", "2001:0DB8:0:0::7", false],
    ["198.51.100.4", "::ffff:198.51.100.4", false],
    // A service of Cloudflare's own asks for a page, whose networks are believed.
    ["198.51.100.4", "10.9.9.9", false],
    ["198.51.100.4", "nonsense", false],
    ["198.51.100.4", null, false],
  ])("from %s is behind an unnamed proxy if Cloudflare says %s", (forwardedFor, said, isUnnamedProxy) => {
    const sender = new RequestSender(
      () => "127.0.0.1",
      forwardedFor,
      () => said,
      trusted,
    );
    expect([sender.address, sender.isUnnamedProxy]).toEqual([forwardedFor, isUnnamedProxy]);
  });
});
