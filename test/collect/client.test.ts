import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { clientOf } from "../../src/collect/visitor/client.ts";
import { browserNames, deviceNames, osNames } from "../../src/collect/visitor/names.ts";
import { cpuMs } from "../support/cpu-time.ts";
import { rounds } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";
import { visitors } from "./userAgents.ts";

describe("clientOf", () => {
  test.each(visitors)("%s, %s, %s: %s", (browser, os, device, userAgent) => {
    expect(clientOf(userAgent)).toEqual({ browser, os, device });
  });

  test.each(["", "x", "Mozilla/5.0", "constructor", "__proto__", "\u0000\ud800"])(
    "%p is nobody",
    (userAgent) => {
      expect(clientOf(userAgent)).toEqual({ browser: "Unknown", os: "Unknown", device: "Unknown" });
    },
  );

  test.each([
    "Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)",
    "YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html",
  ])("%p hides its reader", (userAgent) => {
    expect(clientOf(userAgent)).toEqual({ browser: "Unknown", os: "Unknown", device: "Unknown" });
  });

  test("what is known and no special device is a desktop", () => {
    expect(clientOf("Lynx/2.9.0")).toEqual({ browser: "Lynx", os: "Unknown", device: "Desktop" });
    expect(clientOf("(Haiku R1)")).toEqual({ browser: "Unknown", os: "Haiku", device: "Desktop" });
  });

  test("a device of no kind that has a name is no desktop", () => {
    const tesla =
      "Mozilla/5.0 (X11; GNU/Linux) AppleWebKit/601.1 (KHTML, like Gecko) Tesla QtCarBrowser Safari/601.1";
    expect(clientOf(tesla).device).toBe("Unknown");
  });

  test("what stands far behind is a name of ours, and none of the parser's", () => {
    const android =
      "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36";
    const behind = (word: string) => clientOf(`${android} ${"x/1 ".repeat(80)}${word}`).browser;
    expect([behind("FBAN/FB4A;"), behind("AlipayClient/10.2")]).toEqual(["Facebook", "Chrome"]);
    // The longest one that the parser is tested with.
    const alipay =
      "Mozilla/5.0 (Linux; Android 10; VOG-AL00 Build/HUAWEIVOG-AL00; wv) AppleWebKit/537.36 (KHTML, like Gecko) " +
      "Version/4.0 Chrome/105.0.5195.148 MYWeb/0.2.103.0_20230131112530 UWS/3.22.2.9999 UCBS/3.22.2.9999_220000000000 " +
      "Mobile Safari/537.36 NebulaSDK/1.8.100112 Nebula AlipayDefined(nt:WIFI,ws:360|0|3.0) AliApp(AP/10.3.50.9999) " +
      "AlipayClient/10.3.50.9999 Language/en isConcaveScreen/true Region/CN ProductType/devAriver/1.0.0";
    expect(alipay.length).toBe(422);
    expect(clientOf(alipay)).toEqual({ browser: "Alipay", os: "Android", device: "Mobile" });
  });

  test("the case in which a visitor writes a name makes no new name", () => {
    expect(clientOf("x VIVALDI/6 (x11; LINUX x86_64)")).toEqual({
      browser: "Vivaldi",
      os: "Linux",
      device: "Desktop",
    });
  });
});

describe("names", () => {
  test("are trimmed, and each word stands for one name", () => {
    for (const [word, name] of [...browserNames(), ...osNames(), ...deviceNames()]) {
      expect(word).toBe(word.toLowerCase().trim());
      expect(name).toBe(name.trim());
      expect(word).not.toBe("");
    }
    expect([...deviceNames().values()].toSorted()).toEqual(
      ["Console", "Mobile", "TV", "TV", "Tablet", "Wearable"].toSorted(),
    );
  });
});

test("a long run of words takes no more time than a short one", () => {
  for (const run of [
    "9".repeat(970),
    "9 ".repeat(485),
    "t9".repeat(485),
    `archos ${"9".repeat(20)}`.repeat(36),
  ]) {
    const start = cpuMs();
    for (let time = 0; time < 5; time++) clientOf(`Mozilla/5.0 (Linux; Android 9; archos ${run}`);
    // The first of these took 200 ms each.
    expect(cpuMs() - start).toBeLessThan(150);
  }
});

test("whatever is sent, what comes out is on the lists, and soon", () => {
  const browsers = new Set([...browserNames().values(), "Unknown"]);
  const systems = new Set([...osNames().values(), "Unknown"]);
  const devices = new Set([...deviceNames().values(), "Desktop", "Unknown"]);
  const words = fc.constantFrom(
    "Mozilla/5.0 ",
    "(",
    ")",
    "; ",
    "Android ",
    "droid ",
    "wv) ",
    "Chrome/1 ",
    "naver(1.",
    "archos ",
    "archos 9999999999",
    "SAFARI/",
    "tizenbrowser/1",
    "Linux ",
    "Ubuntu",
    "tablet;",
    "mobile ",
    "X",
    "sony",
    "build/",
  );
  const userAgents = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(words, { maxLength: 200, size: "max" }).map((w) => w.join("")),
  );
  fc.assert(
    fc.property(userAgents, (userAgent) => {
      const start = cpuMs();
      const { browser, os, device } = clientOf(userAgent);
      expect(cpuMs() - start).toBeLessThan(100);
      expect([browsers.has(browser), systems.has(os), devices.has(device)]).toEqual([true, true, true]);
    }),
    { seed: seed(), numRuns: rounds(500) },
  );
});
