/** The package for npm: its command starts the program, whose Workers are found, by the package `bun` beside it. Its size is that of docs/install.md. */
import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { endedByControlC } from "./support/control-c.ts";
import { withFolder } from "./support/folder.ts";
import { ServerProcess } from "./support/server.ts";

const root = join(import.meta.dir, "..");

test("the package for npm serves, logs in, and ends in order at control-C", () =>
  withFolder(async (folder) => {
    const own = join(folder, "package");
    const built = Bun.spawnSync([process.execPath, "build.ts", "--npm", own], { cwd: root, stderr: "pipe" });
    expect([built.exitCode, built.stderr.toString()]).toEqual([0, ""]);
    const files = readdirSync(own, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const bytes = Buffer.concat(files.map(({ parentPath, name }) => readFileSync(join(parentPath, name))));
    const [, said] = /bundled program, ([\d.]+) MB packed/.exec(
      readFileSync(join(root, "docs", "install.md"), "utf8"),
    )!;
    expect(Math.abs(Bun.gzipSync(bytes).length / 1e6 / Number(said) - 1)).toBeLessThan(0.1);
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(join(root, "node_modules", "bun"), join(folder, "node_modules", "bun"));
    const server = await ServerProcess.start(["node", join(own, "footfall.mjs")], folder);
    try {
      const path = `http://localhost:${server.port}/auth/login`;
      // Passwords are checked, and the session is logged, by Workers.
      const login = await fetch(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ username: "ada", password: "a good password" }),
      });
      expect(login.status).toBe(200);
    } finally {
      expect(await server.end("SIGTERM")).toBe(0);
    }
    expect(await endedByControlC(["node", join(own, "footfall.mjs")], folder)).toMatchObject({ exitCode: 0 });
  }));
