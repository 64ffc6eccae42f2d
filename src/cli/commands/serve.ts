/**
 * The command that runs the server: opens the data folder, makes the first account or a set-up link, listens, and after
 * the first signal finishes the requests in flight.
 */
import { resolve } from "node:path";
import { addUser, SetUp } from "../../engine/admin/admin.ts";
import type { Engine } from "../../engine/engine.ts";
import { openEngine } from "../../engine/open.ts";
import type { FilesOfMoment, PinnedFiles } from "../../engine/pinned-files.ts";
import { createApp } from "../../http/app.ts";
import { listen, type Listening } from "../../http/serve.ts";
import { reserveDescriptors } from "../../lib/descriptors.ts";
import { createLogger } from "../../lib/log.ts";
import { memoryBytes } from "../../lib/memory.ts";
import type { RunningEngine } from "../../engine/running.ts";
import { expectElsewhere, expectStore } from "../backup/place.ts";
import { BackupSchedule } from "../backup/schedule.ts";
import type { Call, Command } from "../command.ts";
import {
  certificateFiles,
  certificateRefusal,
  followCertificate,
  readCertificate,
  type CertificateFiles,
} from "../certificate.ts";
import { callables } from "../control.ts";
import { listenRefusal } from "../failure.ts";
import { firstAccount, type Settings } from "../settings.ts";
import { serverUrl } from "../server-url.ts";
import { Held, openSocket } from "../socket.ts";
import { stopSignal } from "../stop-signal.ts";
import { buildCommit, version } from "../version.ts";
import { workTreeAround } from "../work-tree.ts";

/** Requests in flight get this long after the first signal. */
const finishMs = 2_000;

export const serve: Command = {
  words: ["serve"],
  operands: [],
  flags: [],
  description: "Run the server (the default command)",
  run: async (call) => {
    const stop = stopSignal();
    const { settings, clock, random, terminal } = call;
    const { folder, demo, retention, logLevel, trustProxy, scriptName, base, loadsPerNetwork, metricsToken } =
      settings;
    const memory = settings.memory ?? memoryBytes() / 2;
    const names = settings.names ?? Math.floor(memoryBytes() / 16);
    const format = settings.logFormat ?? (terminal.watched ? "text" : "json");
    const logger = createLogger({ level: logLevel, format, nowMs: () => clock.nowMs() });
    const account = firstAccount(settings);
    if (settings.backup !== undefined) {
      expectStore(settings.backup);
      expectElsewhere(settings.backup, folder);
    }
    const files = certificateFiles(settings);
    const certificate = files && readCertificate(files);
    // The stack ends everything in the opposite order, whatever fails.
    await using open = new AsyncDisposableStack();
    const engine = await openEngine({
      folder,
      clock,
      random,
      logger,
      demo,
      retentionMonths: retention,
      memoryBytes: memory,
      nameBytes: names,
      loadsPerNetwork,
    });
    open.defer(() => engine.stop());
    if (account !== undefined && engine.registry.users.size === 0) await addUser(engine, account, true);
    const socket = openSocket(
      folder,
      { ...callables(engine), pinFiles: async () => held(engine.pinFiles()) },
      logger,
    );
    open.defer(() => socket.close());
    const setUp = new SetUp(engine);
    const app = createApp(engine, {
      commit: buildCommit(),
      setUp,
      trustProxy,
      scriptName,
      base,
      metricsToken,
    });
    const listening = listenAs(settings, files, (host, port) => listen(app, host, port, certificate));
    open.defer(() => listening.stop(finishMs));
    if (files && certificate) open.defer(followCertificate(files, certificate, listening.renew, logger));
    greet(call, engine, setUp, listening);
    reserveDescriptors();
    open.defer(startBackups(call, engine));
    await stop;
    logger.info("stopping");
  },
};

/** Makes backups as the settings say, and returns a function that ends this. */
function startBackups({ settings, clock }: Call, engine: RunningEngine): () => Promise<void> {
  const { folder, backup: destination, backupEvery: everyMs, backupKeep: keep } = settings;
  if (destination === undefined) return async () => {};
  const { logger } = engine;
  const pinFiles = () => engine.pinFiles();
  const schedule = new BackupSchedule({ folder, destination, everyMs, keep, clock, logger, pinFiles });
  return () => schedule.stop();
}

/** Files stay pinned for as long as the command that copies them is there. */
function held({ release, ...files }: PinnedFiles): Held<FilesOfMoment> {
  return new Held(files, release);
}

/** Listens. The system's error about an address, a port or a certificate that it cannot use becomes a Refusal. */
function listenAs(
  { host, port }: Settings,
  files: CertificateFiles | undefined,
  start: (host: string, port: number) => Listening,
): Listening {
  try {
    return start(host, port);
  } catch (error) {
    throw (files && certificateRefusal(error, files)) ?? listenRefusal(error, host, port);
  }
}

/** The addresses under which this machine reaches itself. A browser accepts the Secure cookie from `localhost` only. */
const localHosts = new Set(["0.0.0.0", "::", "127.0.0.1", "::1", "localhost"]);

/** Prints the greeting as one block, in one write. */
function greet({ settings, terminal }: Call, engine: Engine, setUp: SetUp, { port }: Listening): void {
  const { host, folder } = settings;
  const here = `${serverUrl(settings, localHosts.has(host) ? "localhost" : host, port)}/`;
  const tree = workTreeAround(folder);
  const setUpLines = [
    "  There is no account yet. Make the first one with this link, which works once:",
    `  ${here}#setup=${setUp.token}`,
    `  or in another terminal: footfall user add NAME --data ${resolve(folder)}`,
  ];
  const lines = [
    `Footfall ${version} listens on ${serverUrl(settings, host, port)}, data in ${folder}`,
    ...(tree === undefined
      ? []
      : [
          `  The data is in the git work tree ${tree}: git clean may delete it. Choose another folder with --data.`,
        ]),
    ...(engine.demo ? ["  Demo: changes to accounts, websites and settings are refused."] : []),
    ...(setUp.open ? setUpLines : [`  Dashboard: ${here}`]),
  ];
  terminal.print(lines.join("\n"));
}
