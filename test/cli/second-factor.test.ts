/** The second factor of an account whose phone is lost: switched off on the server's machine. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { codeAt } from "../../src/accounts/login/totp.ts";
import { useExecutable } from "../support/executable.ts";
import { useFolder } from "../support/folder.ts";
import { account, runToEnd, ServerProcess } from "../support/server.ts";

describe("user remove-second-factor", () => {
  const command = [useExecutable()];
  let server: ServerProcess;

  beforeAll(async () => {
    server = await ServerProcess.start(command, folder);
    await server.logIn();
  });
  afterAll(() => server?.end("SIGTERM"));
  const folder = useFolder();

  const run = async (...words: string[]) => {
    const { exitCode, output, errors } = await runToEnd(command, folder, ["user", ...words]);
    return exitCode === 0 ? output : errors;
  };
  const current_password = account.password;

  async function switchOn(): Promise<void> {
    const answer = await server.post("/user/second-factor/offer", { current_password });
    const { secret, qr } = (await answer.json()) as { secret: string; qr: { size: number; path: string } };
    expect(qr.path.length).toBeGreaterThan(1_000);
    const body = { current_password, secret, code: codeAt(secret, Date.now()) };
    expect((await server.post("/user/second-factor", body)).status).toBe(200);
    expect((await server.post("/auth/login", account)).status).toBe(401);
  }

  test("asks a server that runs, which lets the account in by its password from then on", async () => {
    expect(await run("list")).toBe("ada\t0 websites\n");
    await switchOn();
    expect(await run("list")).toBe("ada\t0 websites\tsecond factor\n");
    expect(await run("remove-second-factor", "nobody")).toBe('footfall: there is no account "nobody"\n');
    expect(await run("remove-second-factor", "ADA")).toBe("ADA logs in without a second factor now\n");
    expect(await run("list")).toBe("ada\t0 websites\n");
    // Sessions that are open go on.
    expect((await server.get("/user")).status).toBe(200);
    await server.logIn();
    expect(await run("remove-second-factor", "ada")).toBe("footfall: there is no second factor\n");
  });

  test("changes a folder that no server has, too; a new password alone does not", async () => {
    await switchOn();
    expect(await server.end("SIGTERM")).toBe(0);
    const changed = await runToEnd(command, folder, ["user", "password", "ada"], "another good password\n");
    expect(changed.exitCode).toBe(0);
    expect(await run("list")).toBe("ada\t0 websites\tsecond factor\n");
    expect(await run("remove-second-factor", "ada")).toBe("ada logs in without a second factor now\n");
    server = await ServerProcess.start(command, folder);
    const answer = await server.post("/auth/login", { ...account, password: "another good password" });
    expect(answer.status).toBe(200);
  });
});
