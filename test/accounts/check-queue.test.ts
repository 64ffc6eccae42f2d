import { beforeEach, describe, expect, test } from "bun:test";
import {
  CheckQueue,
  originsKept,
  waitingMax,
  waitingOfMemberMax,
  waitingOfOriginMax,
  type Asker,
} from "../../src/accounts/login/check-queue.ts";

let queue: CheckQueue;
/** The names of the jobs in the order in which they ran. */
let order: string[];
/** Lets the first job end, behind which the others wait. */
let start: () => void;
let all: Promise<unknown>[];

beforeEach(() => {
  queue = new CheckQueue();
  order = [];
  all = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  start = resolve;
  all.push(queue.run(() => promise));
});

/** One that waits, by default from an address of its own. */
function ask(name: string, asker: Partial<Asker> = {}): Promise<string | undefined> {
  const answer = queue.runFor({ address: name, network: name, ...asker }, async () => {
    order.push(name);
    return name;
  });
  all.push(answer);
  return answer;
}

async function end(): Promise<string[]> {
  start();
  await Promise.all(all);
  return order;
}

const known = (userId: number, id = "session") => ({ known: { userId, id } });

describe("CheckQueue", () => {
  test("runs one at a time, and returns and throws what the work does", async () => {
    const log: string[] = [];
    const work = (name: string) => async () => {
      log.push(`${name} starts`);
      await Bun.sleep(1);
      log.push(`${name} ends`);
      if (name === "b") throw new Error("no");
      return name;
    };
    const results = Promise.allSettled(["a", "b", "c"].map((name) => queue.run(work(name))));
    start();
    expect((await results).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(log).toEqual(["a starts", "a ends", "b starts", "b ends", "c starts", "c ends"]);
  });

  test("goes on after work that throws at once", async () => {
    const thrown = () => {
      throw new Error("no");
    };
    const results = Promise.allSettled([
      queue.run(thrown),
      ask("a"),
      queue.runFor({ address: "b", network: "b" }, thrown),
    ]);
    start();
    expect((await results).map(({ status }) => status)).toEqual(["rejected", "fulfilled", "rejected"]);
    expect(await queue.run(async () => "c")).toBe("c");
    expect(queue.run(thrown)).rejects.toThrow("no");
    expect(await queue.run(async () => "d")).toBe("d");
  });

  test("networks take turns, however many one has", async () => {
    for (const name of ["a1", "a2", "a3", "b1", "b2", "c1"]) void ask(name, { network: name.slice(0, 1) });
    expect(await end()).toEqual(["c1", "b1", "a1", "b2", "a2", "a3"]);
  });

  test("a network that had no turn comes before those that had, however many wait", async () => {
    const flood = Array.from({ length: 100 }, (_, at) => ask(`flood ${at}`));
    start();
    await Promise.all(flood);
    const { promise, resolve } = Promise.withResolvers<void>();
    void queue.run(() => promise);
    for (let at = 0; at < 100; at++) void ask(`flood ${at}`);
    void ask("owner");
    resolve();
    await Promise.all(all);
    expect(order.indexOf("owner")).toBe(100);
  });

  test("and of those that had none the one that came last: nobody waits for the first turns of a flood", async () => {
    for (let at = 0; at < 100; at++) void ask(`flood ${at}`);
    void ask("owner");
    for (let at = 100; at < 103; at++) void ask(`flood ${at}`);
    expect((await end()).indexOf("owner")).toBe(3);
  });

  test.each([originsKept - 1, originsKept])(
    "a turn is remembered until as many others had theirs as are kept: %d",
    async (others) => {
      start();
      await ask("owner");
      for (let at = 0; at < others; at++) await ask(`other ${at}`);
      const { promise, resolve } = Promise.withResolvers<void>();
      void queue.run(() => promise);
      for (let at = 0; at < 10; at++) void ask(`new ${at}`);
      void ask("owner");
      resolve();
      await Promise.all(all);
      expect(order.lastIndexOf("owner") - others - 1).toBe(originsKept - others);
    },
  );

  test("who has waited for long when it is somebody's turn is told to try again", async () => {
    let isLate = false;
    const wait = (name: string, asker: Partial<Asker> = {}) =>
      queue.runFor(
        { address: name, network: name, ...asker },
        async () => name,
        () => isLate,
      );
    const answers = Promise.all([wait("stranger"), wait("owner", known(1))]);
    const inTime = ask("in time");
    isLate = true;
    await end();
    expect([await inTime, await answers]).toEqual(["in time", [undefined, undefined]]);
    expect(await wait("nobody waits")).toBeUndefined();
    isLate = false;
    expect(await wait("again")).toBe("again");
    // A check that was dropped had its turn.
    const { promise, resolve } = Promise.withResolvers<void>();
    void queue.run(() => promise);
    const [fresh, dropped] = [ask("fresh"), ask("stranger")];
    resolve();
    await Promise.all([fresh, dropped]);
    expect(order.slice(-2)).toEqual(["fresh", "stranger"]);
  });

  test("who is known goes first, but leaves every second turn to strangers", async () => {
    for (let at = 0; at < 3; at++) void ask(`stranger ${at}`);
    for (let at = 0; at < 3; at++) void ask(`known ${at}`, known(at));
    const expected = [2, 1, 0].flatMap((at) => [`stranger ${at}`, `known ${at}`]);
    // The job that all wait for was itself none of a stranger.
    expect(await end()).toEqual(expected);
  });

  test("accounts that are known take turns too", async () => {
    for (const name of ["a1", "a2", "b1"]) void ask(name, known(name.charCodeAt(0), name));
    expect(await end()).toEqual(["b1", "a1", "a2"]);
  });

  test("an address, a network and an account have a bounded number of places", async () => {
    const places = async (asker: (at: number) => Partial<Asker>) => {
      const answers = Array.from({ length: 20 }, (_, at) => ask(`${at}`, asker(at)));
      await end();
      return (await Promise.all(answers)).filter((answer) => answer !== undefined).length;
    };
    // One of them runs at once: nothing is before it any more.
    expect(await places(() => ({ address: "a", network: "n" }))).toBe(waitingOfMemberMax);
    expect(await places((at) => ({ address: `${at}`, network: "n" }))).toBe(waitingOfOriginMax + 1);
  });

  test("an account whose places are taken still has those of a stranger", async () => {
    for (let at = 0; at < 20; at++) void ask(`thief ${at}`, { ...known(1, `${at}`), network: "thief" });
    void ask("owner", known(1, "owner"));
    expect(await end()).toContain("owner");
    expect(order.filter((name) => name.startsWith("thief"))).toHaveLength(2 * waitingOfOriginMax);
  });

  test("where all places are taken, who has more of them makes room", async () => {
    const greedy = Array.from({ length: waitingMax }, (_, at) =>
      ask(`greedy ${at}`, { network: `${at % (waitingMax / waitingOfOriginMax)}` }),
    );
    const modest = Array.from({ length: 50 }, (_, at) => ask(`modest ${at}`));
    await end();
    expect(order).toHaveLength(waitingMax);
    expect((await Promise.all(modest)).every((answer) => answer !== undefined)).toBe(true);
    expect((await Promise.all(greedy)).filter((answer) => answer === undefined)).toHaveLength(50);
  });

  test("and where all have one, the one that had a turn last; else there is no place", async () => {
    start();
    await ask("before");
    const { promise, resolve } = Promise.withResolvers<void>();
    void queue.run(() => promise);
    const again = ask("before");
    const others = Array.from({ length: waitingMax - 1 }, (_, at) => ask(`other ${at}`));
    const [next, late] = [ask("next"), ask("late")];
    resolve();
    await Promise.all(all);
    expect([await again, await next, await late]).toEqual([undefined, "next", undefined]);
    expect((await Promise.all(others)).every((answer) => answer !== undefined)).toBe(true);
  });
});
