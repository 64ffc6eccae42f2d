/**
 * Builds the executable: `bun build.ts [file]`, dist/footfall by default. Never minified, because Elysia
 * reads the source text of handlers. Workers are entry points of their own, found again by their path in src; splitting
 * keeps one copy of what they share, and loads what comes by `import()` only then.
 *
 * The clients of NATS, what sends mail and what makes QR codes are apart (build-apart.ts): with bytecode they would be more than
 * two megabytes.
 *
 * `bun build.ts --all [folder]` builds one for each system into dist/all. Bun takes the runtimes of the others, in its own
 * version, from where its packages come from. The file SHA256SUMS is what `sha256sum --check` reads.
 *
 * `bun build.ts --npm [folder]` builds a package for npm into dist/npm: the bundled program, which the package `bun` runs.
 */
import type { BuildConfig, BunPlugin } from "bun";
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { apart } from "./build-apart.ts";
import packageFile from "./package.json" with { type: "json" };
import { checkoutCommit } from "./src/cli/version.ts";

/** The most that an executable may have. */
const bytesMax = 120_000_000;
const targets = [
  "linux-x64",
  "linux-x64-baseline",
  "linux-arm64",
  "linux-x64-musl",
  "linux-arm64-musl",
  "darwin-x64",
  "darwin-arm64",
] as const;

const source = join(import.meta.dir, "src");
const dist = join(import.meta.dir, "dist");
// An image is built without git.
const commit = process.env["FOOTFALL_BUILD_COMMIT"] ?? checkoutCommit(import.meta.dir);
const workers = [...new Bun.Glob("**/worker.ts").scanSync(source)].filter((path) => !path.startsWith("lib/"));

const natsModules = Object.keys(packageFile.dependencies).filter((name) => name.startsWith("@nats-io/"));
const mailModules = ["nodemailer/lib/smtp-connection", "nodemailer/lib/mime-node"];

/** Elysia checks what comes by schemas of its own with these, and no route of ours has one. */
const uncheckedByElysia = `
  const unused = new Proxy({}, { get: () => () => { throw new Error("a route has a schema of Elysia's: see build.ts"); } });
  export { unused as Value, unused as TypeCompiler };
  export class TypeCheck {}
  export class TransformDecodeError extends Error {}
`;

/**
 * Nodemailer guesses the types of attached files by their names, and no mail of ours has one. The client of NATS has one use
 * for a package of many ciphers.
 */
const withoutUnused: BunPlugin = {
  name: "without what nobody uses of packages",
  setup: (build) => {
    const path = join(source, "cluster", "connection", "ed25519.ts");
    build.onResolve({ filter: /^tweetnacl$/ }, () => ({ path }));
    build.onLoad({ filter: /typebox.build.esm.(value|compiler).index\.mjs$/ }, () => ({
      contents: uncheckedByElysia,
      loader: "js",
    }));
    build.onLoad({ filter: /mime-funcs.mime-types\.js$/ }, () => ({
      contents:
        'export const detectMimeType = () => "application/octet-stream";\nexport const detectExtension = () => "bin";',
      loader: "js",
    }));
  },
};

const bundle = {
  entrypoints: ["main.ts", ...workers].map((path) => join(source, path)),
  root: source,
  target: "bun",
  format: "esm",
  splitting: true,
  // Elysia checks files with it, by schemas of its own, of which no route has one.
  external: ["file-type"],
  plugins: [withoutUnused],
  define: { FOOTFALL_BUILD_COMMIT: JSON.stringify(commit) },
} satisfies Partial<BuildConfig>;

/** `target`: another system than this one. */
async function build(outfile: string, target?: (typeof targets)[number]): Promise<void> {
  const groups = [natsModules, mailModules, ["uqr"]];
  await Bun.build({
    ...bundle,
    bytecode: true,
    // Functions deeper inside others are compiled when they are called: a start takes as long, and the file is 0.4 MB smaller.
    bytecodeDepth: 2,
    plugins: [
      ...bundle.plugins,
      ...(await Promise.all(groups.map((modules) => apart(modules, [withoutUnused])))),
    ],
    // Nothing of the folder that it is started in may change what it does.
    compile: {
      outfile,
      autoloadBunfig: false,
      autoloadDotenv: false,
      ...(target && { target: `bun-${target}` }),
    },
  });
  const { size } = Bun.file(outfile);
  console.log(`built ${outfile} (${Math.round(size / 1_000_000)} MB, commit ${commit})`);
  if (size > bytesMax) throw new Error(`${outfile} has ${size} bytes, expected at most ${bytesMax}`);
}

async function buildAll(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const sums: string[] = [];
  for (const target of targets) {
    const name = `footfall-${target}`;
    const path = join(folder, name);
    await build(path, target);
    sums.push(
      `${new Bun.CryptoHasher("sha256").update(await Bun.file(path).bytes()).digest("hex")}  ${name}\n`,
    );
  }
  await Bun.write(join(folder, "SHA256SUMS"), sums.join(""));
}

/** The package's command: a script for Node, because npm starts it with Node. */
const command = `#!/usr/bin/env node
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { isatty } from "node:tty";
import { fileURLToPath } from "node:url";

const bun = join(dirname(createRequire(import.meta.url).resolve("bun/package.json")), "bin", "bun.exe");
const main = join(dirname(fileURLToPath(import.meta.url)), "main.ts");
const child = spawn(bun, ["--no-env-file", main, ...process.argv.slice(2)], { stdio: "inherit" });
// Control-C at a terminal reaches the child by itself, and npm sends it here once more: a second one would end the child at once.
const atTerminal = [0, 1, 2].some((stream) => isatty(stream));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.on(signal, () => {
    if (signal !== "SIGINT" || !atTerminal) child.kill(signal);
  });
child.on("exit", (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
`;

async function buildPackage(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  // Workers are found by their path in src (lib/threads/worker.ts), which has the ending of the source.
  const naming = { entry: "[dir]/[name].ts", chunk: "[name]-[hash].js" };
  await Bun.build({ ...bundle, outdir: folder, naming });
  for (const name of ["LICENSE", "README.md"]) copyFileSync(join(import.meta.dir, name), join(folder, name));
  await Bun.write(join(folder, "footfall.mjs"), command);
  const { name, version, license, description } = packageFile;
  const about = { name, version, license, description, type: "module", bin: { footfall: "footfall.mjs" } };
  const dependencies = { bun: packageFile.devDependencies.bun };
  await Bun.write(join(folder, "package.json"), `${JSON.stringify({ ...about, dependencies }, null, 2)}\n`);
  console.log(`built ${folder} (commit ${commit})`);
}

const [first, second] = Bun.argv.slice(2);
if (first === "--all") await buildAll(second ?? join(dist, "all"));
else if (first === "--npm") await buildPackage(second ?? join(dist, "npm"));
else if (first?.startsWith("-")) throw new Error(`${first}: expected --all, --npm or a file`);
else await build(first ?? join(dist, "footfall"));
