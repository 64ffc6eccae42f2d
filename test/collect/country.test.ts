import { describe, expect, test } from "bun:test";
import { countryByZone, countryOf } from "../../src/collect/visitor/zones.ts";

describe("countryOf", () => {
  test.each([
    ["Europe/Berlin", "DE"],
    ["Europe/Busingen", "DE"],
    ["Europe/London", "GB"],
    ["Europe/Belfast", "GB"],
    ["Europe/Dublin", "IE"],
    ["Europe/Paris", "FR"],
    ["Europe/Zurich", "CH"],
    ["Europe/Vienna", "AT"],
    ["Europe/Kyiv", "UA"],
    ["Europe/Kiev", "UA"],
    ["Europe/Istanbul", "TR"],
    ["Asia/Istanbul", "TR"],
    ["Asia/Nicosia", "CY"],
    ["Europe/Nicosia", "CY"],
    ["Europe/Oslo", "NO"],
    ["Atlantic/Reykjavik", "IS"],
    ["Iceland", "IS"],
    ["Atlantic/Faroe", "FO"],
    ["Atlantic/Faeroe", "FO"],
    ["America/New_York", "US"],
    ["US/Pacific", "US"],
    ["America/Indianapolis", "US"],
    ["America/Indiana/Indianapolis", "US"],
    ["Pacific/Honolulu", "US"],
    ["America/Toronto", "CA"],
    ["America/Montreal", "CA"],
    ["America/Coral_Harbour", "CA"],
    ["America/Atikokan", "CA"],
    ["America/Mexico_City", "MX"],
    ["America/Buenos_Aires", "AR"],
    ["America/Argentina/Buenos_Aires", "AR"],
    ["America/Sao_Paulo", "BR"],
    ["America/Godthab", "GL"],
    ["America/Nuuk", "GL"],
    ["America/Virgin", "VI"],
    ["America/Coyhaique", "CL"],
    ["Asia/Calcutta", "IN"],
    ["Asia/Kolkata", "IN"],
    ["Asia/Katmandu", "NP"],
    ["Asia/Kathmandu", "NP"],
    ["Asia/Saigon", "VN"],
    ["Asia/Ho_Chi_Minh", "VN"],
    ["Asia/Rangoon", "MM"],
    ["Asia/Yangon", "MM"],
    ["Asia/Shanghai", "CN"],
    ["PRC", "CN"],
    ["Asia/Urumqi", "CN"],
    ["Asia/Hong_Kong", "HK"],
    ["Asia/Taipei", "TW"],
    ["Asia/Tokyo", "JP"],
    ["Japan", "JP"],
    ["Asia/Tel_Aviv", "IL"],
    ["Africa/Asmera", "ER"],
    ["Africa/Asmara", "ER"],
    ["Africa/Timbuktu", "ML"],
    ["Africa/Lagos", "NG"],
    ["Australia/Sydney", "AU"],
    ["Australia/ACT", "AU"],
    ["Pacific/Auckland", "NZ"],
    ["NZ", "NZ"],
    ["Pacific/Truk", "FM"],
    ["Pacific/Chuuk", "FM"],
    ["Pacific/Enderbury", "KI"],
    ["Pacific/Kanton", "KI"],
    ["Antarctica/South_Pole", "AQ"],
    // As sent, with case ignored.
    ["europe/berlin", "DE"],
    ["ASIA/CALCUTTA", "IN"],
  ])("%p lies in %p", (zone, country) => {
    expect(countryOf(zone)).toBe(country);
  });

  test.each([
    "",
    "UTC",
    "Etc/GMT+5",
    "GMT",
    "CET",
    "EST5EDT",
    "Mars/Olympus",
    "Europe",
    "Europe/",
    "__proto__",
    "DE",
    "+02:00",
  ])("%p lies nowhere", (zone) => {
    expect(countryOf(zone)).toBe("");
  });
});

test("the table agrees with the zones of every region that Intl knows", () => {
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  const regions = letters.flatMap((first) => letters.map((second) => first + second));
  const differing: string[] = [];
  for (const region of regions)
    for (const zone of new Intl.Locale(`und-${region}`).getTimeZones() ?? [])
      if (countryOf(zone) !== region) differing.push(`${zone}: ${region}, here ${countryOf(zone)}`);
  expect(differing).toEqual([]);
});

test("every zone of the runtime but those of no country has one", () => {
  const without = Intl.supportedValuesOf("timeZone").filter((zone) => countryOf(zone) === "");
  expect(without.filter((zone) => zone !== "UTC" && !zone.startsWith("Etc/"))).toEqual([]);
});

test("every country of the table has a name, every zone is one that Intl can name the time of", () => {
  const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
  for (const [zone, country] of countryByZone()) {
    expect(country).toMatch(/^[A-Z]{2}$/);
    expect(names.of(country)).toBeString();
    expect(() => new Intl.DateTimeFormat("en", { timeZone: zone })).not.toThrow();
  }
});
