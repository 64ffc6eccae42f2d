import { beforeEach, describe, expect, test } from "bun:test";
import type { User } from "../../src/accounts/account.ts";
import type { Known } from "../../src/accounts/login/check-queue.ts";
import { CodeGuard, codesWindowMs, wrongCodesMax } from "../../src/accounts/login/code-guard.ts";
import { codeAt } from "../../src/accounts/login/totp.ts";
import { noonMs } from "../support/records.ts";

const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const user = (userId: number): User => ({
  userId,
  username: `user ${userId}`,
  passwordHash: "hash",
  language: "en",
  scriptType: ["default"],
  createdMs: noonMs,
  updatedMs: noonMs,
  secondFactor: { secret, usedStep: 0 },
});
const ada = user(1);
const phone = { userId: 1, id: "phone" };
const laptop = { userId: 1, id: "laptop" };

let timeMs = 0;
let guard: CodeGuard;
beforeEach(() => {
  timeMs = 1_000_000;
  guard = new CodeGuard({ nowMs: () => noonMs, monotonicMs: () => timeMs });
});

function give(code: string, known?: Known, of = ada): number | undefined {
  return guard.check({ user: of, code, known, nowMs: noonMs });
}

function fail(times: number, known?: Known, of = ada): void {
  for (let time = 0; time < times; time++) expect(give("nothing", known, of)).toBeUndefined();
}

describe("CodeGuard", () => {
  test("lets ten wrong codes be given in an hour, whenever in it", () => {
    for (let time = 0; time < wrongCodesMax; time++) {
      expect(guard.waitS({ user: ada, known: undefined })).toBe(0);
      fail(1);
      timeMs += 60_000;
    }
    // The first of them is ten minutes old.
    expect(guard.waitS({ user: ada, known: undefined })).toBe(3_000);
    timeMs += 3_000_000 - 1;
    expect(guard.waitS({ user: ada, known: undefined })).toBe(1);
    timeMs += 1;
    expect(guard.waitS({ user: ada, known: undefined })).toBe(0);
    fail(1);
    expect(guard.waitS({ user: ada, known: undefined })).toBe(60);
  });

  test("counts strangers together, each session and device by itself, and each account", () => {
    fail(wrongCodesMax);
    expect(guard.waitS({ user: ada, known: undefined })).toBe(codesWindowMs / 1_000);
    expect(guard.waitS({ user: ada, known: phone })).toBe(0);
    fail(wrongCodesMax, phone);
    expect(guard.waitS({ user: ada, known: phone })).toBe(codesWindowMs / 1_000);
    expect(guard.waitS({ user: ada, known: laptop })).toBe(0);
    expect(guard.waitS({ user: user(2), known: undefined })).toBe(0);
  });

  test("forgets no account for what others do, however many devices they have", () => {
    const bob = user(2);
    fail(wrongCodesMax);
    for (let device = 0; device < 20_000; device++) fail(1, { userId: 2, id: `${device}` }, bob);
    expect(guard.waitS({ user: ada, known: undefined })).toBe(codesWindowMs / 1_000);
    expect(guard.waitS({ user: bob, known: undefined })).toBe(0);
  });

  test("forgives nothing for a right code: the guesses of an hour are ten", () => {
    fail(wrongCodesMax - 1);
    expect(give(codeAt(secret, noonMs))).toBe(noonMs / 30_000);
    fail(1);
    expect(guard.waitS({ user: ada, known: undefined })).toBeGreaterThan(0);
  });
});
