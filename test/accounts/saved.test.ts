import { beforeEach, describe, expect, test } from "bun:test";
import { Registry, type RegistryState } from "../../src/accounts/registry/registry.ts";
import { tokensMax } from "../../src/core/api-token.ts";
import { goalsMax } from "../../src/core/website/goal.ts";
import { nothingListed } from "../../src/core/website/listed-entries.ts";
import { notesMax } from "../../src/core/website/note.ts";
import { funnelsMax } from "../../src/core/website/funnel.ts";
import { segmentsMax } from "../../src/core/website/segment.ts";
import { linksMax } from "../../src/core/website/link.ts";
import { invitationMs, invitationsMax } from "../../src/core/website/role.ts";
import { noRules } from "../../src/core/website/rules.ts";
import type { LogRecord } from "../../src/record/record.ts";
import {
  goalAdded,
  funnelAdded,
  funnelRemoved,
  goalRemoved,
  noteAdded,
  noteChanged,
  noteRemoved,
  segmentAdded,
  segmentRemoved,
  imported,
  invitationAccepted,
  invitationAdded,
  linkAdded,
  linkRemoved,
  secondFactorChanged,
  sessionStarted,
  tokenAdded,
  userAdded,
  websiteAdded,
  websiteAliases,
  websiteRules,
} from "../support/account-records.ts";
import { noonMs } from "../support/records.ts";

/** Never changes: checkpoints like this one lie in data folders. */
const firstFormat = `{
  "nextUserId": 2,
  "nextWebsiteId": 2,
  "users": [{
    "userId": 1, "username": "ada", "passwordHash": "h", "language": "en", "scriptType": ["default"],
    "createdMs": 1, "updatedMs": 1
  }],
  "websites": [{
    "websiteId": 1, "userId": 1, "hostname": "a.example", "imports": [{ "file": "x", "position": 9, "digest": "d" }]
  }],
  "sessions": [{
    "sessionId": "s", "userId": 1, "tokenHash": "t", "createdMs": 1, "renewedMs": 1, "browser": "", "os": ""
  }]
}`;

let registry: Registry;

beforeEach(() => {
  registry = new Registry();
});

function apply(...records: LogRecord[]): void {
  for (const record of records) expect(registry.apply(record)).toBe("done");
}

/** The registry as it comes back from a checkpoint: the same one. */
function reloaded(): Registry {
  const json = JSON.stringify(registry.save());
  const loaded = Registry.load(JSON.parse(json) as RegistryState);
  loaded.check();
  expect(JSON.stringify(loaded.save())).toBe(json);
  return loaded;
}

describe("save and load", () => {
  test("the JSON is the same for the same state, whatever way led there", () => {
    const ways: LogRecord[][] = [
      [sessionStarted("b"), sessionStarted("a"), imported(1, "y", 0, 1), imported(1, "x", 0, 1)],
      [imported(1, "x", 0, 1), imported(1, "y", 0, 1), sessionStarted("a"), sessionStarted("b")],
    ];
    const saved = ways.map((records) => {
      registry = new Registry();
      apply(userAdded(1, "ada"), websiteAdded(1, "a.example"), ...records);
      return JSON.stringify(registry.save());
    });
    expect(saved[0]).toBe(saved[1] as string);
  });

  test("what comes back is the same state, counters included", () => {
    apply(userAdded(1, "ada"), userAdded(2, "bob"), websiteAdded(4, "a.example"), imported(4, "x", 0, 9));
    apply(sessionStarted("s"), { kind: "userRemoved", timeMs: noonMs, userId: 2 });
    const loaded = reloaded();
    expect(loaded.nextUserId).toBe(3);
    expect(loaded.nextWebsiteId).toBe(5);
    expect(loaded.websiteByHost("a.example")).toEqual(registry.websiteByHost("a.example"));
    expect(loaded.sessionByTokenHash("hash of s", noonMs)).toEqual(registry.sessions.get("s"));
  });

  test("a checkpoint of the first format has every field that one of today has", () => {
    apply(userAdded(1, "ada"), websiteAdded(1, "a.example"), imported(1, "x", 0, 9), sessionStarted("s"));
    const loaded = Registry.load(JSON.parse(firstFormat) as RegistryState).save();
    const { users, websites, sessions } = registry.save();
    const fieldsOf = (rows: readonly object[]) => rows.map((row) => Object.keys(row).sort());
    for (const [first, today] of [
      [loaded.users, users],
      [loaded.websites, websites],
      [loaded.websites.flatMap(({ imports }) => imports), websites.flatMap(({ imports }) => imports)],
      [loaded.sessions, sessions],
    ] as const)
      expect(fieldsOf(first)).toEqual(fieldsOf(today));
  });

  test("a second factor is saved where there is one, with the step that was used last", () => {
    apply(userAdded(1, "ada"), sessionStarted("r"));
    const before = JSON.stringify(registry.save());
    expect(before).not.toContain("secondFactor");
    const on = secondFactorChanged(1, { secret: "secret", usedStep: 7, keepSessionId: "r" });
    apply(on, sessionStarted("s", { usedStep: 9 }));
    registry = reloaded();
    expect(registry.users.get(1)?.secondFactor).toEqual({ secret: "secret", usedStep: 9 });
    expect(registry.apply(sessionStarted("t", { usedStep: 9 }))).toBe("taken");
    apply(secondFactorChanged(1), { kind: "sessionEnded", timeMs: noonMs, sessionId: "s" });
    expect(JSON.stringify(registry.save())).toBe(before);
  });

  test("other hostnames are saved where there are some, and are none in files from before", () => {
    apply(userAdded(1, "ada"), websiteAdded(1, "a.example"));
    const before = JSON.stringify(registry.save());
    expect(before).not.toContain("aliases");
    apply(websiteAliases(1, ["b.example", "c.example"]));
    expect(reloaded().websiteForHit("www.b.example")?.aliases).toEqual(["b.example", "c.example"]);
    apply(websiteAliases(1, []));
    expect(registry.websiteForHit("b.example")).toBeUndefined();
    expect(JSON.stringify(registry.save())).toBe(before);
  });

  test("rules are saved where there are some, and are none in files from before", () => {
    apply(userAdded(1, "ada"), websiteAdded(1, "a.example"));
    const before = JSON.stringify(registry.save());
    expect(before).not.toContain("rules");
    expect(registry.websiteByHost("a.example")?.rules).toBe(noRules);
    apply(websiteRules(1, { paths: ["/admin/*"], countsSpam: true }), websiteRules(1, { countries: ["DE"] }));
    const rules = { ...noRules, paths: ["/admin/*"], countries: ["DE"], countsSpam: true };
    expect(reloaded().websiteByHost("a.example")?.rules).toEqual(rules);
    // Rules from before referrers could be no source.
    const lacking = JSON.stringify(registry.save()).replace(',"ignoredReferrers":[]', "");
    expect(lacking).not.toContain("ignoredReferrers");
    const completed = Registry.load(JSON.parse(lacking) as RegistryState);
    expect(completed.save()).toEqual(registry.save());
    expect(completed.websiteByHost("a.example")?.rules).toEqual(rules);
    apply(websiteRules(1, { ignoredReferrers: ["pay.example"] }));
    expect(reloaded().websiteByHost("a.example")?.rules).toEqual({
      ...rules,
      ignoredReferrers: ["pay.example"],
    });
    apply(websiteRules(1, { paths: [], countries: [], countsSpam: false }));
    apply(websiteRules(1, { ignoredReferrers: [] }));
    expect(JSON.stringify(registry.save())).toBe(before);
    expect(registry.apply(websiteRules(2, {}))).toBe("missing");
  });

  test("goals are saved once there was one, with the id that comes next, and are none in files from before", () => {
    apply(userAdded(1, "ada"), websiteAdded(1, "a.example"));
    const before = JSON.stringify(registry.save());
    expect(before).not.toContain("goals");
    expect(registry.websiteByHost("a.example")?.goals).toBe(nothingListed);
    const event = { propName: "signup", propValue: "yes", amount: "price" };
    apply(goalAdded(1, 1), goalAdded(1, 4, { page: [], ...event }), goalRemoved(1, 1));
    const stored = { nextGoalId: 5, list: [{ goalId: 4, name: "goal 4", target: { event } }] };
    expect(JSON.stringify(registry.save())).toContain(JSON.stringify({ goals: stored }).slice(1, -1));
    const goals = { nextId: 5, list: [{ id: 4, name: "goal 4", target: { event } }] };
    expect(reloaded().websiteByHost("a.example")?.goals).toEqual(goals);
    expect(registry.apply(goalAdded(1, 4))).toBe("taken");
    expect(registry.apply(goalRemoved(1, 1))).toBe("missing");
    expect(registry.apply(goalAdded(2, 1))).toBe("missing");
    for (let goalId = 5; goalId < 5 + goalsMax - 1; goalId++) apply(goalAdded(1, goalId));
    expect(registry.apply(goalAdded(1, 90))).toBe("taken");
  });

  test("notes and segments are saved once there was one, with the id that comes next", () => {
    apply(userAdded(1, "ada"), websiteAdded(1, "a.example"));
    expect(JSON.stringify(registry.save())).not.toMatch(/notes|segments/);
    apply(noteAdded(1, 1), noteAdded(1, 4), noteChanged(1, 4, { text: "other" }), noteRemoved(1, 1));
    apply(segmentAdded(1, 1), segmentAdded(1, 2), segmentRemoved(1, 2));
    expect(reloaded().websiteByHost("a.example")).toMatchObject({
      notes: { nextId: 5, list: [{ id: 4, date: "2026-11-03", text: "other" }] },
      segments: { nextId: 3, list: [{ id: 1, name: "segment 1", filters: "country[eq]=Germany" }] },
    });
    expect(registry.apply(noteAdded(1, 4))).toBe("taken");
    expect(registry.apply(noteRemoved(1, 1))).toBe("missing");
    expect(registry.apply(noteChanged(1, 1, {}))).toBe("missing");
    for (let id = 5; id < 5 + notesMax - 1; id++) apply(noteAdded(1, id));
    expect(registry.apply(noteAdded(1, 5_000))).toBe("taken");
    for (let id = 3; id < 3 + segmentsMax - 1; id++) apply(segmentAdded(1, id));
    expect(registry.apply(segmentAdded(1, 5_000))).toBe("taken");
  });

  test("funnels are saved once there was one, and are none in files from before", () => {
    apply(userAdded(1, "ada"), websiteAdded(1, "a.example"));
    expect(JSON.stringify(registry.save())).not.toContain("funnels");
    expect(registry.websiteByHost("a.example")?.funnels).toBe(nothingListed);
    apply(funnelAdded(1, 1), funnelAdded(1, 2), funnelRemoved(1, 2));
    const kept = { id: 1, name: "funnel 1", steps: ["page:/pricing", "event:signup"] };
    expect(reloaded().websiteByHost("a.example")?.funnels).toEqual({ nextId: 3, list: [kept] });
    expect(registry.apply(funnelAdded(1, 2))).toBe("taken");
    expect(registry.apply(funnelRemoved(1, 2))).toBe("missing");
    expect(registry.apply(funnelAdded(2, 1))).toBe("missing");
    for (let id = 3; id < 3 + funnelsMax - 1; id++) apply(funnelAdded(1, id));
    expect(registry.apply(funnelAdded(1, 5_000))).toBe("taken");
    apply({ kind: "websiteRemoved", timeMs: noonMs, websiteId: 1 });
    expect(JSON.stringify(registry.save())).not.toContain("funnel");
  });

  test("links are saved where there are some, and are none in files from before", () => {
    apply(userAdded(1, "ada"), websiteAdded(1, "a.example"));
    const before = JSON.stringify(registry.save());
    expect(before).not.toContain("links");
    const filters = [{ name: "country", operator: "in", operands: ["Germany"] }] as const;
    apply(linkAdded(1, "a"), linkAdded(1, "b", { filters, passwordHash: "h", tokenHash: null }));
    const own = { frameAncestors: [], createdMs: noonMs };
    expect(reloaded().websiteByHost("a.example")?.links).toEqual([
      { linkId: "a", name: "link a", tokenHash: "hash of a", passwordHash: null, filters: [], ...own },
      { linkId: "b", name: "link b", tokenHash: null, passwordHash: "h", filters, ...own },
    ]);
    expect(registry.apply(linkAdded(1, "a"))).toBe("taken");
    expect(registry.apply(linkAdded(2, "a"))).toBe("missing");
    expect(registry.apply(linkRemoved(1, "c"))).toBe("missing");
    apply(linkRemoved(1, "a"), linkRemoved(1, "b"));
    expect(JSON.stringify(registry.save())).toBe(before);
    for (let link = 0; link < linksMax; link++) apply(linkAdded(1, `l${link}`));
    expect(registry.apply(linkAdded(1, "more"))).toBe("taken");
  });

  test("tokens are saved where there are some, and are none in files from before", () => {
    apply(userAdded(1, "ada"), userAdded(2, "bob"), websiteAdded(1, "a.example"));
    const before = JSON.stringify(registry.save());
    expect(before).not.toContain("tokens");
    const used = { kind: "tokenUsed", timeMs: noonMs + 1, tokenId: "b" } as const;
    apply(tokenAdded("b", { websiteId: 1, scope: "send" }), used, tokenAdded("a", { userId: 2 }));
    expect(reloaded().tokens.byHash("hash of b")).toMatchObject({
      websiteId: 1,
      scope: "send",
      usedMs: noonMs + 1,
    });
    expect(registry.apply(tokenAdded("c", { userId: 2, websiteId: 1 }))).toBe("missing");
    expect(registry.apply(tokenAdded("a"))).toBe("taken");
    expect(registry.apply(tokenAdded("c", { tokenHash: "hash of a" }))).toBe("taken");
    apply({ kind: "userRemoved", timeMs: noonMs, userId: 2 });
    expect([...registry.tokens.rows.keys()]).toEqual(["b"]);
    for (let token = 1; token < tokensMax; token++) apply(tokenAdded(`t${token}`));
    expect(registry.apply(tokenAdded("more"))).toBe("taken");
    apply({ kind: "websiteRemoved", timeMs: noonMs, websiteId: 1 });
    expect(registry.tokens.byHash("hash of b")).toBeUndefined();
  });

  test("members and invitations are saved where there are some, and one who is gone has no website", () => {
    apply(userAdded(1, "ada"), userAdded(2, "bob"), websiteAdded(1, "a.example"));
    const before = JSON.stringify(registry.save().websites);
    expect(before).not.toMatch(/members|invitations/);
    apply(
      invitationAdded(1, "x"),
      invitationAdded(1, "y", { role: "viewer" }),
      invitationAccepted(1, "x", 2),
    );
    expect(reloaded().websiteByHost("a.example")).toMatchObject({
      userId: 1,
      members: [{ userId: 2, role: "owner" }],
      invitations: [{ invitationId: "y", role: "viewer", tokenHash: "hash of y", createdMs: noonMs }],
    });
    expect(registry.apply(invitationAccepted(1, "y", 3))).toBe("missing");
    expect(registry.sharedWith(2)).toEqual(registry.sharedWith(1));
    apply({ kind: "userRemoved", timeMs: noonMs, userId: 1 });
    expect(registry.websiteByHost("a.example")).toMatchObject({
      userId: 2,
      members: [],
      // The owner who went may have kept one.
      invitations: [],
    });
    for (let count = 0; count < invitationsMax; count++) apply(invitationAdded(1, `i${count}`));
    expect(registry.apply(invitationAdded(1, "more"))).toBe("taken");
    apply(invitationAdded(1, "later", { timeMs: noonMs + invitationMs }));
    expect(registry.websiteByHost("a.example")?.invitations).toHaveLength(1);
  });

  test("check finds what does not belong together", () => {
    apply(userAdded(1, "ada"), websiteAdded(1, "a.example"), sessionStarted("s"));
    const state = registry.save();
    const checkOf = (change: Partial<RegistryState>) => () => Registry.load({ ...state, ...change }).check();
    expect(checkOf({})).not.toThrow();
    expect(checkOf({ nextUserId: 1 })).toThrow("id 1 is above the one before it and below 1");
    expect(checkOf({ users: [] })).toThrow("user 1 of a session exists");
    expect(checkOf({ users: [], sessions: [] })).toThrow("user 1 of website 1 exists");
  });
});
