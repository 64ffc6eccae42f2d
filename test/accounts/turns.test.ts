import { describe, expect, test } from "bun:test";
import { Turns } from "../../src/accounts/turns.ts";

describe("Turns", () => {
  test("work goes one at a time, in the order it came", async () => {
    const turns = new Turns();
    const log: string[] = [];
    const work = (name: string) => async () => {
      log.push(`${name} starts`);
      await Bun.sleep(1);
      log.push(`${name} ends`);
      return name;
    };
    const results = await Promise.all(["a", "b", "c"].map((name) => turns.take(work(name))));
    expect(results).toEqual(["a", "b", "c"]);
    expect(log).toEqual(["a starts", "a ends", "b starts", "b ends", "c starts", "c ends"]);
  });

  test("what fails tells its caller and holds nobody up", async () => {
    const turns = new Turns();
    const failed = turns.take(() => {
      throw new Error("no");
    });
    const next = turns.take(() => "yes");
    expect(failed).rejects.toThrow("no");
    expect(await next).toBe("yes");
  });

  test("size counts who works and who waits", async () => {
    const turns = new Turns();
    const all = Promise.allSettled([
      turns.take(() => Bun.sleep(1)),
      turns.take(() => Promise.reject(new Error("no"))),
    ]);
    expect(turns.size).toBe(2);
    await all;
    expect(turns.size).toBe(0);
  });

  test("and of whom", async () => {
    const turns = new Turns();
    const all = Promise.allSettled([
      turns.take(() => Bun.sleep(1), "a"),
      turns.take(() => Promise.reject(new Error("no")), "a"),
      turns.take(() => Bun.sleep(1), "b"),
      turns.take(() => Bun.sleep(1)),
    ]);
    const sizes = () => [turns.size, ...["a", "b", "c"].map((origin) => turns.sizeOf(origin))];
    expect(sizes()).toEqual([4, 2, 1, 0]);
    await all;
    expect(sizes()).toEqual([0, 0, 0, 0]);
  });
});
