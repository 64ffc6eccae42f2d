// Runs Bun with the given arguments on a machine that has only Node and npm:
// installs the pinned packages (Bun is one of them) when they are missing or older than package.json.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isatty } from "node:tty";
import { fileURLToPath } from "node:url";

const root = dirname(fileURLToPath(import.meta.url));
const bun = join(root, "node_modules", ".bin", "bun");
const stamp = join(root, "node_modules", ".installed");
const pins = readFileSync(join(root, "package.json"), "utf8");

function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ["ignore", 2, 2] });
  if (status === 0) return;
  console.error(`footfall: '${command} ${args.join(" ")}' failed${error ? `: ${error.message}` : ""}`);
  process.exit(1);
}

const fresh = existsSync(bun) && existsSync(stamp) && readFileSync(stamp, "utf8") === pins;
if (!fresh) {
  console.error("footfall: installing the pinned packages, once");
  // npm does not know the locked versions, and may bring newer ones: no script of these runs before Bun has put the locked ones there.
  if (spawnSync(bun, ["--version"]).status !== 0) {
    const quiet = ["--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"];
    run("npm", ["install", "--ignore-scripts", ...quiet]);
    run(process.execPath, [join(root, "node_modules", "bun", "install.js")]);
  }
  run(bun, ["install", "--frozen-lockfile", "--silent"]);
  writeFileSync(stamp, pins);
}

const child = spawn(bun, process.argv.slice(2), { stdio: "inherit" });
// Control-C at a terminal reaches the child by itself, and npm sends it here once more: a second one would end the child at once.
const atTerminal = [0, 1, 2].some((stream) => isatty(stream));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.on(signal, () => {
    if (signal !== "SIGINT" || !atTerminal) child.kill(signal);
  });
child.on("exit", (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
