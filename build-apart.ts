/**
 * A plugin for the build that keeps packages which most servers never load in one minified file of the executable, without
 * bytecode: it is read when the first of them is imported. The rest of the server cannot be minified (build.ts).
 */
import type { BunPlugin } from "bun";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Calls `use` with the plugin that has these modules of packages apart, in a file of their own. `plugins`: for their build. */
export async function withApart<T>(
  modules: readonly string[],
  plugins: BunPlugin[],
  use: (plugin: BunPlugin) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "footfall-apart-"));
  try {
    const entry = join(import.meta.dir, "apart.ts");
    const lines = modules.map((name) => `export * as ${alias(name)} from "${name}";`);
    const files = { [entry]: lines.join("\n") };
    await Bun.build({
      entrypoints: [entry],
      files,
      outdir: folder,
      target: "bun",
      format: "esm",
      minify: true,
      plugins,
    });
    return await use(apartIn(join(folder, "apart.js"), modules));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function apartIn(file: string, modules: readonly string[]): BunPlugin {
  const namespace = `apart-${alias(modules.join("_"))}`;
  return {
    name: namespace,
    setup: (build) => {
      build.onResolve({ filter: new RegExp(`^(${modules.join("|")})$`) }, ({ path }) => ({
        path,
        namespace,
      }));
      build.onLoad({ filter: /./, namespace }, async ({ path }) => {
        const module = (await import(path)) as object;
        const names = Object.keys(module).filter((name) => /^[a-zA-Z]\w*$/.test(name) && name !== "default");
        const lines = names.map((name) => `export const ${name} = own.${name};`);
        if ("default" in module) lines.push("export default own.default;");
        const head = `import file from "${file}" with { type: "file" };\nconst { ${alias(path)}: own } = await import(file);`;
        return { loader: "js", contents: [head, ...lines].join("\n") };
      });
    },
  };
}

function alias(name: string): string {
  return name.replace(/\W+/g, "_");
}
