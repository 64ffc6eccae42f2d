/** Folders of a cluster's nodes for tests of the commands that move them: with a few page views, and read as a single machine does. */
import { cpSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { ClusterServer } from "../../src/cli/cluster/server.ts";
import { expectSound } from "../../src/cli/cluster/move-in.ts";
import type { NatsSettings } from "../../src/cluster/connection/nats-settings.ts";
import { openEngine } from "../../src/engine/opening/open.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { silentLogger, type Logger } from "../../src/lib/log.ts";
import { systemRandom } from "../../src/lib/random.ts";
import type { TestCluster } from "./cluster.ts";
import type { NatsServers } from "./nats.ts";
import { load, valuesOf } from "./records.ts";
import { runToEnd, type Ended } from "./server.ts";
import { addWebsites } from "./websites.ts";

export const machine = { clock: systemClock, random: systemRandom, logger: silentLogger, demo: false };

export const view = (name: string) =>
  load(`${name}-beacon`, { timeMs: systemClock.nowMs(), values: valuesOf(`/${name}`) });

/** Commits an account, a website and five page views. */
export async function commitSome(engine: RunningEngine): Promise<void> {
  await addWebsites(engine, "a.example");
  for (let number = 0; number < 5; number++) await engine.commit(view(`early-${number}`));
}

/** Runs a command of the executable about a folder and the servers of a cluster. */
export function runBeside(
  executable: string,
  { servers: { flags } }: TestCluster,
  words: readonly string[],
  { folder, objects, prefix = "test" }: { folder: string; objects: string; prefix?: string },
): Promise<Ended> {
  const nats = [...flags, "--nats-prefix", prefix];
  const places = ["--data", folder, "--objects", objects];
  return runToEnd([executable], objects, [...words, ...places, ...nats]);
}

/** Opens a node on a folder as the program does, in this process. */
export function openServer(
  { servers, monitors }: NatsServers,
  folder: string,
  {
    objects,
    prefix = "test",
    logger = machine.logger,
  }: { objects?: string; prefix?: string; logger?: Logger },
): Promise<ClusterServer> {
  const nats: NatsSettings = {
    servers: servers.map(({ url }) => url),
    monitors: monitors.split(","),
    isEncrypted: false,
    acceptsUnsynced: false,
    prefix,
    replicas: 1,
    credentials: undefined,
    ca: undefined,
    cert: undefined,
    key: undefined,
  };
  return ClusterServer.open(nats, { ...machine, folder, logger }, { version: "test", objects });
}

/** Opens a copy of a folder as a single machine does, below `top`, and takes a page view. Returns how many there are. */
export async function viewsIn(top: string, original: string): Promise<number | undefined> {
  const folder = mkdtempSync(join(top, "single-"));
  cpSync(original, folder, { recursive: true });
  const engine = await openEngine({ folder, ...machine });
  await engine.commit(view("alone"));
  const views = engine.site(1)?.rows;
  await engine.stop();
  expectSound(folder);
  return views;
}
