import { describe, expect, test } from "bun:test";
import { sentNetwork } from "../../src/collect/hit.ts";
import { dayMs } from "../../src/core/hit.ts";
import { dayNamesMax, freeNamesMax, NameAdmission, networkShare } from "../../src/engine/admission/names.ts";
import { Site } from "../../src/store/state/site.ts";
import { load, noonMs, valuesOf } from "../support/records.ts";
import { wyhashTexts } from "../support/wyhash-texts.ts";

/** Sites whose rows are added as the store does; `send` returns the values of the row. */
function scene(bytes = Infinity, websites = 1, ownerOf = (_websiteId: number) => 1) {
  const sites = new Map(Array.from({ length: websites }, (_, at) => [at + 1, new Site(at + 1)]));
  const admission = new NameAdmission({ bytes: () => bytes, sites, ownerOf });
  const send = (path: string, network = "192.0.2", nowMs = noonMs, websiteId = 1, referrer = "") => {
    const site = sites.get(websiteId) as Site;
    const values = valuesOf(path).with(1, referrer);
    const fact = admission.admit(load("b", { values, websiteId, timeMs: nowMs }), site, network, nowMs);
    site.addProperties(site.addRow(nowMs, fact.values, 0), fact, nowMs);
    return fact.values;
  };
  /** How many of so many new paths are kept apart. */
  const kept = (name: string, count: number, network?: string, nowMs?: number, websiteId?: number) => {
    let sum = 0;
    for (let at = 0; at < count; at++)
      if (send(`/${name}/${at}`, network, nowMs, websiteId)[0] !== null) sum++;
    return sum;
  };
  return { sites, admission, send, kept };
}

describe("new names of a kind", () => {
  test("are free up to the first limit, but one network has only its share of the second half", () => {
    const { kept, send } = scene();
    expect(kept("a", freeNamesMax, "192.0.2")).toBe(freeNamesMax / 2);
    const share = freeNamesMax * networkShare;
    expect(kept("b", 2 * share, "198.51.100")).toBe(share);
    const others = Array.from({ length: 10 }, (_, at) => kept(`c${at}`, share + 100, `203.0.${at}`));
    expect(others.slice(0, 4)).toEqual(new Array(4).fill(share));
    // Known names are still counted apart, and other kinds have their own limits.
    expect(send("/a/0", "192.0.2")[0]).toBe("/a/0");
    expect(send("/new", "192.0.2", noonMs, 1, "news.example")[1]).toBe("news.example");
  });

  test("come at a pace after that, and tomorrow again", () => {
    const { sites, kept, send } = scene();
    const site = sites.get(1) as Site;
    for (let at = 0; at < freeNamesMax; at++) site.addRow(noonMs, valuesOf(`/old/${at}`), 0);
    expect(kept("a", dayNamesMax, "192.0.2")).toBe(dayNamesMax / 2);
    for (let at = 0; at < 5; at++)
      expect(kept(`b${at}`, dayNamesMax, `203.0.${at}`)).toBe(dayNamesMax * networkShare);
    expect(send("/honest", "198.51.100")[0]).toBeNull();
    expect(send("/honest", "198.51.100", noonMs + dayMs)[0]).toBe("/honest");
  });

  test("are no fewer for having one hash of those that strangers know", () => {
    const { sites, send } = scene();
    const site = sites.get(1) as Site;
    for (let at = 0; at < freeNamesMax; at++) site.addRow(noonMs, valuesOf(`/old/${at}`), 0);
    const names = wyhashTexts("1 0 ", dayNamesMax);
    expect(new Set(names.map((name) => Bun.hash(`1 0 ${name}`))).size).toBe(1);
    expect(names.filter((name) => send(name)[0] !== null)).toHaveLength(dayNamesMax / 2);
  });

  test("take nothing of that day from visitors where the owner imports them", () => {
    const { sites, admission, send } = scene();
    const site = sites.get(1) as Site;
    for (let at = 0; at < freeNamesMax; at++) site.addRow(noonMs, valuesOf(`/old/${at}`), 0);
    send("/today", "203.0.113");
    const loads = Array.from({ length: dayNamesMax }, (_, at) => ({
      timeMs: noonMs,
      unique: true,
      seen: false,
      values: valuesOf(`/imported/${at}`),
    }));
    for (const { values } of admission.admitPast(loads, site, noonMs)) site.addRow(noonMs, values, 0);
    expect(site.dictionaries[0]!.has(`/imported/${dayNamesMax - 1}`)).toBeTrue();
    expect(send("/honest", "198.51.100")[0]).toBe("/honest");
  });

  test("are tuples too: where a new one is too many its members are counted together", () => {
    const { sites, send } = scene();
    const site = sites.get(1) as Site;
    const column = site.tuples.source;
    for (let at = 0; at < 300; at++)
      for (let campaign = 0; campaign < 300; campaign++)
        site.addRow(noonMs, valuesOf("/").with(1, `r${at}`).with(4, `c${campaign}`), 0);
    const before = column.size;
    expect(before).toBeGreaterThan(freeNamesMax);
    for (let at = 0; at < dayNamesMax; at++) send("/", `203.0.${at % 200}`, noonMs, 1, `x${at}`);
    expect(column.size).toBe(before + dayNamesMax);
    expect(send("/", "198.51.100", noonMs, 1, "last.example").slice(1, 5)).toEqual([null, null, null, null]);
  });
});

test("networks that a token names let none of a visitor be forgotten", () => {
  const { kept } = scene(Infinity, 2);
  const share = freeNamesMax * networkShare;
  for (let at = 0; at < 10; at++) kept(`a${at}`, freeNamesMax / 20, `203.0.${at}`);
  expect(kept("b", share + 100, "192.0.2")).toBe(share);
  for (let at = 0; at < 33_000; at++) kept(`c${at}`, 1, sentNetwork(7, `${at}`), noonMs, 2);
  expect(kept("d", 10, "192.0.2")).toBe(0);
});

describe("names that are admitted together", () => {
  test("are counted for their network each, also where values have a line feed", () => {
    const { sites, admission } = scene();
    const site = sites.get(1) as Site;
    let hits = 0;
    for (let source = 1; source <= 180; source++)
      for (let medium = 1; medium <= 180; medium++, hits++) {
        const utm = [source, medium, 500 - source - medium].map((length) => "\n".repeat(length));
        const values = valuesOf("/").with(2, utm[0]!).with(3, utm[1]!).with(4, utm[2]!);
        const fact = admission.admit(
          load("b", { values, websiteId: 1, timeMs: noonMs }),
          site,
          "192.0.2",
          noonMs,
        );
        site.addRow(noonMs, fact.values, 0);
      }
    expect(hits).toBeGreaterThan(freeNamesMax / 2 + 5_000);
    expect(site.tuples.source.size).toBeLessThan(freeNamesMax / 2 + 500);
  });
});

describe("the budget of bytes", () => {
  test("is not filled by one network: past half of it, it has its share of the rest a day", () => {
    const { admission, kept } = scene(400_000);
    kept("junk", 20_000, "192.0.2");
    expect(admission.bytes).toBeWithin(195_000, 205_000);
    expect(kept("page", 5_000, "198.51.100")).toBeGreaterThan(300);
    expect(admission.bytes).toBeWithin(213_000, 223_000);
    // However long it goes on, there is room for others.
    for (let day = 1; day < 20; day++)
      expect(kept(`day-${day}`, 1_000, "192.0.2", noonMs + day * dayMs)).toBeGreaterThan(20);
    expect(admission.bytes).toBeWithin(350_000, 390_000);
    expect(kept("others", 20, "203.0.113", noonMs + 19 * dayMs)).toBe(20);
  });

  test("holds, with short names and long ones", () => {
    const { admission, send } = scene(200_000);
    for (let at = 0; at < 2_000; at++) send(`/${at}${"x".repeat(at % 300)}`, `203.0.${at % 250}`);
    expect(admission.bytes).toBeLessThan(201_000);
    expect(admission.bytes).toBeGreaterThan(190_000);
    expect(send(`/another/${"x".repeat(2_000)}`)[0]).toBeNull();
    expect(send("/0")[0]).toBe("/0");
  });

  test("leaves a website its part, however much another wants", () => {
    const { sites, kept, admission } = scene(400_000, 4);
    for (let at = 0; at < 40; at++) kept(`junk-${at}`, 500, `203.0.${at}`);
    expect(admission.bytes).toBeWithin(240_000, 260_000);
    for (const websiteId of [2, 3, 4]) expect(kept("page", 500, "198.51.100", noonMs, websiteId)).toBe(500);
    expect(admission.bytes).toBeLessThan(402_000);
    expect(sites.size).toBe(4);
  });

  test("leaves an account its part, however many websites another has", () => {
    const { sites, kept } = scene(400_000, 2, (websiteId) => (websiteId === 2 ? 2 : 1));
    for (let at = 0; at < 40; at++) kept(`junk-${at}`, 500, `203.0.${at}`);
    for (let websiteId = 3; websiteId < 4_000; websiteId++) sites.set(websiteId, new Site(websiteId));
    expect(kept("page", 500, "198.51.100", noonMs + 2_000, 2)).toBe(500);
    // The part of the account that has so many is divided between them.
    expect(kept("page", 500, "198.51.100", noonMs + 2_000, 3)).toBeLessThan(3);
  });

  test("is there again once a website is gone", () => {
    const { sites, send, kept } = scene(100_000, 2);
    const fill = (websiteId: number, nowMs = noonMs) => {
      let sum = 0;
      for (let at = 0; at < 40; at++) sum += kept(`${nowMs}-${at}`, 250, `203.0.${at}`, nowMs, websiteId);
      return sum;
    };
    fill(1);
    const room = fill(2);
    sites.delete(1);
    expect(fill(2, noonMs + 2_000)).toBeGreaterThan(room);
    expect(send(`/another/${"x".repeat(2_000)}`, "192.0.2", noonMs + 2_000, 2)[0]).toBeNull();
  });

  test("alone limits what the owner imports", () => {
    const { sites, admission } = scene(5_000_000);
    const site = sites.get(1) as Site;
    const loads = Array.from({ length: freeNamesMax + 2 * dayNamesMax }, (_, at) => ({
      timeMs: noonMs,
      unique: true,
      seen: false,
      values: valuesOf(`/${at}`),
    }));
    const admitted = admission.admitPast(loads, site, noonMs);
    expect(admitted.filter(({ hasOthers }) => hasOthers === true).length).toBe(0);
    const small = new NameAdmission({ bytes: () => 10_000, sites, ownerOf: () => 1 });
    expect(small.admitPast(loads.slice(0, 1_000), site, noonMs).some(({ hasOthers }) => hasOthers)).toBe(
      true,
    );
  });

  test("leaves names that the website knows to months that its owner imports", () => {
    const site = new Site(1);
    const known = {
      path: site.dictionaries[0]!.intern("/known"),
      prop_name: site.propertyNames.intern("plan"),
      prop_value: site.propertyValues.intern("gold"),
    };
    expect(Object.values(known).every((id) => id > 0)).toBe(true);
    const admission = new NameAdmission({ bytes: () => 0, sites: new Map([[1, site]]), ownerOf: () => 1 });
    const names = [
      { of: "path", values: ["/known", "/new"] },
      { of: "prop_name", values: ["plan", "gold"] },
      { of: "prop_value", values: ["gold", "plan"] },
    ] as const;
    expect(admission.admitNames(names, site, noonMs).map(({ values }) => values)).toEqual([
      ["/known", null],
      ["plan", null],
      ["gold", null],
    ]);
  });
});
