/** The parts of the memory that a server is given. */
import { expect, test } from "bun:test";
import {
  answersMemory,
  connectionsMax,
  ownMemory,
  workerMemory,
} from "../../src/engine/options/memory-plan.ts";

const mebi = 1024 * 1024;

test("the threads share all of it", () => {
  for (const bytes of [64, 256, 4_096].map((count) => count * mebi))
    expect(ownMemory(bytes).bytes + workerMemory(bytes, 0).bytes).toBe(bytes);
});

test("connections are fewer where there is less, but never too few to serve a busy website", () => {
  expect([1, 256, 1_024, Infinity].map((count) => connectionsMax(count * mebi))).toEqual([
    512,
    13_107,
    52_428,
    Infinity,
  ]);
});

test("answers that nobody reads have an eighth, and no more than they need", () => {
  expect([256, 4_096].map((count) => answersMemory(count * mebi))).toEqual([32 * mebi, 64 * mebi]);
});
