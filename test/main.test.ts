/** The first module, as the runtime runs it, errors that nothing catches, and a runtime that lacks its compiler. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { useFolder } from "./support/folder.ts";
import { account, accountEnvironment, fromSource } from "./support/server.ts";
import { until } from "./support/until.ts";

const children: Bun.Subprocess[] = [];
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await Promise.all(children.map(({ exited }) => exited));
});
const folder = useFolder();

/** Starts a server with a module that runs before it. */
async function startWith(preload: string) {
  const own = mkdtempSync(join(folder, "run-"));
  const path = join(own, "preload.ts");
  writeFileSync(path, preload);
  const [bun = "", ...rest] = fromSource;
  const child = Bun.spawn(
    [bun, "--preload", path, ...rest, "--host", "127.0.0.1", "--port", "0", "--data", join(own, "data")],
    { env: { ...process.env, ...accountEnvironment }, stdio: ["ignore", "pipe", "pipe"] },
  );
  children.push(child);
  const reader = child.stdout.getReader();
  const decoder = new TextDecoder();
  let greeting = "";
  let url: string | undefined;
  while ((url = /listens on (\S+),/.exec(greeting)?.[1]) === undefined)
    greeting += decoder.decode((await reader.read()).value);
  let errors = "";
  const ended = (async () => {
    for await (const bytes of child.stderr) errors += Buffer.from(bytes).toString();
  })();
  return { child, url, errors: () => errors, ended };
}

test.each([
  ["thrown", 'throw new Error("nobody catches this")'],
  ["of a promise", 'void Promise.reject(new Error("nobody catches this"))'],
])("an error %s that nothing catches is told, and the server goes on", async (_, fails) => {
  const server = await startWith(
    `const serve = Bun.serve;
     Bun.serve = (options) => {
       setTimeout(() => { ${fails}; }, 10);
       return serve(options);
     };`,
  );
  await until(() => server.errors().includes("nobody catches this"), "it is told");
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  server.child.kill("SIGTERM");
  expect(await server.child.exited).toBe(0);
  await server.ended;
  expect(server.errors()).toContain("an error that nothing caught");
});

const moduleOf = (path: string) => JSON.stringify(join(import.meta.dir, "../src", path));

test.each([
  [
    "applied",
    `const { State } = await import(${moduleOf("engine/checkpoint/state.ts")});
     const { apply } = State.prototype;
     State.prototype.apply = function (record) {
       if (record.kind === "sessionStarted") throw new Error("a bug");
       return apply.call(this, record);
     };`,
  ],
  [
    "written",
    `const { SegmentStore } = await import(${moduleOf("wal/segment-store.ts")});
     const { append } = SegmentStore.prototype;
     SegmentStore.prototype.append = function (records) {
       if (records.some(({ kind }) => kind === "sessionStarted")) throw new RangeError("no memory");
       return append.call(this, records);
     };`,
  ],
])("a record that cannot be %s ends the server, and does not leave it waiting", async (what, preload) => {
  const { child, url, errors, ended } = await startWith(preload);
  const body = JSON.stringify(account);
  const headers = { "content-type": "application/json" };
  await expect(fetch(`${url}/auth/login`, { method: "POST", headers, body })).rejects.toThrow();
  expect(await child.exited).toBe(1);
  await ended;
  expect(errors()).toContain(`could not be ${what}`);
});

test("where the runtime may not compile, as with too few addresses, a start says so in one line", async () => {
  for (const flags of [[], ["--log-format", "json"]]) {
    const child = Bun.spawn([...fromSource, ...flags, "--data", join(folder, "without-compiler")], {
      env: { ...process.env, BUN_JSC_useJIT: "0" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    children.push(child);
    expect(await new Response(child.stderr).text()).toMatch(/^footfall: the program may not compile .*\n$/);
    expect(await child.exited).toBe(2);
  }
});
