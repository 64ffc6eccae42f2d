import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { memoryBytes } from "../../src/lib/memory/memory.ts";
import { testWith } from "../support/needs.ts";

testWith("linux", "the memory is no more than the machine's, and some of it", () => {
  const [, kibibytes] = /^MemTotal:\s*(\d+) kB$/m.exec(readFileSync("/proc/meminfo", "utf8")) ?? [];
  expect(memoryBytes()).toBeLessThanOrEqual(Number(kibibytes) * 1024);
  expect(memoryBytes()).toBeGreaterThan(2 ** 26);
  expect(memoryBytes()).toBeInteger();
});
