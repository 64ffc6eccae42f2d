import { beforeEach, describe, expect, test } from "bun:test";
import { addUser } from "../../src/engine/admin/account/users.ts";
import { addWebsite } from "../../src/engine/admin/websites.ts";
import { TestServer } from "../support/http.ts";
import { joinAs } from "../support/members.ts";
import { makeToken } from "../support/tokens.ts";

const dayMs = 86_400_000;

let server: TestServer;
let cookie: string;
beforeEach(async () => {
  server = await TestServer.open();
  cookie = await server.prepare();
});

const ask = (method: string, path: string, body?: unknown) => server.answer(method, path, { cookie, body });

const hit = (beacon: string) => server.hit({ b: beacon, u: "https://example.com/", p: true });

test("visitors that are counted soon are right at once", async () => {
  const visitors = async () =>
    ((await ask("GET", "/websites/example.com")).value as { summary: { visitors: number } }).summary.visitors;
  const { clock } = server;
  const { monotonicMs } = clock;
  let looks = 0;
  // Each count takes 2 ms.
  clock.monotonicMs = () => monotonicMs.call(clock) + looks++;
  for (const beacon of ["one", "two", "three"]) {
    const before = await visitors();
    await hit(beacon);
    expect(await visitors()).toBe(before + 1);
  }
});

test("visitors that take long to count are counted for a hundredth of the time at most", async () => {
  await hit("one");
  const visitors = async () => {
    const { value } = await ask("GET", "/websites");
    return (value as { summary: { visitors: number } }[])[0]?.summary.visitors;
  };
  const { clock } = server;
  const { monotonicMs } = clock;
  let looks = 0;
  // Each count takes 20 ms.
  clock.monotonicMs = () => monotonicMs.call(clock) + 10 * looks++;
  expect(await visitors()).toBe(1);
  await hit("two");
  expect(await visitors()).toBe(1);
  clock.advance(2_000);
  expect(await visitors()).toBe(2);
});

test("a website is shown with the unique visitors of the last 24 hours", async () => {
  await hit("one");
  server.clock.advance(1_000);
  await hit("two");
  const visitors = async () => (await ask("GET", "/websites/EXAMPLE.com")).value;
  expect(await visitors()).toEqual({
    hostname: "example.com",
    visits: true,
    role: "owner",
    summary: { visitors: 2 },
  });
  server.clock.advance(dayMs - 1_001);
  expect(await visitors()).toMatchObject({ summary: { visitors: 2 } });
  server.clock.advance(1);
  expect(await visitors()).toMatchObject({ summary: { visitors: 1 } });
});

describe("the list", () => {
  test("of many websites lets others have their turn", async () => {
    const { engine } = server;
    const caller = { userId: engine.registry.websiteByHost("example.com")!.userId, sessionId: "" };
    const names = Array.from({ length: 250 }, (_, at) => `s${String(at).padStart(3, "0")}.example.org`);
    for (const hostname of names) await addWebsite(engine, caller, { hostname });
    let [turns, isAnswered] = [0, false];
    const count = () => {
      if (isAnswered) return;
      turns++;
      setImmediate(count);
    };
    const asked = server.get<{ hostname: string }[]>("/websites", cookie);
    setImmediate(count);
    const list = await asked;
    isAnswered = true;
    expect(list.map(({ hostname }) => hostname)).toEqual(["example.com", ...names]);
    expect(turns).toBeGreaterThan(1);
  });

  test("is by hostname and grows", async () => {
    const added = await ask("POST", "/websites", { hostname: "Bücher.Example" });
    expect(added).toEqual({
      status: 201,
      value: {
        hostname: "xn--bcher-kva.example",
        display_hostname: "bücher.example",
        visits: true,
        role: "owner",
        summary: { visitors: 0 },
      },
    });
    await ask("POST", "/websites", { hostname: "a.example" });
    const { value } = await ask("GET", "/websites");
    expect((value as { hostname: string }[]).map(({ hostname }) => hostname)).toEqual([
      "a.example",
      "example.com",
      "xn--bcher-kva.example",
    ]);
  });

  test("takes no name twice, and only names", async () => {
    expect(await ask("POST", "/websites", { hostname: "example.com" })).toMatchObject({ status: 409 });
    for (const hostname of ["", "a b", "example.com:80", "https://example.com", "a".repeat(254), null, 5])
      expect(await ask("POST", "/websites", { hostname })).toMatchObject({
        status: 400,
        value: { error: { message: expect.stringMatching(/^hostname: expected /) } },
      });
  });
});

describe("a rename", () => {
  test("keeps the statistics", async () => {
    await hit("one");
    expect(await ask("PATCH", "/websites/example.com", { hostname: "new.example" })).toEqual({
      status: 200,
      value: { hostname: "new.example", visits: true, role: "owner", summary: { visitors: 1 } },
    });
    expect((await ask("GET", "/websites/example.com")).status).toBe(404);
  });

  test("to the own name or to none changes nothing, to a taken one is 400", async () => {
    await ask("POST", "/websites", { hostname: "taken.example" });
    const rename = (body: object) => ask("PATCH", "/websites/example.com", body);
    for (const body of [{}, { hostname: null }, { hostname: "Example.com" }])
      expect(await rename(body)).toMatchObject({ status: 200, value: { hostname: "example.com" } });
    expect((await rename({ hostname: "taken.example" })).status).toBe(400);
    expect((await rename({ hostname: "" })).status).toBe(400);
  });

  test("is for owners: an editor, who could add a website of the old name, only switches visits", async () => {
    const editor = await joinAs(server, cookie, "editor");
    const { headers } = await makeToken(server, editor, "admin", "example.com");
    for (const who of [{ cookie: editor }, { headers }]) {
      const change = (body: object) => server.answer("PATCH", "/websites/example.com", { ...who, body });
      const message = 'hostname: expected an owner of "example.com", got an editor';
      for (const body of [{ hostname: "away.example" }, { hostname: "www.example.com", visits: false }])
        expect(await change(body)).toEqual({ status: 403, value: { error: { code: 403, message } } });
      const same = { hostname: "Example.com", visits: false };
      expect(await change(same)).toMatchObject({
        status: 200,
        value: { hostname: "example.com", visits: false },
      });
      expect(await change({ visits: true })).toMatchObject({ status: 200, value: { visits: true } });
    }
    const taken = { cookie: editor, body: { hostname: "example.com" } };
    expect((await server.ask("POST", "/websites", taken)).status).toBe(409);
    // Another owner may.
    const owner = await joinAs(server, cookie, "owner");
    const renamed = { cookie: owner, body: { hostname: "new.example" } };
    expect((await server.ask("PATCH", "/websites/example.com", renamed)).status).toBe(200);
  });
});

describe("visits", () => {
  test("are on for a new website unless it says otherwise, and are switched off and on", async () => {
    const path = "/websites/quiet.example";
    const added = await ask("POST", "/websites", { hostname: "quiet.example", visits: false });
    expect(added).toMatchObject({ status: 201, value: { visits: false } });
    expect(await ask("PATCH", path, {})).toMatchObject({ value: { visits: false } });
    expect(await ask("PATCH", path, { visits: true })).toMatchObject({
      status: 200,
      value: { visits: true },
    });
    const renamed = { hostname: "loud.example", visits: false };
    expect(await ask("PATCH", path, renamed)).toMatchObject({ value: renamed });
    expect(await ask("GET", "/websites/loud.example")).toMatchObject({ value: renamed });
    // Rules are something else.
    const rules = { blocked_paths: ["/admin"] };
    await ask("PATCH", "/websites/loud.example", { visits: true });
    expect(await ask("PATCH", "/website/loud.example/rules", rules)).toMatchObject({ value: rules });
    expect(await ask("PATCH", "/websites/loud.example", { visits: false })).toMatchObject({ status: 200 });
    expect(await ask("GET", "/website/loud.example/rules")).toMatchObject({ value: rules });
  });

  test("are a boolean", async () => {
    const { status, value } = await ask("PATCH", "/websites/example.com", {
      hostname: "x.example",
      visits: "no",
    });
    expect([status, value]).toEqual([
      400,
      { error: { code: 400, message: "visits: expected a boolean, got a string" } },
    ]);
    // Nothing of it was done.
    expect((await ask("GET", "/websites/example.com")).status).toBe(200);
  });
});

describe("a name and its www. forms", () => {
  let hers: string;
  beforeEach(async () => {
    const mallory = { username: "Mallory", password: "long enough" };
    const { userId } = await addUser(server.engine, mallory);
    await addWebsite(server.engine, { userId, sessionId: "" }, { hostname: "hers.example" });
    await addWebsite(server.engine, { userId, sessionId: "" }, { hostname: "www.other.example" });
    hers = await server.logIn(mallory);
  });

  const refused = async (response: Response) => [response.status, await response.json()];

  test.each(["www.example.com", "WWW.Example.com", "www.www.example.com"])(
    "%s goes to no other account than example.com, and is refused as a taken name is",
    async (hostname) => {
      const answers = async (taken: string) => [
        await refused(await server.ask("POST", "/websites", { cookie: hers, body: { hostname: taken } })),
        await refused(
          await server.ask("PATCH", "/websites/hers.example", { cookie: hers, body: { hostname: taken } }),
        ),
      ];
      const [www, bare] = [await answers(hostname), await answers("example.com")];
      expect(www.map(([status]) => status)).toEqual([409, 400]);
      expect(JSON.stringify(www).replaceAll(hostname.toLowerCase(), "example.com")).toBe(
        JSON.stringify(bare),
      );
    },
  );

  test("the bare name goes to no other account than the www. form", async () => {
    expect(await ask("POST", "/websites", { hostname: "other.example" })).toMatchObject({ status: 409 });
    expect((await ask("PATCH", "/websites/example.com", { hostname: "other.example" })).status).toBe(400);
  });

  test("one account may have both, and rename between them", async () => {
    expect((await ask("POST", "/websites", { hostname: "www.example.com" })).status).toBe(201);
    expect((await ask("DELETE", "/websites/example.com")).status).toBe(204);
    expect((await ask("PATCH", "/websites/www.example.com", { hostname: "example.com" })).status).toBe(200);
  });

  test("of both forms at once from two accounts one is taken", async () => {
    const answers = await Promise.all([
      server.ask("POST", "/websites", { cookie, body: { hostname: "new.example" } }),
      server.ask("POST", "/websites", { cookie: hers, body: { hostname: "www.new.example" } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([201, 409]);
  });
});

test("a website is removed with its statistics", async () => {
  await hit("one");
  expect((await ask("DELETE", "/websites/example.com")).status).toBe(204);
  expect((await ask("DELETE", "/websites/example.com")).status).toBe(404);
  expect((await hit("two")).status).toBe(404);
  expect(await ask("POST", "/websites", { hostname: "example.com" })).toMatchObject({
    value: { summary: { visitors: 0 } },
  });
});

test("one that is somebody else's is the same 404 as one that is not there", async () => {
  const other = await addUser(server.engine, { username: "Mallory", password: "long enough" });
  await addWebsite(server.engine, { userId: other.userId, sessionId: "" }, { hostname: "hers.example" });
  for (const [method, path, body] of [
    ["GET", "/websites/HOST"],
    ["PATCH", "/websites/HOST", {}],
    ["DELETE", "/websites/HOST"],
    ["GET", "/website/HOST/pages"],
    ["GET", "/website/HOST/summary"],
    ["GET", "/website/HOST/live"],
  ] as const) {
    const [hers, nobodys] = [
      await ask(method, path.replace("HOST", "hers.example"), body),
      await ask(method, path.replace("HOST", "none.example"), body),
    ];
    expect(hers.status).toBe(404);
    expect(JSON.stringify(hers).replace("hers", "none")).toBe(JSON.stringify(nobodys));
  }
});

test("a hostname in the path that is none is 400", async () => {
  for (const hostname of ["a_b", "%zz", "%20", "a%2Fb", "a".repeat(254), "example.com:80"])
    for (const path of [`/websites/${hostname}`, `/website/${hostname}/pages`])
      expect((await ask("GET", path)).status).toBe(400);
});
