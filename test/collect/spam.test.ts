import { describe, expect, test } from "bun:test";
import { isSpam } from "../../src/collect/spam.ts";
import { hostOf } from "../../src/core/addresses/referrer.ts";
import { normalizeReferrer } from "../../src/core/addresses/referrer.ts";
import { cpuMs } from "../support/cpu-time.ts";

const judged = (url: string) => isSpam(normalizeReferrer(url) ?? "");

describe("isSpam", () => {
  test.each([
    "http://semalt.com/",
    "http://semalt.semalt.com/crawler.php?u=http://example.com",
    "https://www.buttons-for-website.com",
    "https://DARODAR.com:8080/x",
    "http://forum.topic123.darodar.com/",
    "http://compliance-alexa.xyz/a/b/c",
    "https://semalt.com./",
    "https://semalt.com../",
    "https://semalt.com.....:443/x",
  ])("%p is", (url) => {
    expect(judged(url)).toBe(true);
  });

  test.each([
    "https://www.google.com/search?q=semalt.com",
    "https://example.com/semalt.com",
    "https://notsemalt.com/",
    "https://semalt.com.example.org/",
    "https://com/",
    "android-app://com.google.android.gm/",
    "",
  ])("%p is not", (url) => {
    expect(judged(url)).toBe(false);
  });

  test("a host of very many labels is judged soon", () => {
    const start = cpuMs();
    expect(isSpam("a.".repeat(1_000) + "semalt.com")).toBe(true);
    expect(cpuMs() - start).toBeLessThan(100);
  });
});

test("hostOf takes what stands before the path", () => {
  expect(hostOf("example.com/a/b")).toBe("example.com");
  expect(hostOf("example.com")).toBe("example.com");
  expect(hostOf("")).toBe("");
});
