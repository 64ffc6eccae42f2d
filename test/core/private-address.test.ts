import { describe, expect, test } from "bun:test";
import { isPrivate } from "../../src/core/addresses/address.ts";

describe("a private address", () => {
  test.each([
    ["10.0.0.1", true],
    ["127.0.0.1", true],
    ["172.16.0.1", true],
    ["172.31.255.255", true],
    ["192.168.1.1", true],
    ["169.254.1.1", true],
    ["100.64.0.1", true],
    ["100.127.0.1", true],
    ["::ffff:10.0.0.1", true],
    ["::1", true],
    ["fd00::1", true],
    ["fe80::1", true],
    ["11.0.0.1", false],
    ["172.15.0.1", false],
    ["172.32.0.1", false],
    ["192.169.0.1", false],
    ["100.63.0.1", false],
    ["100.128.0.1", false],
    ["203.0.113.10", false],
    ["2001:db8::1", false],
    ["fec0::1", false],
    ["::", false],
    ["", false],
  ])("%s: %s", (address, expected) => {
    expect(isPrivate(address)).toBe(expected);
  });
});
