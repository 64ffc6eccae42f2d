/** Names that other products have for browsers, systems and devices are those that hits have here. */
import { expect, test } from "bun:test";
import { browserOf, deviceOf, osOf } from "../../../src/cli/import/formats/exported.ts";
import { browserNames } from "../../../src/collect/visitor/names.ts";

test("of Google Analytics", () => {
  const browsers = [
    "Safari (in-app)",
    "Android Webview",
    "Samsung Internet",
    "YaBrowser",
    "UC Browser",
    "Edge",
  ];
  expect(browsers.map((name) => browserOf(name))).toEqual([
    ...["Safari", "Chrome", "Samsung Internet", "Yandex Browser", "UC Browser", "Edge"],
  ]);
  const systems = ["Windows", "Macintosh", "MacOS", "iOS", "Android", "Chrome OS", "Linux", "<Other>"];
  expect(systems.map((name) => osOf(name))).toEqual([
    ...["Windows", "macOS", "macOS", "iOS", "Android", "ChromeOS", "Linux", "Unknown"],
  ]);
  const devices = ["desktop", "mobile", "tablet", "smart tv"];
  expect(devices.map((name) => deviceOf(name))).toEqual(["Desktop", "Mobile", "Tablet", "TV"]);
});

test("of Umami, which has those of detect-browser", () => {
  const names = new Set(browserNames().values());
  for (const name of ["opera-mini", "opera", "yandexbrowser", "samsung", "crios", "fxios", "edge-chromium"])
    expect([name, names.has(browserOf(name))]).toEqual([name, true]);
});
