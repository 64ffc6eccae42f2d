import { describe, expect, test } from "bun:test";
import type { User } from "../../src/accounts/account.ts";
import { deviceLifetimeMs, deviceOf, newDevice } from "../../src/accounts/login/device.ts";
import { noonMs } from "../support/records.ts";

const user = (userId: number, passwordHash: string): User => ({
  userId,
  username: `user ${userId}`,
  passwordHash,
  language: "en",
  scriptType: ["default"],
  createdMs: noonMs,
  updatedMs: noonMs,
});
const ada = user(1, "hash of ada");
const bob = user(2, "hash of bob");
const users = new Map([ada, bob].map((each) => [each.userId, each]));
const sessionId = "5e55".repeat(8);
const token = newDevice(ada, noonMs, sessionId);

describe("a device", () => {
  test("is of the account that logged in, and has the id of the session, whenever it is made", () => {
    const later = newDevice(ada, noonMs + 60_000, sessionId);
    expect(later).not.toBe(token);
    for (const each of [token, later])
      expect(deviceOf(each, users, noonMs)).toEqual({ userId: 1, id: sessionId });
    const other = "0ff1ce".padEnd(32, "0");
    expect(deviceOf(newDevice(bob, noonMs, other), users, noonMs)).toEqual({ userId: 2, id: other });
  });

  test("has nothing of the account in it but its number", () => {
    expect(token).toMatch(/^1\.\d{10}\.[\w-]{22}\.[\w-]{43}$/);
  });

  test("is known for 180 days", () => {
    expect(deviceOf(token, users, noonMs + deviceLifetimeMs - 1)).toBeDefined();
    expect(deviceOf(token, users, noonMs + deviceLifetimeMs)).toBeUndefined();
  });

  test("ends with another password, and with the account", () => {
    expect(deviceOf(token, new Map([[1, user(1, "another hash")]]), noonMs)).toBeUndefined();
    expect(deviceOf(token, new Map(), noonMs)).toBeUndefined();
  });

  test("ends with a second factor that comes, with another one, and with one that goes", () => {
    const withFactor = (secret: string) => ({ ...ada, secondFactor: { secret, usedStep: 1 } });
    const knownTo = (other: User, of: User) =>
      deviceOf(newDevice(of, noonMs, sessionId), new Map([[1, other]]), noonMs) !== undefined;
    expect(knownTo(withFactor("a"), ada)).toBe(false);
    expect(knownTo(withFactor("b"), withFactor("a"))).toBe(false);
    expect(knownTo(ada, withFactor("a"))).toBe(false);
    expect(knownTo({ ...ada, secondFactor: { secret: "a", usedStep: 2 } }, withFactor("a"))).toBe(true);
  });

  test("is none with any other character, or another account, time or end", () => {
    const [, seconds, id, signature] = token.split(".") as [string, string, string, string];
    const forged = [
      "",
      "1",
      `2.${seconds}.${id}.${signature}`,
      `1.${Number(seconds) + 1}.${id}.${signature}`,
      `1.${seconds}.${id}.`,
      `1.${seconds}.${id}`,
      `01.${seconds}.${id}.${signature}`,
      `${token}A`,
      ` ${token}`,
      `${token}\n`,
      `NaN.${seconds}.${id}.${signature}`,
      `__proto__.${seconds}.${id}.${signature}`,
    ];
    for (let at = 0; at < token.length; at++)
      forged.push(`${token.slice(0, at)}${token[at] === "8" ? "9" : "8"}${token.slice(at + 1)}`);
    for (const text of forged) expect([text, deviceOf(text, users, noonMs)]).toEqual([text, undefined]);
  });
});
