/**
 * Fills a small disk under load, and makes room again: no hit is acknowledged that is not kept, hits are taken again by
 * themselves within five seconds, and the log has three lines about it.
 */
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { withFolder } from "../support/folder.ts";
import { runToEnd } from "../support/server.ts";
import { until } from "../support/until.ts";
import { run } from "./images.ts";
import { expectAll, Sender, startFresh, viewsIn } from "./sender.ts";
import type { Torture } from "./torture.ts";

const diskBytes = 33 * 1024 * 1024;
/** Before the disk is filled. */
const loadedHits = 500;
const againMs = 5_000;
/** As much of the disk is left to the server at first. */
const freeBytes = 6 * 1024 * 1024;

async function untilRefused(sender: Sender): Promise<void> {
  const before = sender.sent.refused.get(500) ?? 0;
  await until(() => (sender.sent.refused.get(500) ?? 0) > before + 50, "hits are refused");
}

/** Returns how long it took until hits are taken again. */
async function untilTaken(sender: Sender): Promise<number> {
  const startMs = performance.now();
  const before = sender.sent.acknowledged.size;
  await until(() => sender.sent.acknowledged.size > before + 50, "hits are taken again");
  return performance.now() - startMs;
}

/** The lines of the log, without those of a start. */
function linesAbout(log: string, words: RegExp): string[] {
  return readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => words.test(line));
}

/** Fills the disk to its last byte, piece by piece: some batch finds too little room before one finds none. */
async function fillUp({ sent }: Sender, ballast: string): Promise<void> {
  const answers = () => sent.acknowledged.size + (sent.refused.get(500) ?? 0);
  const piece = ["if=/dev/zero", `of=${ballast}`, "bs=64k", "count=4", "oflag=append", "conv=notrunc"];
  while (Bun.spawnSync(["dd", ...piece], { stderr: "ignore" }).exitCode === 0) {
    const before = answers();
    await until(() => answers() > before + 5, "hits are answered");
  }
}

async function fill(command: readonly string[], folder: string, isFull: boolean): Promise<string> {
  const [log, ballast] = [join(folder, "log"), join(folder, "data", "lost+found")];
  const logging = ["sh", "-c", `exec "$@" 2>>'${log}'`, "sh", ...command];
  const server = await startFresh(logging, folder);
  run("fallocate", "-l", String(diskBytes - freeBytes), ballast);
  const sender = new Sender(server, "/f/");
  await until(() => sender.sent.acknowledged.size > loadedHits, "hits are taken");
  await fillUp(sender, ballast);
  await untilRefused(sender);
  rmSync(ballast);
  const tookMs = await untilTaken(sender);
  const { acknowledged } = await sender.stop();
  await server.end("SIGKILL");
  const dump = await runToEnd(command, folder, ["dump", "--data", "data"]);
  expectAll(acknowledged.keys(), viewsIn(dump.output.split("\n"), "/f/"), "on the full disk");
  const lines = linesAbout(log, /disk/);
  if (lines.length !== 3) throw new Error(`${lines.length} lines about the disk: ${lines.join("\n")}`);
  // Beside other tests the processor may be somebody else's for longer than that.
  if (isFull && tookMs > againMs) throw new Error(`hits were taken again after ${Math.round(tookMs)} ms`);
  return `${acknowledged.size} hits acknowledged, taken again after ${Math.round(tookMs)} ms`;
}

export const fullDisk: Torture = {
  needs: "mount",
  about: "a full disk of 33 MB under load, and room again",
  rounds: { full: 10, short: 1 },
  run: ({ rounds, command, isFull = false }) =>
    withFolder(async (top) => {
      const found: string[] = [];
      for (let round = 0; round < rounds; round++) {
        const folder = join(top, String(round));
        const data = join(folder, "data");
        mkdirSync(data, { recursive: true });
        run("mount", "-t", "tmpfs", "-o", `size=${diskBytes}`, "footfall-torture", data);
        try {
          found.push(await fill(command, folder, isFull));
        } finally {
          run("umount", "-l", data);
        }
      }
      return `${rounds} times: none lost, three lines; ${found.join("; ")}`;
    }),
};
