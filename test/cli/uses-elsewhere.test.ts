import { describe, expect, test } from "bun:test";
import { UsesElsewhere, type Use } from "../../src/cli/cluster/uses-elsewhere.ts";
import { Refusal } from "../../src/core/refusal.ts";
import { linesOf } from "../support/log-lines.ts";

const renewed = { kind: "sessionRenewed", timeMs: 1, sessionId: "s" } as const;
const used = { kind: "tokenUsed", timeMs: 1, tokenId: "t" } as const;

function scene() {
  const passed: { readonly use: Use; readonly end: PromiseWithResolvers<unknown> }[] = [];
  const { lines, logger } = linesOf();
  const uses = new UsesElsewhere((use) => {
    const end = Promise.withResolvers<unknown>();
    passed.push({ use, end });
    return end.promise;
  }, logger);
  return { uses, passed, lines };
}

describe("the use of a session or a token, where another node sequences", () => {
  test("is passed on, and nobody waits for the answer", async () => {
    const { uses, passed } = scene();
    expect(await uses.log(renewed)).toBe("done");
    expect(await uses.log(used)).toBe("done");
    expect(passed.map(({ use }) => use)).toEqual([{ session: "s" }, { token: "t" }]);
  });

  test("is passed on again once the last attempt has ended, however it did", async () => {
    const { uses, passed, lines } = scene();
    const errors = [new Refusal(500, "nobody sequences"), new Error("a bug"), undefined];
    for (const [at, error] of errors.entries()) {
      for (let time = 0; time < 3; time++) expect(await uses.log(used)).toBe("done");
      expect(passed).toHaveLength(at + 1);
      const { end } = passed[at]!;
      if (error === undefined) end.resolve("done");
      else end.reject(error);
      await Bun.sleep(0);
    }
    await uses.log(used);
    expect(passed).toHaveLength(4);
    expect(lines).toEqual([expect.stringContaining("a bug")]);
  });

  test("is all that is passed on", () => {
    const { uses, passed } = scene();
    const removed = { kind: "userRemoved", timeMs: 1, userId: 1 } as const;
    expect(uses.log(removed)).rejects.toMatchObject({ code: 500 });
    expect(passed).toEqual([]);
  });
});
