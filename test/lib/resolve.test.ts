/** Names are looked up in the event loop: the runtime's threads, of which others make use, have no part in it. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { withFolder } from "../support/folder.ts";

/** Runs a program of test/support, which has 60 seconds. Returns what it writes. */
const written = (program: string) =>
  withFolder(async (folder) => {
    const command = [process.execPath, join(import.meta.dir, "../support", program), folder];
    const child = Bun.spawn(command, { stderr: "inherit", timeout: 60_000, killSignal: "SIGKILL" });
    return JSON.parse(await child.stdout.text()) as unknown;
  });

test("a webhook is looked up and sent while all threads of the runtime wait for something else", async () => {
  expect(await written("waiting-threads.ts")).toEqual(["sent", false]);
});

test("other name servers of the system are asked once its file names them by addresses", async () => {
  const [first, ...others] = (await written("other-servers.ts")) as string[][];
  const two = ["192.0.2.2", "2001:db8::1"];
  expect(others).toEqual([first!, first!, ["192.0.2.1"], two, two]);
});
