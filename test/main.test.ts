/** The first module, as the runtime runs it. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fromSource } from "./support/server.ts";

const folder = mkdtempSync(join(tmpdir(), "footfall-main-"));
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ["thrown", 'throw new Error("nobody catches this")'],
  ["of a promise", 'void Promise.reject(new Error("nobody catches this"))'],
])("an error %s that nothing catches ends the server, and is told", async (_, fails) => {
  const preload = join(folder, "fails.ts");
  // Only once it serves.
  writeFileSync(
    preload,
    `const serve = Bun.serve;
     Bun.serve = (options) => {
       setTimeout(() => { ${fails}; }, 100);
       return serve(options);
     };`,
  );
  const [bun = "", main = ""] = fromSource;
  const child = Bun.spawn(
    [bun, "--preload", preload, main, "--host", "127.0.0.1", "--port", "0", "--data", join(folder, "data")],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  const told = await new Response(child.stderr).text();
  expect([await child.exited, told]).toEqual([1, expect.stringContaining("nobody catches this")]);
});
