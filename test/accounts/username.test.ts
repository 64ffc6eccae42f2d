import { describe, expect, test } from "bun:test";
import { parseUsername, usernameKey } from "../../src/accounts/username.ts";
import { refusalOf } from "../support/refusals.ts";

describe("parseUsername", () => {
  test.each([
    "ada",
    "Ada Lovelace",
    "ada+stats@example.com",
    "Ærøskøbing",
    "名前です",
    "名前\u3000です",
    "a b c",
    "😀😀😀",
    "x".repeat(48),
  ])("takes %j", (name) => {
    expect(parseUsername(name)).toBe(name);
  });

  test.each([
    "",
    "ab",
    "😀😀",
    "x".repeat(49),
    " ada",
    "ada ",
    "   ",
    "a  b",
    "a\u00a0b",
    "a\u2003b",
    "a\tda",
    "a\nda",
    "ada\u200b",
    "\u202eada",
    "ada\ud800",
    "a\u2028da",
    "ada\u00ad",
    "ada\u034f",
    "ada\u115f",
    "ada\u17b4",
    "ada\u180b",
    "ada\u2800",
    "ada\u3164",
    "ada\ufe0f",
    "ada\uffa0",
    "ada\u{e0101}",
    "\u3164\u3164\u3164",
  ])("refuses %j with 400 and the field", async (name) => {
    const { code, message } = await refusalOf(() => parseUsername(name));
    expect(code).toBe(400);
    expect(message).toStartWith("username: expected 3 to 48 visible characters");
  });

  test("composes, so that what looks equal is equal", () => {
    expect(parseUsername("Zoe\u0308")).toBe("Zo\u00eb");
  });
});

test("usernameKey knows neither case nor composition", () => {
  expect(usernameKey("ADA")).toBe(usernameKey("ada"));
  expect(usernameKey("ZOE\u0308")).toBe(usernameKey("zo\u00eb"));
  expect(usernameKey("ada")).not.toBe(usernameKey("adb"));
});
