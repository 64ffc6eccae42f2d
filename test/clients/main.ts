/**
 * `npm run clients`: lints the OpenAPI document of a real server, makes a client of it by openapi-typescript and one by
 * openapi-python-client, and asks the server through both. The exit code is 1 when anything failed. The tools come from
 * their registries, in the versions that stand beside this file, into a folder that is gone afterwards.
 */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fromSource, ServerProcess } from "../support/server.ts";

const own = import.meta.dir;
const folder = mkdtempSync(join(tmpdir(), "footfall-clients-"));

/** Runs a command in the folder, and throws if it fails. `asking`: the server and the token for who asks. */
async function run(command: readonly string[], asking: Readonly<Record<string, string>> = {}): Promise<void> {
  const path = [join(folder, "node_modules", ".bin"), join(folder, "python", "bin"), process.env["PATH"]];
  const quiet = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  const env = { ...process.env, ...quiet, ...asking, PATH: path.join(":") };
  const [program = "", ...rest] = command;
  // The system would look for the program on the path of this process.
  const found = Bun.which(program, { PATH: env.PATH });
  if (found === null) throw new Error(`there is no ${program}`);
  const child = Bun.spawn([found, ...rest], { cwd: folder, env, stdio: ["ignore", "inherit", "inherit"] });
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} ended with ${child.exitCode}`);
}

async function install(): Promise<void> {
  for (const name of ["package.json", "bun.lock", "requirements.txt", "ask.py"])
    cpSync(join(own, name), join(folder, name));
  cpSync(join(own, "ask.ts.txt"), join(folder, "ask.ts"));
  await run([process.execPath, "install", "--frozen-lockfile", "--ignore-scripts"]);
  await run(["python3", "-m", "venv", "python"]);
  await run(["pip", "install", "--quiet", "--disable-pip-version-check", "-r", "requirements.txt"]);
}

/** Starts a server with three page views, two of one page, and the time of the other; returns a token for it as well. */
async function started(): Promise<{ server: ServerProcess; token: string }> {
  const server = await ServerProcess.start(fromSource, folder, ["--data", "data"]);
  await server.logIn();
  await answered(server.post("/websites", { hostname: "client.example" }), 201);
  for (const [at, path] of ["/", "/pricing", "/pricing"].entries())
    await answered(server.hit(`https://client.example${path}`, `beacon-${at}`), 200);
  await answered(server.post("/event/hit", { b: "beacon-0", m: 5_000 }), 200);
  const made = await answered(server.post("/user/tokens", { name: "clients", scope: "admin" }), 201);
  return { server, token: ((await made.json()) as { token: string }).token };
}

async function answered(asked: Promise<Response>, status: number): Promise<Response> {
  const answer = await asked;
  if (answer.status !== status) throw new Error(`${answer.status}: ${await answer.text()}`);
  return answer;
}

/** Returns what failed. Of a client that could not be made nothing is asked. */
async function tried(server: ServerProcess, token: string): Promise<string[]> {
  await Bun.write(join(folder, "openapi.json"), await server.get("/openapi.json"));
  const asking = { SERVER: server.url(""), TOKEN: token };
  const typed = ["--noEmit", "--strict", "--target", "esnext", "--module", "nodenext", "--types", "node"];
  const tries: Readonly<Record<string, readonly (readonly string[])[]>> = {
    "redocly lint": [["redocly", "lint", "openapi.json"]],
    "a client by openapi-typescript": [
      ["openapi-typescript", "openapi.json", "--output", "client.ts"],
      ["tsc", ...typed, "--allowImportingTsExtensions", "ask.ts"],
      [process.execPath, "ask.ts"],
    ],
    "a client by openapi-python-client": [
      [
        ...["openapi-python-client", "generate", "--path", "openapi.json"],
        ...["--output-path", "client", "--meta", "none", "--overwrite"],
      ],
      ["python", "ask.py"],
    ],
  };
  const failed: string[] = [];
  for (const [name, commands] of Object.entries(tries)) {
    try {
      for (const command of commands) await run(command, asking);
      console.log(`${name}: good`);
    } catch (error) {
      console.log(`${name}: ${(error as Error).message}`);
      failed.push(name);
    }
  }
  return failed;
}

let server: ServerProcess | undefined;
let failed: readonly string[];
try {
  await install();
  const running = await started();
  server = running.server;
  failed = await tried(server, running.token);
} catch (error) {
  failed = [(error as Error).message];
} finally {
  await server?.end("SIGTERM");
  rmSync(folder, { recursive: true });
}
console.log(failed.length === 0 ? "clients: good" : `clients: failed: ${failed.join(", ")}`);
process.exit(failed.length === 0 ? 0 : 1);
