/**
 * A plugin for the build that keeps packages which most servers never load in one minified file of the executable, without
 * bytecode: it is read when the first of them is imported. The rest of the server cannot be minified (build.ts).
 */
import type { BunPlugin } from "bun";
import { join } from "node:path";

/**
 * Returns the plugin that has these modules of packages apart, in a file of their own. `plugins`: for their build. No file is written
 * for it: the executable would differ by the name of its folder.
 */
export async function apart(modules: readonly string[], plugins: BunPlugin[]): Promise<BunPlugin> {
  const entry = join(import.meta.dir, "apart.ts");
  const lines = modules.map((name) => `export * as ${alias(name)} from "${name}";`);
  const { outputs } = await Bun.build({
    entrypoints: [entry],
    files: { [entry]: lines.join("\n") },
    target: "bun",
    format: "esm",
    minify: true,
    plugins,
  });
  return apartIn(await outputs[0]!.text(), modules);
}

function apartIn(contents: string, modules: readonly string[]): BunPlugin {
  const namespace = `apart-${alias(modules.join("_"))}`;
  const file = `${namespace}.js`;
  return {
    name: namespace,
    setup: (build) => {
      build.onResolve({ filter: new RegExp(`^(${modules.join("|")})$`) }, ({ path }) => ({
        path,
        namespace,
      }));
      build.onResolve({ filter: new RegExp(`^${file}$`) }, () => ({ path: file, namespace: "apart" }));
      build.onLoad({ filter: new RegExp(`^${file}$`), namespace: "apart" }, () => ({
        contents,
        loader: "file",
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
