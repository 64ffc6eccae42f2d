/** The first start from source: what npm brings without a lock file runs nothing of its own. */
import { expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import packageFile from "../package.json" with { type: "json" };
import { withFolder } from "./support/folder.ts";

/** A registry on this machine, with packages of one version that say what they run after they are installed. */
function serveRegistry(folder: string, packages: Readonly<Record<string, string>>) {
  const versions = Object.entries(packages).map(([name, script]) => {
    const own = join(folder, name, "package");
    mkdirSync(own, { recursive: true });
    const about = {
      name,
      version: "1.0.0",
      bin: { [name]: "run.mjs" },
      scripts: { postinstall: "node install.js" },
    };
    writeFileSync(join(own, "package.json"), JSON.stringify(about));
    writeFileSync(join(own, "install.js"), script);
    writeFileSync(join(own, "run.mjs"), "process.exit(1)");
    Bun.spawnSync(["tar", "-czf", join(folder, `${name}.tgz`), "-C", join(folder, name), "package"]);
    return [name, about] as const;
  });
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => {
      const { pathname, origin } = new URL(url);
      const name = pathname.slice(1);
      if (name.endsWith(".tgz")) return new Response(Bun.file(join(folder, name)));
      const about = versions.find(([known]) => known === name)?.[1];
      if (about === undefined) return new Response("{}", { status: 404 });
      const dist = { tarball: `${origin}/${name}.tgz` };
      return Response.json({
        name,
        "dist-tags": { latest: "1.0.0" },
        versions: { "1.0.0": { ...about, hasInstallScript: true, dist } },
      });
    },
  });
}

/** A program in the place of Bun: the package has it once its own script has run, as Bun's has. */
const standIn = `const text = "#!/bin/sh\\necho bun $*\\n";
require("node:fs").writeFileSync(require("node:path").join(__dirname, "run.mjs"), text, { mode: 0o755 });`;

test("installs Bun, and runs no script of another package", () =>
  withFolder(async (folder) => {
    const mark = join(folder, "mark");
    const other = `require("node:fs").writeFileSync(${JSON.stringify(mark)}, "");`;
    await using registry = serveRegistry(folder, { bun: standIn, other });
    const own = join(folder, "own");
    mkdirSync(own);
    copyFileSync(join(import.meta.dir, "..", "run.mjs"), join(own, "run.mjs"));
    const dependencies = { bun: "1.0.0", other: "1.0.0" };
    writeFileSync(join(own, "package.json"), JSON.stringify({ type: "module", dependencies }));
    const { PATH = "" } = process.env;
    const npm = {
      npm_config_registry: registry.url.origin,
      npm_config_cache: join(folder, "cache"),
      HOME: folder,
    };
    const start = () =>
      Bun.spawn(["node", "run.mjs", "src/main.ts"], { cwd: own, env: { PATH, ...npm }, stderr: "pipe" });
    const first = start();
    expect(await first.stdout.text()).toBe("bun src/main.ts\n");
    expect(await first.stderr.text()).toContain("installing the pinned packages, once");
    expect(existsSync(join(own, "node_modules", "other", "package.json"))).toBe(true);
    expect(existsSync(mark)).toBe(false);
    const second = start();
    expect([await second.stdout.text(), await second.stderr.text()]).toEqual(["bun src/main.ts\n", ""]);
    // One that was cut off before Bun's own script had run.
    rmSync(join(own, "node_modules", ".installed"));
    writeFileSync(join(own, "node_modules", "bun", "run.mjs"), "exit 1");
    expect(await start().stdout.text()).toBe("bun src/main.ts\n");
  }));

test("lets Bun run the scripts of no other packages than npm", () => {
  const { allowScripts, trustedDependencies } = packageFile;
  // Unless somebody names them, Bun trusts many packages of the registry.
  const allowed = Object.entries(allowScripts).flatMap(([name, isAllowed]) => (isAllowed ? name : []));
  expect(trustedDependencies).toEqual(allowed);
  expect(allowed).toEqual(["bun"]);
});
