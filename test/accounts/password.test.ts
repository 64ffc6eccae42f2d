import { beforeAll, describe, expect, test } from "bun:test";
import { sharedThreads } from "../../src/accounts/login/hasher.ts";
import {
  hashBy,
  hashPassword,
  parsePassword,
  passwordQueue,
  verifyPassword,
} from "../../src/accounts/login/password.ts";
import { processCpuMs } from "../support/cpu-time.ts";
import { refusalOf } from "../support/refusals.ts";

// A test that ran before in this process may have chosen another.
beforeAll(() => hashBy(sharedThreads));

describe("parsePassword", () => {
  test.each(["12345678", " spaces count ", "😀".repeat(8), "x".repeat(128), "😀".repeat(128)])(
    "takes %j as it is",
    (password) => {
      expect(parsePassword(password)).toBe(password);
    },
  );

  test.each(["", "1234567", "😀".repeat(7), "x".repeat(129)])(
    "refuses %j and does not repeat it",
    async (password) => {
      const { code, message } = await refusalOf(() => parsePassword(password));
      expect(code).toBe(400);
      expect(message).toBe(`password: expected 8 to 128 characters, got ${[...password].length}`);
    },
  );
});

describe("argon2id", () => {
  let stored = "";
  beforeAll(async () => {
    stored = await hashPassword("correct horse");
  });

  test("keeps its parameters and a salt of its own", async () => {
    expect(stored).toStartWith("$argon2id$v=19$m=19456,t=2,p=1$");
    expect(await hashPassword("correct horse")).not.toBe(stored);
  });

  test("knows the right password from wrong ones", async () => {
    expect(await verifyPassword("correct horse", stored)).toBe(true);
    expect(await verifyPassword("correct horsE", stored)).toBe(false);
    expect(await verifyPassword("", stored)).toBe(false);
    expect(await verifyPassword("x".repeat(10_000), stored)).toBe(false);
  });

  test("no password fits no account", async () => {
    for (const password of ["", " ", "correct horse"])
      expect(await verifyPassword(password, undefined)).toBe(false);
  });

  // A check works for about 18 ms; one that was skipped for less than 0.1.
  test("no account and an empty password take the time of a real check", async () => {
    const fastestMs = async (password: string, hash: string | undefined) => {
      let fastest = Infinity;
      for (let round = 0; round < 5; round++) {
        const startMs = processCpuMs();
        await verifyPassword(password, hash);
        fastest = Math.min(fastest, processCpuMs() - startMs);
      }
      return fastest;
    };
    const realMs = await fastestMs("wrong horse", stored);
    for (const otherMs of [await fastestMs("wrong horse", undefined), await fastestMs("", stored)]) {
      expect(otherMs).toBeGreaterThan(realMs / 3);
      expect(otherMs).toBeLessThan(realMs * 3);
    }
  });

  test("hashing takes its turn", async () => {
    const order: string[] = [];
    const first = passwordQueue.run(async () => {
      await Bun.sleep(5);
      order.push("first");
    });
    await hashPassword("correct horse").then(() => order.push("hash"));
    await first;
    expect(order).toEqual(["first", "hash"]);
  });
});
