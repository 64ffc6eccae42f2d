/**
 * Kills the executable with -9 under load: at any moment, when a segment of the log begins, when a checkpoint gets its
 * name, and during the recovery. After each start, everything that was acknowledged in the rounds before is there, once.
 */
import { mkdirSync, watch } from "node:fs";
import { join } from "node:path";
import { withFolder } from "../support/folder.ts";
import { randomFrom } from "../support/random.ts";
import type { ServerProcess } from "../support/server.ts";
import {
  expectAll,
  hostname,
  Sender,
  serverArguments,
  startFresh,
  startServer,
  type Sent,
} from "./sender.ts";
import type { Torture } from "./torture.ts";

const data = "data";
/** A name in the data folder at whose appearance the process is killed; undefined: at a moment of chance. */
const aims: readonly (RegExp | undefined)[] = [
  undefined,
  /^unfinished$/,
  /\.manifest\.new$/,
  /\.state$/,
  /\.site$/,
];
const patienceMs = 500;
const loadMs = 60;
/** A start takes so long about. */
const startMs = 50;

export interface Round {
  readonly prefix: string;
  readonly sent: Sent;
}

/** Resolves when such a name appears, or after a while. */
async function seen(folder: string, name: RegExp): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const watcher = watch(join(folder, data), { recursive: true }, (_, path) => {
    if (name.test(path?.split("/").at(-1) ?? "")) resolve();
  });
  const timer = setTimeout(resolve, patienceMs);
  await promise;
  clearTimeout(timer);
  watcher.close();
}

/** Makes the server make checkpoints, one after the other: what is deleted leaves all files. */
export async function checkpoints(server: ServerProcess): Promise<void> {
  const other = "other.example";
  try {
    for (;;) {
      await server.post("/websites", { hostname: other });
      await server.delete(`/websites/${other}`);
    }
  } catch {
    // The server is gone.
  }
}

async function killUnderLoad(
  server: ServerProcess,
  folder: string,
  prefix: string,
  random: () => number,
): Promise<Round> {
  const aim = aims[Math.floor(random() * aims.length)];
  const sender = new Sender(server, prefix);
  await sender.first;
  const saved = aim === undefined ? undefined : checkpoints(server);
  if (aim === undefined) await Bun.sleep(random() * loadMs);
  else await seen(folder, aim);
  // Not always at once: what comes next is as good a moment.
  if (random() < 0.5) await Bun.sleep(random() * 5);
  await server.end("SIGKILL");
  await saved;
  return { prefix, sent: await sender.stop() };
}

/** Starts and kills it before it listens, some times. Returns how often. */
async function killInRecovery(
  command: readonly string[],
  folder: string,
  random: () => number,
): Promise<number> {
  let kills = 0;
  for (; random() < 0.4; kills++) {
    const args = ["--host", "127.0.0.1", "--port", "0", ...serverArguments];
    const child = Bun.spawn([...command, ...args], {
      cwd: folder,
      env: {},
      stdio: ["ignore", "ignore", "ignore"],
    });
    await Bun.sleep(random() * startMs);
    child.kill("SIGKILL");
    await child.exited;
  }
  return kills;
}

export async function expectKept(server: ServerProcess, { prefix, sent }: Round): Promise<void> {
  const query = `pages?path[starts_with]=${prefix}&limit=5000`;
  const pages = await Promise.all(
    [0, 5_000].map((offset) => server.rows(hostname, `${query}&offset=${offset}`)),
  );
  const rows = pages.flat();
  const found = new Set(rows.map(({ path }) => String(path)));
  const twice = rows.find(({ pageviews }) => pageviews !== 1);
  if (twice !== undefined || found.size !== rows.length)
    throw new Error(`${twice?.["path"]} is counted twice`);
  if (rows.length > sent.count)
    throw new Error(`${rows.length} of ${prefix} are there, of ${sent.count} that were sent`);
  expectAll(sent.acknowledged.keys(), found, `of ${prefix}`);
}

export const kills: Torture = {
  about: "the executable killed with -9 under load",
  rounds: { full: 1_000, short: 4 },
  run: ({ rounds, seed, command }) =>
    withFolder(async (folder) => {
      const random = randomFrom(seed);
      mkdirSync(join(folder, data));
      let server = await startFresh(command, folder);
      const past: Round[] = [];
      let [kills, acknowledged] = [0, 0];
      while (kills < rounds) {
        const round = await killUnderLoad(server, folder, `/r${past.length}/`, random);
        past.push(round);
        acknowledged += round.sent.acknowledged.size;
        kills += 1 + (await killInRecovery(command, folder, random));
        const { cookie } = server;
        server = await startServer(command, folder, cookie);
        // The hits of earlier rounds outlive this crash too.
        const any = past[Math.floor(random() * past.length)] as Round;
        for (const one of new Set([any, ...past.slice(-2)])) await expectKept(server, one);
      }
      for (const one of past) await expectKept(server, one);
      if ((await server.end("SIGTERM")) !== 0) throw new Error("the last stop was not clean");
      return `${kills} kills, ${kills - past.length} of them in the recovery; ${acknowledged} hits acknowledged: none lost, none twice`;
    }),
};
