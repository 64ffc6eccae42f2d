/**
 * Real power cuts: the data folder is on an ext4 image that is mounted. Under load the server is stopped, the image is
 * copied as it is, without the pages that the system has not written yet, and the copy is mounted and served.
 */
import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { withFolder } from "../support/folder.ts";
import { randomFrom } from "../support/random.ts";
import type { ServerProcess } from "../support/server.ts";
import { checkpoints, expectKept, type Round } from "./kills.ts";
import { endServers, Sender, startFresh, startServer } from "./sender.ts";
import type { Torture } from "./torture.ts";

const imageBytes = 64 * 1024 * 1024;
const loadMs = 150;

/** Runs a command to its end. Throws unless it succeeds. */
export function run(...words: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(words);
  if (exitCode !== 0) throw new Error(`${words.join(" ")}: ${stderr.toString()}`);
}

/** Calls `use` with a folder on the image, which is mounted meanwhile. */
async function mounted<T>(image: string, place: string, use: () => Promise<T>): Promise<T> {
  run("mount", "-o", "loop", image, place);
  try {
    return await use();
  } finally {
    await endServers();
    run("umount", place);
  }
}

/** Loads the server, and takes a copy of the image at a moment of chance. */
async function cut(
  server: ServerProcess,
  prefix: string,
  copy: () => void,
  random: () => number,
): Promise<Round> {
  const sender = new Sender(server, prefix);
  await sender.first;
  const saved = random() < 0.5 ? checkpoints(server) : undefined;
  await Bun.sleep(random() * loadMs);
  process.kill(server.pid, "SIGSTOP");
  copy();
  await server.end("SIGKILL");
  await saved;
  return { prefix, sent: await sender.stop() };
}

export const images: Torture = {
  needs: "mount",
  about: "real power cuts: copies of a mounted ext4 image",
  rounds: { full: 100, short: 2 },
  run: ({ rounds, seed, command }) =>
    withFolder(async (top) => {
      const random = randomFrom(seed);
      const [image, copy, place] = ["image", "copy", "mounted"].map((name) => join(top, name)) as [
        string,
        string,
        string,
      ];
      mkdirSync(place);
      run("truncate", "-s", String(imageBytes), image);
      run("mkfs.ext4", "-q", image);
      const past: Round[] = [];
      let [cookie, acknowledged] = ["", 0];
      for (let round = 0; round <= rounds; round++) {
        await mounted(image, place, async () => {
          const server = await (round === 0
            ? startFresh(command, place)
            : startServer(command, place, cookie));
          cookie = server.cookie;
          for (const one of past.slice(-3)) await expectKept(server, one);
          if (round === rounds) for (const one of past) await expectKept(server, one);
          const takeCopy = () => run("cp", "--sparse=always", image, copy);
          if (round < rounds) past.push(await cut(server, `/p${round}/`, takeCopy, random));
          else await server.end("SIGTERM");
        });
        acknowledged += past.at(-1)?.sent.acknowledged.size ?? 0;
        if (round < rounds) renameSync(copy, image);
      }
      return `${rounds} power cuts, ${acknowledged} hits acknowledged: none lost, none twice`;
    }),
};
