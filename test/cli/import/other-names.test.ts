/** Names that other products have for browsers, systems and devices are those that hits have here. */
import { expect, test } from "bun:test";
import { browserOf, deviceOf, osOf } from "../../../src/cli/import/formats/exported.ts";
import { languageTag } from "../../../src/cli/import/formats/language-tag.ts";
import { languageOf } from "../../../src/collect/visitor/language.ts";
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

test("of Android and of Amazon's browser, by each product", () => {
  // Umami's detect-browser 5.3, Matomo's device-detector 6.4, which Plausible's is a port of, and Medama's go-useragent 1.2; GA4 of apps.
  const browsers = ["android", "miui", "HeyTapBrowser", "Mobile Silk", "Amazon Silk", "Android Runtime"];
  expect(browsers.map((name) => browserOf(name))).toEqual([
    ...["Android Browser", "MIUI Browser", "HeyTap Browser", "Silk", "Silk", "Unknown"],
  ]);
  expect(osOf("Fire OS")).toBe("Android");
});

test("of Medama's languages, which are those of Go's golang.org/x/text 0.37, become the tags of hits", () => {
  const names = [
    ["he", "Hebrew", "Hebrew"],
    ["id", "Indonesian", "Indonesian"],
    ["jv", "Javanese", "Javanese"],
    ["nb", "Norwegian Bokmål", "Norwegian Bokmål (Norway)"],
    ["nn", "Norwegian Nynorsk", "Norwegian Nynorsk"],
    ["fil", "Filipino", "Filipino"],
    ["yue", "Cantonese", "Cantonese"],
    ["pt-BR", "Portuguese", "Brazilian Portuguese"],
    ["ro-MD", "Romanian", "Moldavian"],
  ] as const;
  for (const [tag, language, dialect] of names) {
    expect([dialect, languageTag(language, dialect)]).toEqual([dialect, tag]);
    expect(languageOf(tag)).toBe(tag);
  }
  expect(languageTag("Multiple languages", "Multiple languages")).toBe("");
});
