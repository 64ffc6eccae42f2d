/** Commands beside a server of another build, as after the executable was replaced and before the server is restarted, and beside one that is paused. */
import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { socketName } from "../../src/cli/socket.ts";
import { command } from "../support/command.ts";
import { git } from "../support/git.ts";
import { accountEnvironment, fromSource, ServerProcess } from "../support/server.ts";
import { ServersOfFolder } from "../support/servers-of-folder.ts";

const servers = new ServersOfFolder();
const message =
  "footfall: the server that runs is of another version than this command: restart it with this one, and run the command again";

/** Starts a server that takes the commit of an empty repository for its own. */
async function startOfAnotherCommit(): Promise<ServerProcess> {
  git(servers.top, "init", "--quiet");
  git(servers.top, "commit", "--quiet", "--allow-empty", "-m", "first");
  const project = join(import.meta.dir, "../..");
  const env = { ...accountEnvironment, GIT_DIR: join(servers.top, ".git"), GIT_WORK_TREE: project };
  return ServerProcess.start(fromSource, servers.top, ["--data", servers.data], env);
}

test("a command asks nothing of it and says what to do; a backup and a check work", async () => {
  const other = await startOfAnotherCommit();
  for (const words of [
    ["website", "list"],
    ["website", "add", "b.example"],
    ["user", "remove", "ada", "--yes"],
  ])
    expect(await command(servers.data, ...words)).toEqual({ exitCode: 2, printed: message });
  expect(await command(servers.data, "backup", join(servers.top, "a.tar"))).toMatchObject({ exitCode: 0 });
  expect(await command(servers.data, "check")).toMatchObject({ exitCode: 0 });
  expect(await other.end("SIGTERM")).toBe(0);
  await servers.start();
  expect(await command(servers.data, "user", "list")).toEqual({ exitCode: 0, printed: "ada\t0 websites" });
});

test("so is a server that does not say its build, as none did before", async () => {
  mkdirSync(servers.data);
  const calls: string[] = [];
  const older = Bun.serve({
    unix: join(servers.data, socketName),
    fetch: (request) => {
      calls.push(request.method);
      return Response.json({ result: "/dashboard/invitation#secret" });
    },
  });
  expect(await command(servers.data, "website", "invite", "a.example")).toEqual({
    exitCode: 2,
    printed: message,
  });
  expect(calls).toEqual(["GET"]);
  await older.stop(true);
});

test("a server that is paused is named after ten seconds, and not waited for", async () => {
  const server = await servers.start();
  process.kill(server.pid, "SIGSTOP");
  const commands = [["website", "list"], ["check"], ["backup", join(servers.top, "a.tar")]];
  const said = await Promise.all(commands.map((words) => command(servers.data, ...words)));
  process.kill(server.pid, "SIGCONT");
  const printed = `footfall: the server that listens on ${join(servers.data, socketName)} has not answered for 10 s: see whether it is paused, or its machine too busy`;
  expect(said).toEqual(commands.map(() => ({ exitCode: 2, printed })));
  expect(await command(servers.data, "user", "list")).toEqual({ exitCode: 0, printed: "ada\t0 websites" });
});
