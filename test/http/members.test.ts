/** The accounts of a website through the API: invited, changed, removed, and what becomes of the website. */
import { beforeEach, describe, expect, test } from "bun:test";
import { invitationsMax } from "../../src/core/website/role.ts";
import { authenticate } from "../../src/engine/admin/account/sessions.ts";
import { changeMember, invite as inviteBy, removeMember } from "../../src/engine/admin/website/members.ts";
import { deleteUser } from "../../src/engine/admin/account/users.ts";
import { type Caller } from "../../src/engine/admin/caller.ts";
import { messageOf, TestServer } from "../support/http.ts";
import { accountOf, joinAs } from "../support/members.ts";
import { refusalOf } from "../support/refusals.ts";

const dayMs = 86_400_000;
let server: TestServer;
let owner: string;
beforeEach(async () => {
  server = await TestServer.open();
  owner = await server.prepare();
});

async function ask(method: string, path: string, cookie: string, body?: object) {
  const answer = await server.answer<Record<string, unknown> | undefined>(method, path, { cookie, body });
  return { ...answer, message: messageOf(answer) };
}

const members = async (cookie = owner) => (await ask("GET", "/website/example.com/members", cookie)).value;
const change = (username: string, role: string, cookie = owner) =>
  ask("PATCH", `/website/example.com/members/${username}`, cookie, { role });
const remove = (username: string, cookie = owner) =>
  ask("DELETE", `/website/example.com/members/${username}`, cookie);

async function invite(role = "viewer"): Promise<{ id: string; token: string; dateExpires: number }> {
  const { status, value } = await ask("POST", "/website/example.com/invitations", owner, { role });
  expect(status).toBe(201);
  return value as { id: string; token: string; dateExpires: number };
}

/** Makes another owner of the website. */
async function callerOf(username: string): Promise<Caller> {
  const token = await joinAs(server, owner, "owner", username);
  const { user, session } = authenticate(server.engine, token)!;
  return { userId: user.userId, sessionId: session.sessionId };
}

const accept = (cookie: string, token: unknown) => ask("POST", "/invitations/accept", cookie, { token });

describe("an invitation", () => {
  test("ends when somebody ceases to be an owner, who may have kept it", async () => {
    const mary = await joinAs(server, owner, "owner", "mary");
    const { token } = await invite("owner");
    expect((await change("Ada", "viewer", mary)).status).toBe(204);
    expect((await accept(await accountOf(server, "grace"), token)).status).toBe(404);
  });

  test("that an owner makes while it is demoted, removed or deleted is none", async () => {
    const { engine } = server;
    const ada = { userId: 1, sessionId: "" };
    const ways = [
      (username: string) =>
        changeMember({ engine, caller: ada, hostname: "example.com" }, username, { role: "viewer" }),
      (username: string) => removeMember({ engine, caller: ada, hostname: "example.com" }, username),
      (_: string, caller: Caller) => deleteUser(engine, caller),
    ];
    const codes: unknown[] = [];
    for (const [at, end] of ways.entries()) {
      const username = `owner${at}`;
      const caller = await callerOf(username);
      const invited = () => inviteBy({ engine, caller, hostname: "example.com" }, { role: "owner" });
      // Both are logged in one batch, in this order.
      const [, refusal] = await Promise.all([end(username, caller), refusalOf(invited)]);
      codes.push(refusal.code);
      expect(await members()).toMatchObject({ invitations: [] });
    }
    expect(codes).toEqual([403, 404, 401]);
    const caller = await callerOf("other");
    await inviteBy({ engine, caller, hostname: "example.com" }, { role: "owner" });
    expect(await members()).toMatchObject({ invitations: [{ role: "owner" }] });
  });

  test("gives its role once, and only its hash is kept", async () => {
    const { token, id, dateExpires } = await invite("editor");
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(dateExpires).toBe(Math.floor((server.clock.nowMs() + 7 * dayMs) / 1_000));
    expect(JSON.stringify(server.engine.registry.save())).not.toContain(token);
    expect(await members()).toEqual({
      members: [{ username: "Ada", role: "owner" }],
      invitations: [{ id, role: "editor", dateExpires }],
    });
    const grace = await accountOf(server, "grace");
    const mary = await accountOf(server, "mary");
    expect(await accept(grace, token)).toMatchObject({
      status: 200,
      value: { hostname: "example.com", role: "editor" },
    });
    expect((await accept(mary, token)).status).toBe(404);
    expect(await members()).toEqual({
      members: [
        { username: "Ada", role: "owner" },
        { username: "grace", role: "editor" },
      ],
      invitations: [],
    });
    const list = (await ask("GET", "/websites", grace)).value;
    expect(list).toEqual([
      { hostname: "example.com", visits: true, role: "editor", summary: { visitors: 0 } },
    ] as never);
    expect((await ask("GET", "/websites", mary)).value).toEqual([] as never);
  });

  test("expires after seven days, and can be revoked before", async () => {
    const grace = await accountOf(server, "grace");
    const revoked = await invite();
    const path = `/website/example.com/invitations/${revoked.id}`;
    expect((await ask("DELETE", path, owner)).status).toBe(204);
    expect((await ask("DELETE", path, owner)).status).toBe(404);
    expect((await accept(grace, revoked.token)).status).toBe(404);
    const late = await invite();
    const inTime = await invite();
    server.clock.advance(7 * dayMs - 1_000);
    expect((await accept(grace, inTime.token)).status).toBe(200);
    server.clock.advance(1_000);
    expect((await accept(await accountOf(server, "mary"), late.token)).status).toBe(404);
    expect(await members()).toMatchObject({ invitations: [] });
  });

  test("is refused where it makes no sense", async () => {
    const { token } = await invite();
    expect((await accept(owner, token)).status).toBe(409);
    expect((await accept(owner, "none")).status).toBe(404);
    expect((await accept(owner, 1)).status).toBe(400);
    const wrong = await ask("POST", "/website/example.com/invitations", owner, { role: "admin" });
    expect(wrong).toMatchObject({
      status: 400,
      message: 'role: expected viewer, editor, owner, got "admin"',
    });
    for (let count = 1; count < invitationsMax; count++) await invite();
    const more = await ask("POST", "/website/example.com/invitations", owner, { role: "viewer" });
    expect([more.status, more.message]).toEqual([400, expect.stringContaining("at most 50")]);
  });
});

describe("a member", () => {
  test("does not come back as an owner, nor changes others, by what it asks while it is demoted", async () => {
    const { engine } = server;
    const caller = await callerOf("grace");
    await joinAs(server, owner, "viewer", "mary");
    await joinAs(server, owner, "owner", "eve");
    const asked = [
      () => changeMember({ engine, caller, hostname: "example.com" }, "grace", { role: "owner" }),
      () => changeMember({ engine, caller, hostname: "example.com" }, "mary", { role: "owner" }),
      () => removeMember({ engine, caller, hostname: "example.com" }, "eve"),
    ];
    // All are logged in one batch, in this order.
    const [, ...refusals] = await Promise.all([
      changeMember({ engine, caller: { userId: 1, sessionId: "" }, hostname: "example.com" }, "grace", {
        role: "viewer",
      }),
      ...asked.map(refusalOf),
    ]);
    expect(refusals.map(({ code }) => code)).toEqual([403, 403, 403]);
    expect(await members()).toMatchObject({
      members: [
        { username: "Ada", role: "owner" },
        { username: "grace", role: "viewer" },
        { username: "mary", role: "viewer" },
        { username: "eve", role: "owner" },
      ],
    });
    await Promise.all([
      changeMember({ engine, caller: { userId: 1, sessionId: "" }, hostname: "example.com" }, "grace", {
        role: "editor",
      }),
      removeMember({ engine, caller, hostname: "example.com" }, "grace"),
    ]);
    expect(JSON.stringify(await members())).not.toContain("grace");
  });

  test("gets another role, is removed at once, or leaves", async () => {
    const grace = await joinAs(server, owner, "viewer", "grace");
    expect((await ask("PATCH", "/websites/example.com", grace, { visits: false })).status).toBe(403);
    expect((await change("grace", "editor")).status).toBe(204);
    expect((await ask("PATCH", "/websites/example.com", grace, { visits: false })).status).toBe(200);
    expect((await remove("GRACE")).status).toBe(204);
    expect((await ask("GET", "/website/example.com/pages", grace)).status).toBe(404);
    const mary = await joinAs(server, owner, "viewer", "mary");
    expect((await remove("Ada", mary)).status).toBe(403);
    expect((await remove("mary", mary)).status).toBe(204);
    expect((await remove("mary")).status).toBe(404);
    expect((await change("nobody", "viewer")).status).toBe(404);
  });

  test("loses an open stream with the website", async () => {
    const grace = await joinAs(server, owner, "viewer", "grace");
    const live = await server.ask("GET", "/website/example.com/live", { cookie: grace });
    const reader = (live.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    await remove("grace");
    expect((await reader.read()).done).toBe(true);
  });
});

describe("a name and its www. form", () => {
  const www = "/website/www.example.com";
  const bothStay =
    'hostname: "example.com" and "www.example.com" are one website to visitors: first make an account that stays an owner ' +
    "of both, or remove one of them";
  let grace: string;

  beforeEach(async () => {
    await ask("POST", "/websites", owner, { hostname: "www.example.com" });
    grace = await joinAs(server, owner, "owner", "grace");
  });

  const joinForm = async (cookie: string, role = "owner") => {
    const { value } = await ask("POST", `${www}/invitations`, owner, { role });
    expect((await accept(cookie, value?.["token"])).status).toBe(200);
  };

  test("are not handed over one without the other", async () => {
    const records = server.engine.health().records;
    for (const refused of [
      await remove("Ada"),
      await change("Ada", "viewer", grace),
      await remove("Ada", grace),
    ])
      expect([refused.status, refused.message]).toEqual([409, bothStay]);
    expect(server.engine.health().records).toBe(records);
    await joinForm(grace, "editor");
    expect((await remove("Ada")).status).toBe(409);
    await ask("DELETE", "/websites/www.example.com", owner);
    expect((await remove("Ada")).status).toBe(204);
  });

  test("are handed over one after the other, and the new owner keeps both", async () => {
    await joinForm(grace);
    expect((await remove("Ada")).status).toBe(204);
    // The account that is left on one form does not take it back.
    const taken = await ask("DELETE", `${www}/members/grace`, owner);
    expect([taken.status, taken.message]).toEqual([409, bothStay]);
    const demoted = await ask("PATCH", `${www}/members/grace`, owner, { role: "viewer" });
    expect([demoted.status, demoted.message]).toEqual([409, bothStay]);
    expect((await ask("DELETE", `${www}/members/Ada`, owner)).status).toBe(204);
    const list = (await ask("GET", "/websites", grace)).value as unknown as { hostname: string }[];
    expect(list.map(({ hostname }) => hostname)).toEqual(["example.com", "www.example.com"]);
    expect((await ask("GET", "/websites", owner)).value).toEqual([] as never);
  });

  test("do not go to two accounts with an account that is deleted", async () => {
    const mary = await accountOf(server, "mary");
    await joinForm(mary);
    const kept = await ask("DELETE", "/user", owner);
    expect([kept.status, kept.message]).toEqual([400, bothStay]);
    expect((await ask("GET", "/user", owner)).status).toBe(200);
    expect((await ask("DELETE", `${www}/members/mary`, owner)).status).toBe(204);
    expect((await ask("DELETE", "/user", owner)).status).toBe(204);
    expect((await ask("GET", "/websites", grace)).value).toMatchObject([{ hostname: "example.com" }]);
  });

  test("that have two owners since an earlier version change on as they are", async () => {
    const { registry } = server.engine;
    const [{ websiteId }, ada, other] = [
      registry.websiteByHost("example.com")!,
      registry.userByName("Ada")!,
      registry.userByName("grace")!,
    ];
    const record = { kind: "memberRemoved", timeMs: server.engine.nowMs(), websiteId } as const;
    expect(await server.engine.commit({ ...record, userId: ada.userId })).toBe("done");
    const mary = await joinAs(server, grace, "owner", "mary");
    expect((await remove("grace", grace)).status).toBe(204);
    expect((await ask("GET", "/websites", mary)).value).toMatchObject([{ hostname: "example.com" }]);
    expect(registry.websiteByHost("example.com")?.userId).not.toBe(other.userId);
  });
});

describe("the last owner", () => {
  test("stays, until there is another one", async () => {
    const grace = await joinAs(server, owner, "editor", "grace");
    expect((await remove("Ada")).status).toBe(409);
    expect((await change("Ada", "viewer")).status).toBe(409);
    expect((await change("grace", "owner")).status).toBe(204);
    expect((await change("Ada", "viewer")).status).toBe(204);
    expect(await members(grace)).toMatchObject({
      members: [
        { username: "grace", role: "owner" },
        { username: "Ada", role: "viewer" },
      ],
    });
    expect((await remove("grace", grace)).status).toBe(409);
  });

  test("takes the website along, which stays where another owner is", async () => {
    const grace = await joinAs(server, owner, "owner", "grace");
    await server.ask("POST", "/websites", { cookie: owner, body: { hostname: "own.example" } });
    expect((await ask("DELETE", "/user", owner)).status).toBe(204);
    expect((await ask("GET", "/websites", grace)).value).toMatchObject([
      { hostname: "example.com", role: "owner" },
    ]);
    expect(server.engine.registry.websiteByHost("own.example")).toBeUndefined();
    expect((await ask("DELETE", "/user", grace)).status).toBe(204);
    expect(server.engine.registry.websites.size).toBe(0);
  });
});
