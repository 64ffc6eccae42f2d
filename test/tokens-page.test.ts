/** That the commands of docs/tokens.md do what the page says, as they are printed there. */
import { expect } from "bun:test";
import { join } from "node:path";
import { useExecutable } from "./support/executable.ts";
import { withFolder } from "./support/folder.ts";
import { testWith } from "./support/needs.ts";
import { runToEnd, ServerProcess } from "./support/server.ts";

const executable = useExecutable();
const page = await Bun.file(join(import.meta.dir, "..", "docs", "tokens.md")).text();
const [adding = "", asking = "", sending = "", ...others] = Array.from(
  page.matchAll(/```sh\n([^]*?)```/g),
  ([, command = ""]) => command,
);

testWith("curl", "the commands of docs/tokens.md work as they stand there", () =>
  withFolder(async (folder) => {
    expect(others).toEqual([]);
    const server = await ServerProcess.start([executable], folder);
    const run = (command: string, token: string) => {
      const text = command.replaceAll("https://stats.example", server.url(""));
      const env = { PATH: process.env["PATH"] ?? "", TOKEN: token };
      const { exitCode, stdout } = Bun.spawnSync(["bash", "-c", text], { cwd: folder, env });
      expect(exitCode).toBe(0);
      return JSON.parse(stdout.toString()) as unknown;
    };
    const add = async (words: string) => {
      const { exitCode, output } = await runToEnd([executable], folder, words.trim().split(" ").slice(1));
      expect(exitCode).toBe(0);
      return output.trim();
    };
    try {
      await server.logIn();
      expect((await server.post("/websites", { hostname: "example.com" })).status).toBe(201);
      const sender = await add(adding);
      const reader = await add(adding.replace("send", "read"));
      expect(run(sending, sender)).toEqual({ hits: [{ accepted: true }, { accepted: true }] });
      expect(run(asking, reader)).toMatchObject([{ path: "/", pageviews: 1, visitors: 1 }]);
      expect(run(asking, sender)).toMatchObject({ error: { code: 403 } });
    } finally {
      await server.end("SIGTERM");
    }
  }),
);
