import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callables } from "../../src/cli/control/control.ts";
import {
  callServer,
  Held,
  holdServer,
  openSocket,
  serverListens,
  socketName,
  type ControlSocket,
} from "../../src/cli/socket.ts";
import type { ApiToken } from "../../src/accounts/account.ts";
import { acceptInvitation } from "../../src/engine/admin/website/members.ts";
import { noteUse, tokenOf } from "../../src/engine/admin/account/tokens.ts";
import { dimensions } from "../../src/core/questions/dimension.ts";
import { noVisitValues } from "../../src/core/questions/stored-dimension.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { useFolder } from "../support/folder.ts";
import { longTest } from "../support/long-test.ts";
import { testWith } from "../support/needs.ts";
import { remount, withSmallDisk } from "../support/small-disk.ts";
import { InstantEngine } from "../support/instant-engine.ts";
import { refusalOf } from "../support/refusals.ts";
import { until } from "../support/until.ts";

const engine = new InstantEngine();
let socket: ControlSocket;
let releases = 0;

/** More than sockets hold. */
const mebibytes = 64;

async function* manyBytes() {
  for (let i = 0; i < mebibytes; i++) yield new Uint8Array(2 ** 20);
}

const metrics = () => new Response("hits_total 3\n", { headers: { "content-type": "text/plain" } });

beforeAll(() => {
  // A killed server leaves its socket behind.
  writeFileSync(join(folder, socketName), "");
  const broken = () => Promise.reject(new Error("secret internals"));
  const held = () => Promise.resolve(new Held("something", () => releases++));
  const length = (input: unknown) => Promise.resolve((input as string).length);
  const bytes = async () => manyBytes();
  const place = { base: "/stats", url: "https://stats.example/stats" };
  socket = openSocket(
    folder,
    { ...callables(engine, place), broken, held, length, bytes },
    silentLogger,
    metrics,
  );
});
afterAll(() => socket.close());
const folder = useFolder();

const ask = (name: string, input: unknown) => callServer(folder, name, input);

describe("the control socket", () => {
  testWith(
    "mount",
    "on a disk that turned read-only stays at the end, and the next one takes its place",
    () =>
      withSmallDisk(async (disk) => {
        const first = openSocket(disk, { name: async () => "first" }, silentLogger, metrics);
        remount(disk, "ro");
        await first.close();
        expect(await serverListens(disk)).toBe(false);
        expect(existsSync(join(disk, socketName))).toBe(true);
        remount(disk, "rw");
        const second = openSocket(disk, { name: async () => "second" }, silentLogger, metrics);
        expect(await callServer(disk, "name", null)).toBe("second");
        await second.close();
        expect(existsSync(join(disk, socketName))).toBe(false);
      }),
  );

  test("can be opened by its owner only", () => {
    expect(statSync(join(folder, socketName)).mode & 0o777).toBe(0o600);
    expect(process.umask()).not.toBe(0o177);
  });

  test("answers a GET of what is to be read, and of nothing else", async () => {
    const get = (name: string) => fetch(`http://localhost/${name}`, { unix: join(folder, socketName) });
    const answer = await get("metrics");
    expect([answer.headers.get("content-type"), await answer.text()]).toEqual([
      "text/plain",
      "hits_total 3\n",
    ]);
    for (const name of ["websites", "constructor", "nothing"]) expect((await get(name)).ok).toBe(false);
  });

  test("answers the functions of the table", async () => {
    expect(await ask("addUser", { username: "ada", password: "a good password" })).toBeNull();
    expect(engine.registry.userByName("ada")).toBeDefined();
    expect(await ask("addWebsite", { hostname: "b.example", username: "" })).toEqual({
      hostname: "b.example",
      username: "ada",
    });
    await ask("addUser", { username: "grace", password: "a good password" });
    await ask("addWebsite", { hostname: "a.example", username: "grace" });
    expect(await ask("websites", null)).toEqual([
      { hostname: "a.example", username: "grace" },
      { hostname: "b.example", username: "ada" },
    ]);
  });

  test("makes API tokens of an account, lists those of all, and revokes them", async () => {
    const input = { name: "Till", scope: "send", hostname: "a.example", username: "grace" };
    const secret = (await ask("addToken", input)) as string;
    expect(secret).toMatch(/^footfall_[\w-]{43}$/);
    await ask("addToken", { name: "Wall", scope: "read", hostname: null, username: "" });
    const token = tokenOf(engine, secret) as ApiToken;
    await noteUse(engine, token);
    const till = { id: token.tokenId, name: "Till", scope: "send", hostname: "a.example", username: "grace" };
    const used = new Date(engine.nowMs()).toISOString().slice(0, 10);
    const wall = {
      id: expect.any(String),
      name: "Wall",
      scope: "read",
      hostname: null,
      username: "ada",
      used: null,
    };
    expect(await ask("tokens", { username: "" })).toEqual([wall, { ...till, used }]);
    expect(await ask("tokens", { username: "grace" })).toEqual([{ ...till, used }]);
    expect(await ask("removeToken", { id: token.tokenId })).toBeNull();
    expect(await ask("tokens", { username: "grace" })).toEqual([]);
    expect((await refusalOf(() => ask("removeToken", { id: token.tokenId }))).code).toBe(404);
    expect((await refusalOf(() => ask("addToken", { ...input, scope: "all" }))).code).toBe(400);
    // The person at the command line sees both names in lists: "there is no website" would be false.
    expect((await refusalOf(() => ask("addToken", { ...input, username: "" }))).message).toBe(
      '"ada" does not have the website "a.example": say with --user which of its accounts the token is of',
    );
    expect((await refusalOf(() => ask("addToken", { ...input, hostname: "c.example" }))).message).toBe(
      "there is no website \"c.example\": 'footfall website list' names those that there are",
    );
    expect((await refusalOf(() => ask("tokens", { username: "nobody" }))).code).toBe(404);
  });

  test("shares a website with another account, and takes it back", async () => {
    const hostname = "b.example";
    const address = await ask("inviteMember", { hostname, role: "editor" });
    const path = expect.stringMatching(/^\/dashboard\/invitation#[\w-]{43}$/);
    expect(address).toEqual({ path, base: "/stats", url: "https://stats.example/stats" });
    const { userId } = engine.registry.userByName("grace") as { userId: number };
    const token = (address as { path: string }).path.split("#")[1];
    await acceptInvitation(engine, { userId, sessionId: "" }, { token });
    expect(await ask("members", { hostname })).toEqual([
      { username: "ada", role: "owner" },
      { username: "grace", role: "editor" },
    ]);
    expect(await ask("removeMember", { hostname, username: "grace" })).toBeNull();
    const added = { hostname, username: "grace", role: "viewer" };
    expect(await ask("addMember", added)).toBeNull();
    expect(await ask("members", { hostname })).toMatchObject([{}, { username: "grace", role: "viewer" }]);
    expect((await refusalOf(() => ask("addMember", { ...added, role: "owner" }))).code).toBe(409);
    expect(await ask("users", null)).toMatchObject([{ websites: 1 }, { username: "grace", websites: 2 }]);
    const change = { ...added, mayChange: true };
    expect(await ask("addMember", { ...change, role: "owner" })).toBeNull();
    expect(await ask("members", { hostname })).toMatchObject([{}, { username: "grace", role: "owner" }]);
    expect(await ask("addMember", { ...change, username: "ada" })).toBeNull();
    const last = await refusalOf(() => ask("addMember", change));
    expect(last).toMatchObject({ code: 409, message: expect.stringContaining("last owner") });
    expect(await ask("addMember", { ...change, username: "ada", role: "owner" })).toBeNull();
    expect(await ask("addMember", change)).toBeNull();
    expect((await refusalOf(() => ask("addMember", { ...added, username: "nobody" }))).code).toBe(404);
    expect(await ask("removeMember", { hostname, username: "grace" })).toBeNull();
    expect((await refusalOf(() => ask("addMember", { ...added, role: "admin" }))).code).toBe(400);
    expect(engine.registry.websiteByHost(hostname)).toMatchObject({ members: [], invitations: [] });
    expect((await refusalOf(() => ask("removeMember", { hostname, username: "grace" }))).code).toBe(404);
    expect((await refusalOf(() => ask("removeMember", { hostname, username: "ada" }))).code).toBe(409);
    expect((await refusalOf(() => ask("inviteMember", { hostname, role: "admin" }))).code).toBe(400);
    expect((await refusalOf(() => ask("members", { hostname: "none.example" }))).code).toBe(404);
  });

  test("what they refuse is refused here, with its code and words", async () => {
    const again = await refusalOf(() => ask("addUser", { username: "ADA", password: "a good password" }));
    expect(again).toMatchObject({ code: 409, message: 'username: "ADA" is taken' });
    const short = await refusalOf(() => ask("changePassword", { username: "ada", password: "short" }));
    expect(short.code).toBe(400);
    expect(short.message).not.toContain("short");
    expect((await refusalOf(() => ask("addWebsite", { hostname: "c.example", username: "bob" }))).code).toBe(
      404,
    );
    expect((await refusalOf(() => ask("addWebsite", { hostname: "a b", username: "" }))).code).toBe(400);
  });

  test("knows no other name, and nothing that every object has", async () => {
    for (const name of ["nothing", "toString", "__proto__", ""])
      expect((await refusalOf(() => ask(name, null))).code).toBe(404);
  });

  test("a server from before a command is to be started again", async () => {
    const message =
      'the server that runs is of another version and does not know "later": restart it with this one, and run the command again';
    expect(await refusalOf(() => ask("later", null))).toMatchObject({ code: 404, message });
    expect(await refusalOf(() => holdServer(folder, "later"))).toMatchObject({ code: 404, message });
  });

  test("takes a month of very many names, and another server's limit is a refusal", async () => {
    const bytes = 40 * 1024 * 1024;
    expect(await ask("length", "x".repeat(bytes))).toBe(bytes);
    const other = mkdtempSync(join(folder, "other-"));
    const server = Bun.serve({
      unix: join(other, socketName),
      maxRequestBodySize: 1_024,
      fetch: () => Response.json({ result: null }),
    });
    const { code, message } = await refusalOf(() => callServer(other, "length", "x".repeat(bytes)));
    expect([code, message]).toEqual([400, expect.stringContaining("stop it, and run the command again")]);
    await server.stop(true);
  });

  test("tells no internals of a bug", async () => {
    const { code, message } = await refusalOf(() => ask("broken", null));
    expect({ code, message }).toEqual({ code: 500, message: "the server failed: see its log" });
  });

  test("what is held is let go when its caller says so, or is killed", async () => {
    const { value, release } = await holdServer(folder, "held");
    expect({ value, releases }).toEqual({ value: "something", releases: 0 });
    release();
    await until(() => releases === 1, "it was released");
    const module = JSON.stringify(join(import.meta.dir, "../../src/cli/socket.ts"));
    const script = `const { holdServer } = await import(${module});
      const { value } = await holdServer(${JSON.stringify(folder)}, "held");
      console.log(value); setInterval(() => {}, 1000);`;
    const child = Bun.spawn([process.execPath, "-e", script], { stdio: ["ignore", "pipe", "inherit"] });
    const { value: said } = await child.stdout.getReader().read();
    expect([Buffer.from(said ?? []).toString(), releases]).toEqual(["something\n", 1]);
    child.kill("SIGKILL");
    await until(() => releases === 2, "it was released");
    expect((await refusalOf(() => holdServer(folder, "nothing"))).code).toBe(404);
  });

  test("what is held is lost where no server answers, also before the end of its own connection is here", async () => {
    const hold = await holdServer(folder, "held");
    expect(await hold.lost(folder)).toBe(false);
    const deserted = mkdtempSync(join(folder, "deserted-"));
    expect(await hold.lost(deserted)).toBe(true);
    hold.release();
  });

  longTest("a hold, and bytes that nobody reads for a while, outlast what Bun lets be silent", async () => {
    const hold = await holdServer(folder, "held");
    const bytes = (await ask("bytes", null)) as AsyncGenerator<Uint8Array>;
    let length = (await bytes.next()).value.length;
    // Bun cuts a silent connection after 10 to 14 seconds.
    await Bun.sleep(15_000);
    expect(await hold.lost(folder)).toBe(false);
    for await (const piece of bytes) length += piece.length;
    expect(length).toBe(mebibytes * 2 ** 20);
    hold.release();
  });

  test("a folder without a server has nobody who listens", async () => {
    expect(await serverListens(folder)).toBe(true);
    const other = mkdtempSync(join(folder, "other-"));
    expect(await serverListens(other)).toBe(false);
    writeFileSync(join(other, socketName), "");
    expect(await serverListens(other)).toBe(false);
    expect((await refusalOf(() => callServer(other, "websites", null))).message).toContain("stopped");
  });

  test("a folder whose path is too long for a socket is refused", async () => {
    const { message } = await refusalOf(() =>
      openSocket(`/tmp/${"x".repeat(100)}`, {}, silentLogger, metrics),
    );
    expect(message).toContain("too long for a socket");
  });
});

describe("a batch of an import", () => {
  const values = dimensions.map(() => "");
  const load = { timeMs: 1, unique: true, seen: false, values, visit: 3, visitValues: noVisitValues };
  const hash = "0".repeat(64);
  const batch = {
    websiteId: 1,
    file: hash,
    fromPosition: 0,
    position: 9,
    digest: hash,
    loads: [load],
    isPartial: false,
  };

  test("is committed as one record", async () => {
    expect(await ask("importBatch", batch)).toBeNull();
    expect(engine.committed.at(-1)).toEqual({ kind: "import", timeMs: engine.nowMs(), ...batch });
    engine.keptFrom = 1_000;
    expect(await ask("importState", { hostname: "b.example", file: hash })).toEqual({
      websiteId: 1,
      hostname: "b.example",
      position: 9,
      digest: hash,
      isPartial: false,
      visits: true,
      keptFromMs: 1_000,
    });
    expect((await refusalOf(() => ask("importBatch", batch))).code).toBe(409);
    expect((await refusalOf(() => ask("importBatch", { ...batch, websiteId: 99 }))).code).toBe(404);
  });

  test("is refused with a value too few for a page view, and not logged", async () => {
    const before = engine.committed.length;
    const loads = [{ ...load, values: values.slice(1) }];
    const asked = { ...batch, fromPosition: 9, position: 18, loads };
    expect((await refusalOf(() => ask("importBatch", asked))).code).toBe(500);
    expect(engine.committed.length).toBe(before);
  });
});
