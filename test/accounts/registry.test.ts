import { beforeEach, describe, expect, test } from "bun:test";
import { sessionLifetimeMs, sessionsPerUserMax } from "../../src/accounts/account.ts";
import { Registry } from "../../src/accounts/registry/registry.ts";
import type { LogRecord } from "../../src/record/record.ts";
import {
  imported,
  secondFactorChanged,
  sessionStarted,
  userAdded,
  userChanged,
  websiteAdded,
} from "../support/account-records.ts";
import { load, noonMs } from "../support/records.ts";

let registry: Registry;

beforeEach(() => {
  registry = new Registry();
});

function apply(...records: LogRecord[]) {
  const outcomes = records.map((record) => registry.apply(record));
  registry.check();
  return outcomes;
}

describe("users", () => {
  test("a new one has the defaults and the time of the record", () => {
    expect(apply(userAdded(1, "ada"))).toEqual(["done"]);
    expect(registry.users.get(1)).toEqual({
      userId: 1,
      username: "ada",
      passwordHash: "hash of ada",
      language: "en",
      scriptType: ["default"],
      createdMs: noonMs,
      updatedMs: noonMs,
    });
  });

  test("are found without regard to case", () => {
    apply(userAdded(1, "Ada"));
    expect(registry.userByName("aDA")?.username).toBe("Ada");
    expect(registry.userByName("bob")).toBeUndefined();
  });

  test("of two equal names in one batch the second is taken", () => {
    expect(apply(userAdded(1, "ada"), userAdded(2, "ADA"))).toEqual(["done", "taken"]);
    expect(registry.users.size).toBe(1);
  });

  test("ids are never used twice, not even a removed one's", () => {
    apply(userAdded(1, "ada"), userAdded(2, "bob"));
    apply({ kind: "userRemoved", timeMs: noonMs, userId: 2 });
    expect(registry.nextUserId).toBe(3);
    expect(apply(userAdded(2, "eve"), userAdded(3, "eve"))).toEqual(["taken", "done"]);
  });

  test("firstOnly is taken as soon as there is any account", () => {
    const first = (userId: number, username: string) => userAdded(userId, username, { firstOnly: true });
    expect(apply(first(1, "ada"), first(2, "bob"))).toEqual(["done", "taken"]);
    expect(registry.oldestUser?.username).toBe("ada");
  });

  test("a change leaves what is null and notes its time", () => {
    apply(userAdded(1, "ada"));
    const change = { timeMs: noonMs + 5, scriptType: ["click-events"] };
    expect(apply(userChanged(1, change))).toEqual(["done"]);
    expect(registry.users.get(1)).toMatchObject({
      username: "ada",
      passwordHash: "hash of ada",
      language: "en",
      scriptType: ["click-events"],
      createdMs: noonMs,
      updatedMs: noonMs + 5,
    });
  });

  test("a new name replaces the old one, and may differ from it in case only", () => {
    apply(userAdded(1, "ada"));
    expect(apply(userChanged(1, { username: "ADA" }))).toEqual(["done"]);
    expect(apply(userChanged(1, { username: "countess" }))).toEqual(["done"]);
    expect(registry.userByName("ada")).toBeUndefined();
    expect(registry.userByName("countess")?.userId).toBe(1);
  });

  test("a taken name changes nothing of what came with it", () => {
    apply(userAdded(1, "ada"), userAdded(2, "bob"), sessionStarted("s", { userId: 2 }));
    const before = registry.save();
    expect(apply(userChanged(2, { username: "Ada", passwordHash: "new", language: "en" }))).toEqual([
      "taken",
    ]);
    expect(registry.save()).toEqual(before);
  });

  test("a new password ends all sessions of the account but the one to keep", () => {
    apply(userAdded(1, "ada"), userAdded(2, "bob"), sessionStarted("b", { userId: 2 }));
    apply(sessionStarted("kept"), sessionStarted("other"));
    apply(userChanged(1, { passwordHash: "new", keepSessionId: "kept" }));
    expect([...registry.sessions.keys()].sort()).toEqual(["b", "kept"]);
    apply(userChanged(1, { passwordHash: "newer" }));
    expect([...registry.sessions.keys()]).toEqual(["b"]);
  });

  test("a second factor ends them too, comes once, and goes without ending any", () => {
    const on = secondFactorChanged(1, { secret: "secret", usedStep: 7, keepSessionId: "kept" });
    apply(userAdded(1, "ada"), userAdded(2, "bob"), sessionStarted("b", { userId: 2 }));
    apply(sessionStarted("kept"), sessionStarted("other"));
    // One that began a batch before, by a password that is another now.
    for (const keepSessionId of ["", "gone", "b"])
      expect(apply({ ...on, keepSessionId })).toEqual(["missing"]);
    expect(apply({ ...on, timeMs: noonMs + sessionLifetimeMs })).toEqual(["missing"]);
    expect(registry.sessions.size).toBe(3);
    expect(apply(secondFactorChanged(1), on, { ...on, secret: "another" })).toEqual([
      "missing",
      "done",
      "taken",
    ]);
    expect(registry.users.get(1)?.secondFactor).toEqual({ secret: "secret", usedStep: 7 });
    expect([...registry.sessions.keys()].sort()).toEqual(["b", "kept"]);
    apply(userChanged(1, { passwordHash: "new", keepSessionId: "kept" }));
    expect(registry.users.get(1)?.secondFactor?.secret).toBe("secret");
    expect(apply(secondFactorChanged(1), secondFactorChanged(1))).toEqual(["done", "missing"]);
    expect([...registry.sessions.keys()].sort()).toEqual(["b", "kept"]);
  });

  test("a code begins one session, and none of before it does, nor does no code", () => {
    apply(userAdded(1, "ada"), sessionStarted("s"));
    apply(secondFactorChanged(1, { secret: "secret", usedStep: 7, keepSessionId: "s" }));
    const steps = [6, 7, 9, 9, 8, 10];
    expect(apply(...steps.map((usedStep, at) => sessionStarted(`s${at}`, { usedStep })))).toEqual([
      "taken",
      "taken",
      "done",
      "taken",
      "taken",
      "done",
    ]);
    expect([...registry.sessions.keys()]).toEqual(["s", "s2", "s5"]);
    expect(apply(sessionStarted("t"), sessionStarted("t", { usedStep: null }))).toEqual(["taken", "taken"]);
    apply(userAdded(2, "bob"));
    expect(apply(sessionStarted("u", { userId: 2, usedStep: 11 }))).toEqual(["taken"]);
  });

  test("other changes end no session", () => {
    apply(userAdded(1, "ada"), sessionStarted("s"), userChanged(1, { username: "eve" }));
    expect(registry.sessions.size).toBe(1);
  });

  test("one that goes takes its websites and sessions along, and only those", () => {
    apply(userAdded(1, "ada"), userAdded(2, "bob"));
    apply(websiteAdded(1, "a.example", 1), websiteAdded(2, "b.example", 2));
    apply(sessionStarted("a", { userId: 1 }), sessionStarted("b", { userId: 2 }));
    expect(apply({ kind: "userRemoved", timeMs: noonMs, userId: 1 })).toEqual(["done"]);
    expect([...registry.users.keys()]).toEqual([2]);
    expect([...registry.websites.keys()]).toEqual([2]);
    expect([...registry.sessions.keys()]).toEqual(["b"]);
    expect(registry.userByName("ada")).toBeUndefined();
    expect(registry.websiteByHost("a.example")).toBeUndefined();
    expect(registry.sessionByTokenHash("hash of a", noonMs)).toBeUndefined();
  });

  test("what is done to one that is gone is missing", () => {
    const gone = { timeMs: noonMs, userId: 7 };
    const outcomes = apply(
      userChanged(7),
      { kind: "userRemoved", ...gone },
      websiteAdded(1, "a.example", 7),
      sessionStarted("s", { userId: 7 }),
    );
    expect(outcomes).toEqual(["missing", "missing", "missing", "missing"]);
    expect(registry.nextWebsiteId).toBe(1);
  });
});

describe("websites", () => {
  beforeEach(() => {
    apply(userAdded(1, "ada"), userAdded(2, "bob"));
  });

  test("of two equal hostnames or ids in one batch the second is taken", () => {
    const records = [
      websiteAdded(1, "a.example", 1),
      websiteAdded(2, "a.example", 2),
      websiteAdded(1, "b.example"),
    ];
    expect(apply(...records)).toEqual(["done", "taken", "taken"]);
    expect(registry.nextWebsiteId).toBe(2);
    expect(registry.websiteByHost("a.example")?.userId).toBe(1);
  });

  test("an account's are listed by hostname", () => {
    apply(websiteAdded(1, "b.example"), websiteAdded(2, "c.example", 2), websiteAdded(3, "a.example"));
    expect(registry.websitesOf(1).map(({ hostname }) => hostname)).toEqual(["a.example", "b.example"]);
    expect(registry.websitesOf(3)).toEqual([]);
  });

  test("a hit's leading www. counts only where both names are registered", () => {
    apply(websiteAdded(1, "a.example"), websiteAdded(2, "www.b.example"));
    apply(websiteAdded(3, "c.example"), websiteAdded(4, "www.c.example"));
    const idFor = (hostname: string) => registry.websiteForHit(hostname)?.websiteId;
    expect(idFor("a.example")).toBe(1);
    expect(idFor("www.a.example")).toBe(1);
    expect(idFor("b.example")).toBe(2);
    expect(idFor("www.b.example")).toBe(2);
    expect(idFor("c.example")).toBe(3);
    expect(idFor("www.c.example")).toBe(4);
    expect(idFor("www.www.a.example")).toBeUndefined();
    expect(idFor("sub.a.example")).toBeUndefined();
    expect(registry.websiteByHost("www.a.example")).toBeUndefined();
  });

  test("a name and its www. forms belong to one account, where the record says so", () => {
    apply(websiteAdded(1, "a.example", 1), websiteAdded(2, "www.b.example", 1));
    const theirs = ["www.a.example", "www.www.a.example", "b.example", "www.www.b.example"];
    for (const hostname of theirs) {
      expect(apply(websiteAdded(3, hostname, 2))).toEqual(["taken"]);
      expect(registry.hostnames.isTaken(hostname, 2)).toBe(true);
      expect(registry.hostnames.isTaken(hostname, 1)).toBe(false);
    }
    expect(registry.hostnames.isTaken("a.example", 1)).toBe(true);
    expect(apply(websiteAdded(3, "www.a.example", 1), websiteAdded(4, "wwww.a.example", 2))).toEqual([
      "done",
      "done",
    ]);
    const renamed = { kind: "websiteRenamed", timeMs: noonMs, websiteId: 4, hostname: "b.example" } as const;
    expect(apply({ ...renamed, oneOwner: true }, { ...renamed, oneOwner: false })).toEqual(["taken", "done"]);
    expect(apply({ ...websiteAdded(5, "www.www.a.example", 2), oneOwner: false })).toEqual(["done"]);
  });

  test("a renamed one keeps its id and its imports", () => {
    apply(websiteAdded(1, "a.example"), imported(1, "file", 0, 10));
    const rename = (hostname: string) =>
      ({ kind: "websiteRenamed", timeMs: noonMs, websiteId: 1, hostname, oneOwner: true }) as const;
    expect(apply(rename("z.example"), rename("z.example"))).toEqual(["done", "done"]);
    expect(registry.websiteByHost("a.example")).toBeUndefined();
    expect(registry.websiteByHost("z.example")).toMatchObject({ websiteId: 1 });
    expect(registry.websiteByHost("z.example")?.imports.get("file")?.position).toBe(10);
    apply(websiteAdded(2, "b.example", 2));
    expect(apply(rename("b.example"))).toEqual(["taken"]);
    expect(registry.websites.get(1)?.hostname).toBe("z.example");
  });

  test("a removed one's name is free, its id is not", () => {
    apply(websiteAdded(1, "a.example"));
    const removed = { kind: "websiteRemoved", timeMs: noonMs, websiteId: 1 } as const;
    expect(apply(removed, removed)).toEqual(["done", "missing"]);
    expect(apply(websiteAdded(1, "a.example"), websiteAdded(2, "a.example"))).toEqual(["taken", "done"]);
  });

  test("an import goes on where it stopped, each file for itself", () => {
    apply(websiteAdded(1, "a.example"));
    expect(apply(imported(1, "x", 5, 10), imported(1, "x", 0, 10), imported(1, "y", 0, 7))).toEqual([
      "misplaced",
      "done",
      "done",
    ]);
    expect(apply(imported(1, "x", 0, 20), imported(1, "x", 10, 20), imported(2, "x", 0, 1))).toEqual([
      "misplaced",
      "done",
      "missing",
    ]);
    expect(registry.websites.get(1)?.imports).toEqual(
      new Map([
        ["x", { position: 20, digest: "digest at 20" }],
        ["y", { position: 7, digest: "digest at 7" }],
      ]),
    );
  });
});

describe("sessions", () => {
  beforeEach(() => {
    apply(userAdded(1, "ada"), userAdded(2, "bob"));
  });

  test("live for 30 days from the last renewal", () => {
    apply(sessionStarted("s"));
    const at = (timeMs: number) => registry.sessionByTokenHash("hash of s", timeMs)?.sessionId;
    expect(at(noonMs + sessionLifetimeMs - 1)).toBe("s");
    expect(at(noonMs + sessionLifetimeMs)).toBeUndefined();
    apply({ kind: "sessionRenewed", timeMs: noonMs + 1_000, sessionId: "s" });
    expect(at(noonMs + sessionLifetimeMs)).toBe("s");
    expect(at(noonMs + sessionLifetimeMs + 1_000)).toBeUndefined();
    expect(registry.sessions.get("s")).toMatchObject({ createdMs: noonMs, renewedMs: noonMs + 1_000 });
  });

  test("expired ones of every account go when one starts", () => {
    apply(sessionStarted("old"), sessionStarted("young", { timeMs: noonMs + 1 }));
    apply(sessionStarted("new", { userId: 2, timeMs: noonMs + sessionLifetimeMs }));
    expect([...registry.sessions.keys()]).toEqual(["young", "new"]);
  });

  test("an account has twenty at most: the one renewed longest ago goes first", () => {
    for (let n = 0; n < sessionsPerUserMax; n++) apply(sessionStarted(`s${n}`, { timeMs: noonMs + n }));
    apply({ kind: "sessionRenewed", timeMs: noonMs + 1_000, sessionId: "s0" });
    apply(sessionStarted("b", { userId: 2 }), sessionStarted("new", { timeMs: noonMs + 2_000 }));
    expect(registry.sessions.size).toBe(sessionsPerUserMax + 1);
    expect(registry.sessions.has("s0")).toBe(true);
    expect(registry.sessions.has("s1")).toBe(false);
    expect(registry.sessions.has("new")).toBe(true);
  });

  test("a new one stays even when the clock stepped back behind all others", () => {
    for (let n = 0; n < sessionsPerUserMax; n++) apply(sessionStarted(`s${n}`));
    apply(sessionStarted("new", { timeMs: noonMs - 60_000 }));
    expect(registry.sessions.has("new")).toBe(true);
    expect(registry.sessions.size).toBe(sessionsPerUserMax);
  });

  test("a record has its own bound: with a lower one several go", () => {
    for (let n = 0; n < 30; n++) apply(sessionStarted(`s${n}`, { timeMs: noonMs + n, sessionsMax: 10_000 }));
    expect(registry.sessions.size).toBe(30);
    apply(sessionStarted("new", { timeMs: noonMs + 30 }));
    expect([...registry.sessions.keys()].slice(0, 2)).toEqual(["s11", "s12"]);
    expect(registry.sessions.size).toBe(sessionsPerUserMax);
  });

  test("an account's live ones are listed, the one renewed longest ago first", () => {
    apply(sessionStarted("x", { timeMs: noonMs + 1 }), sessionStarted("b"), sessionStarted("a"));
    apply(sessionStarted("other", { userId: 2 }));
    const ids = (timeMs: number) => registry.sessionsOf(1, timeMs).map(({ sessionId }) => sessionId);
    expect(ids(noonMs)).toEqual(["a", "b", "x"]);
    expect(ids(noonMs + sessionLifetimeMs)).toEqual(["x"]);
  });

  test("an id or token is used once; an ended one is gone", () => {
    expect(apply(sessionStarted("s"), sessionStarted("s"))).toEqual(["done", "taken"]);
    expect(apply(sessionStarted("t", { tokenHash: "hash of s" }))).toEqual(["taken"]);
    const ended = { kind: "sessionEnded", timeMs: noonMs, sessionId: "s" } as const;
    expect(apply(ended, ended, { ...ended, kind: "sessionRenewed" })).toEqual(["done", "missing", "missing"]);
    expect(registry.sessionByTokenHash("hash of s", noonMs)).toBeUndefined();
  });
});

test("a record of another kind is a bug", () => {
  expect(() => registry.apply(load("b"))).toThrow("the registry knows no load record");
});
