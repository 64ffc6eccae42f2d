import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { memoryBytes } from "../../src/lib/memory/memory.ts";
import { isThere, nameWith } from "../support/needs.ts";

test.skipIf(!isThere("linux"))(
  nameWith("linux", "the memory is no more than the machine's, and some of it"),
  () => {
    const [, kibibytes] = /^MemTotal:\s*(\d+) kB$/m.exec(readFileSync("/proc/meminfo", "utf8")) ?? [];
    expect(memoryBytes()).toBeLessThanOrEqual(Number(kibibytes) * 1024);
    expect(memoryBytes()).toBeGreaterThan(2 ** 26);
    expect(memoryBytes()).toBeInteger();
  },
);
