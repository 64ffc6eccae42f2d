import { expect, test } from "bun:test";
import { nextTurn, Trickle } from "../../src/lib/threads/turn.ts";

test("those that wait go on in their order, so many in each turn", async () => {
  const trickle = new Trickle(16);
  const gone: number[] = [];
  const wait = (at: number) => void trickle.turn().then(() => gone.push(at));
  for (let at = 0; at < 40; at++) wait(at);
  const counts: number[] = [];
  for (let turn = 0; turn < 4; turn++) {
    await nextTurn();
    counts.push(gone.length);
    if (turn === 0) wait(40);
  }
  expect(counts).toEqual([16, 32, 41, 41]);
  expect(gone).toEqual(Array.from({ length: 41 }, (_, at) => at));
});
