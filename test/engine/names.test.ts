import { describe, expect, test } from "bun:test";
import { dayMs } from "../../src/core/hit.ts";
import { dayNamesMax, freeNamesMax, NameAdmission, networkShare } from "../../src/engine/admission/names.ts";
import { Site } from "../../src/store/state/site.ts";
import { load, noonMs, valuesOf } from "../support/records.ts";

/** Sites whose rows are added as the store does; `send` returns the values of the row. */
function scene(bytes = Infinity, websites = 1) {
  const sites = new Map(Array.from({ length: websites }, (_, at) => [at + 1, new Site(at + 1)]));
  const admission = new NameAdmission({ bytes, sites });
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

describe("the budget of bytes", () => {
  test("holds, with short names and long ones", () => {
    const { admission, send } = scene(200_000);
    for (let at = 0; at < 2_000; at++) send(`/${at}${"x".repeat(at % 300)}`, `203.0.${at % 250}`);
    expect(admission.bytes).toBeLessThan(201_000);
    expect(admission.bytes).toBeGreaterThan(190_000);
    expect(send("/another")[0]).toBeNull();
    expect(send("/0")[0]).toBe("/0");
  });

  test("leaves a website its part, however much another wants", () => {
    const { sites, kept, admission } = scene(400_000, 4);
    kept("junk", 20_000, "192.0.2", noonMs, 1);
    expect(admission.bytes).toBeLessThan(260_000);
    for (const websiteId of [2, 3, 4]) expect(kept("page", 500, "198.51.100", noonMs, websiteId)).toBe(500);
    expect(admission.bytes).toBeLessThan(402_000);
    expect(sites.size).toBe(4);
  });

  test("is there again once a website is gone", () => {
    const { sites, send, kept } = scene(100_000, 2);
    kept("junk", 10_000, "192.0.2", noonMs, 1);
    const room = kept("junk", 10_000, "192.0.2", noonMs, 2);
    sites.delete(1);
    expect(kept("more", 10_000, "192.0.2", noonMs + 2_000, 2)).toBeGreaterThan(room);
    expect(send(`/another/${"x".repeat(40)}`, "192.0.2", noonMs + 2_000, 2)[0]).toBeNull();
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
    const small = new NameAdmission({ bytes: 10_000, sites });
    expect(small.admitPast(loads.slice(0, 1_000), site, noonMs).some(({ hasOthers }) => hasOthers)).toBe(
      true,
    );
  });
});
