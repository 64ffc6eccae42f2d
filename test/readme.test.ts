/** The README's example, as it stands there: every line of it answers what a reader was promised. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { longTest } from "./support/long-test.ts";
import { useExecutable } from "./support/executable.ts";
import { withFolder } from "./support/folder.ts";
import { isThere, nameWith } from "./support/needs.ts";
import { readme } from "./support/readme.ts";
import { ServerProcess } from "./support/server.ts";

const executable = [useExecutable()];

test.skipIf(!isThere("curl"))(nameWith("curl", "the example of the README, verbatim but for the port"), () =>
  withFolder(async (folder) => {
    const block = /### Try it[\s\S]*?```sh\n([\s\S]*?)```/.exec(await readme())?.[1] as string;
    const server = await ServerProcess.start(executable, folder);
    try {
      const commands = block.replaceAll("localhost:8080", `localhost:${server.port}`);
      // Each answer on a line of its own; a command that fails ends it.
      const script = `set -e\ncurl() { command curl "$@"; echo; }\n${commands}`;
      const child = Bun.spawnSync(["bash", "-c", script], { cwd: folder, stderr: "pipe" });
      expect(child.exitCode).toBe(0);
      const answers = child.stdout
        .toString()
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(answers).toMatchObject([
        { username: "ada" },
        { hostname: "example.com", summary: { visitors: 0 } },
        { accepted: true },
        { accepted: true },
        { accepted: true },
        [{ path: "/pricing", visitors: 1, pageviews: 1, duration: 30_000 }],
        [{ referrer: "Hacker News", visitors: 1 }],
        { current: { visitors: 1, pageviews: 1 }, interval: [{ pageviews: 1 }] },
      ]);
    } finally {
      await server.end("SIGTERM");
    }
  }),
);

longTest("npm start ends its server in order when it is told to end", () =>
  withFolder(async (folder) => {
    const npmStart = ["npm", "--prefix", join(import.meta.dir, ".."), "start", "--silent", "--"];
    const data = ["--data", join(folder, "data")];
    const first = await ServerProcess.start(npmStart, folder, data);
    await first.end("SIGTERM");
    // Nothing of it is left that holds the folder.
    const second = await ServerProcess.start(executable, folder, data);
    expect(await second.end("SIGTERM")).toBe(0);
  }),
);
