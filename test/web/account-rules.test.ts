/** The dashboard's rules for names and passwords, against what the server takes. */
import { describe, expect, test } from "bun:test";
import { parsePassword } from "../../src/accounts/login/password.ts";
import { parseUsername } from "../../src/accounts/username.ts";
import {
  newPasswordRules,
  passwordHint,
  usernameHint,
  usernameRules,
} from "../../src/web/lib/set-up/account-rules.ts";

describe.each([
  ["username", usernameRules, usernameHint, parseUsername],
  ["password", newPasswordRules, passwordHint, parsePassword],
] as const)("%s", (_, { minLength, maxLength }, hint, parse) => {
  test("the server takes the shortest and the longest", () => {
    expect(parse("a".repeat(minLength))).toHaveLength(minLength);
    expect(parse("a".repeat(maxLength))).toHaveLength(maxLength);
  });

  test("and refuses one that is shorter or longer", () => {
    expect(() => parse("a".repeat(minLength - 1))).toThrow();
    expect(() => parse("a".repeat(maxLength + 1))).toThrow();
  });

  test("the hint says both", () => {
    expect(hint).toStartWith(`${minLength} to ${maxLength} characters.`);
  });
});
