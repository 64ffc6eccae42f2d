import { beforeEach, describe, expect, test } from "bun:test";
import { SetUp } from "../../../src/engine/admin/account/set-up.ts";
import { InstantEngine } from "../../support/instant-engine.ts";
import { addPerson, password } from "../../support/people.ts";
import { refusalOf } from "../../support/refusals.ts";

let engine: InstantEngine;
let setUp: SetUp;

beforeEach(() => {
  engine = new InstantEngine();
  setUp = new SetUp(engine);
});

function run(more: Record<string, unknown> = {}) {
  return setUp.run({ token: setUp.token, username: "ada", password, ...more });
}

describe("SetUp", () => {
  test("makes the first account", async () => {
    expect(setUp.open).toBe(true);
    expect(await run()).toMatchObject({ userId: 1, username: "ada" });
    expect(setUp.open).toBe(false);
  });

  test("works once, and says so when the account is gone again", async () => {
    const { token } = setUp;
    await run();
    expect((await refusalOf(() => run({ token, username: "eve" }))).code).toBe(409);
    await engine.commit({ kind: "userRemoved", timeMs: engine.nowMs(), userId: 1 });
    expect(setUp.open).toBe(true);
    const { code, message } = await refusalOf(() => run({ token, username: "eve" }));
    expect(code).toBe(401);
    expect(message).toStartWith("token: this set-up link is not valid");
  });

  test("of two at once one is 409", async () => {
    const both = [run(), run({ username: "eve" })];
    const results = await Promise.allSettled(both);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect((await refusalOf(() => both[1])).code).toBe(409);
    expect(engine.registry.users.size).toBe(1);
  });

  test("is closed when there is an account from elsewhere, whatever the body says", async () => {
    await addPerson(engine, "bob");
    expect(setUp.open).toBe(false);
    for (const body of [null, {}, { token: setUp.token, username: "ada", password }])
      expect((await refusalOf(() => setUp.run(body))).code).toBe(409);
  });

  test.each(["", "x", "_".repeat(43)])("the token %j is 401", async (token) => {
    expect((await refusalOf(() => run({ token, username: "" }))).code).toBe(401);
    expect(setUp.open).toBe(true);
  });

  test.each([
    [{ token: null }, "token"],
    [{ token: 1 }, "token"],
    [{ username: "x" }, "username"],
    [{ password: "short" }, "password"],
  ])("%j is 400 and leaves the link as it was", async (more, field) => {
    const { code, message } = await refusalOf(() => run(more));
    expect(code).toBe(400);
    expect(message).toStartWith(`${field}: expected`);
    expect((await run()).username).toBe("ada");
  });

  test("a failure of the disk leaves the link as it was", async () => {
    engine.diskFull = true;
    expect((await refusalOf(() => run())).code).toBe(500);
    engine.diskFull = false;
    expect((await run()).username).toBe("ada");
  });

  test("is 403 in demo mode", async () => {
    engine.demo = true;
    expect((await refusalOf(() => run())).code).toBe(403);
  });

  test("every start has a token of its own", () => {
    expect(new SetUp(engine).token).not.toBe(setUp.token);
  });
});
