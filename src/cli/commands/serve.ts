/**
 * The command that runs the server: opens the data folder, makes the first account or a set-up link, listens, and after
 * the first signal finishes the requests in flight.
 */
import { HashingWorker } from "../../accounts/login/hasher.ts";
import { hashBy } from "../../accounts/login/password.ts";
import type { NatsSettings } from "../../cluster/connection/nats-settings.ts";
import { Messenger } from "../../notify/messenger.ts";
import { addUser } from "../../engine/admin/account/users.ts";
import { SetUp } from "../../engine/admin/account/set-up.ts";
import type { Engine } from "../../engine/engine.ts";
import { answersMemory, connectionsMax } from "../../engine/options/memory-plan.ts";
import { openEngine } from "../../engine/opening/open.ts";
import type { OpenOptions } from "../../engine/options/options.ts";
import { FolderRefused } from "../../engine/refused.ts";
import type { FilesOfMoment } from "../../snapshot/backup-list.ts";
import { createApp, type App } from "../../http/app.ts";
import { listen, type Listening } from "../../http/serve.ts";
import { metricsMedia } from "../../http/transport/server-metrics.ts";
import { reserveDescriptors } from "../../lib/disk/descriptors.ts";
import { GarbageBound, garbageLookMs, youngLookMs } from "../../lib/memory/garbage.ts";
import type { Logger } from "../../lib/log.ts";
import { memoryBytes } from "../../lib/memory/memory.ts";
import type { RunningEngine } from "../../engine/running.ts";
import { expectElsewhere, expectStore } from "../backup/store-at-place.ts";
import { BackupMetrics } from "../backup/backup-metrics.ts";
import { BackupSchedule } from "../backup/schedule.ts";
import type { Call, Command } from "../command.ts";
import {
  certificateFiles,
  certificateRefusal,
  followCertificate,
  readCertificate,
  type CertificateFiles,
} from "../serving/certificate.ts";
import { callables } from "../control/control.ts";
import { expectOwnData, isNewFolder, otherFileIn } from "../data-folder.ts";
import { listenRefusal } from "../failure.ts";
import { greet, setUpLines } from "../serving/greeting.ts";
import { loggerOf } from "../terminal/logger.ts";
import { notifySettings } from "../settings/messages.ts";
import { clusterCallables, noCluster } from "../cluster/control.ts";
import type { ClusterServer } from "../cluster/server.ts";
import { natsSettings } from "../cluster/settings.ts";
import { firstAccount, settingsOfAll, settingsTable, type Settings } from "../settings/settings.ts";
import { expectNone } from "../settings/values.ts";
import { unknownVariables } from "../settings/unknown-variables.ts";
import { Held, openSocket } from "../socket.ts";
import { stopSignal } from "../terminal/stop-signal.ts";
import { announce } from "../terminal/terminal.ts";
import { tellUncaught } from "../serving/uncaught.ts";
import { buildCommit, version } from "../version.ts";

/** Requests in flight get this long after the first signal. */
const finishMs = 2_000;

export const serve: Command = {
  words: ["serve"],
  description: "Run the server (the default command)",
  run: async (call) => {
    const stop = stopSignal();
    const { settings, clock, random, terminal } = call;
    const { folder, demo, trustProxy, scriptName, base, metricsToken } = settings;
    const logger = loggerOf(call);
    warnOfSettings(call, logger);
    const notify = notifySettings(settings);
    const nats = natsSettings(settings);
    const otherFile = otherFileBeside(settings, nats);
    const files = certificateFiles(settings);
    const certificate = files && readCertificate(files);
    // The stack ends everything in the opposite order, whatever fails.
    await using open = new AsyncDisposableStack();
    open.defer(tellUncaught(logger));
    open.defer(hashAside());
    const { promise: lost, resolve: onLost } = Promise.withResolvers<Error>();
    const options = { ...engineOptions(settings), folder, clock, random, logger, demo, onLost };
    const cluster = nats && (await openAsNode(nats, options, settings));
    const engine = cluster?.engine ?? (await openEngine(options));
    open.defer(() => (cluster ?? engine).stop());
    const addFirst = addingFirstAccount(engine, settings);
    if (cluster === undefined) await addFirst();
    const own = callables(engine, settings);
    const functions = cluster ? clusterCallables(own, cluster.peers) : { ...own, clusterStatus: noCluster };
    const setUp = new SetUp(engine);
    const messenger = new Messenger({ engine, settings: notify, isActive: () => isSequencer(cluster) });
    open.defer(() => messenger.stop());
    const backups = settings.backup === undefined ? undefined : new BackupMetrics();
    const app = createApp(engine, {
      commit: buildCommit(),
      setUp,
      trustProxy,
      scriptName,
      base,
      metricsToken,
      answerBytes: answersMemory(options.memoryBytes),
      sendsMail: notify.mail !== undefined,
      messages: messenger,
      cluster: cluster?.peers,
      moreMetrics: () => [...(backups?.lines() ?? []), ...(cluster?.metricLines() ?? [])],
      // Formats are loaded when the first file comes.
      importFile: async (...given) => (await import("../import/upload.ts")).importUpload(...given),
    });
    const socket = openSocket(folder, { ...functions, pinFiles: () => held(engine) }, logger, metricsOf(app));
    open.defer(() => socket.close());
    cluster?.serve(app, own);
    const listening = listenAs(settings, files, (host, port) => listen(app, host, port, certificate));
    open.defer(() => stopListening(listening, engine));
    if (files && certificate) open.defer(followCertificate(files, certificate, listening.renew, logger));
    greet(call, engine, setUp, listening, { node: cluster?.node.name, otherFile });
    const offerSetUp = () => setUp.open && announce(terminal, setUpLines(call, setUp, listening).join("\n"));
    cluster?.onSequencing(() => addFirst().finally(offerSetUp));
    reserveDescriptors(connectionsMax(options.memoryBytes));
    open.defer(startUpkeep(call, engine, backups));
    const failure = await Promise.race([stop, lost, ...(cluster ? [cluster.node.failed] : [])]);
    if (failure !== undefined) throw new FolderRefused(failure.message);
    logger.info("stopping");
  },
};

function warnOfSettings({ environment, settings }: Call, logger: Logger): void {
  for (const unknown of unknownVariables(environment)) logger.warn(unknown);
  if (settings.trustProxy.some(({ prefix }) => prefix === 0))
    logger.warn("anybody may claim any address, because --trust-proxy names all of them");
}

/** Deletions wait for no others any more: else they would be under way when their connections are cut. */
function stopListening(listening: Listening, { purges }: RunningEngine): Promise<void> {
  purges.stop();
  return listening.stop(finishMs);
}

/**
 * Returns what adds the first account. Where there is one, the settings of it are ignored, also a file that is gone: a node
 * knows that only once it has read the log.
 */
function addingFirstAccount(engine: Engine, settings: Settings): () => Promise<void> {
  return async () => {
    const account = engine.registry.users.size === 0 ? firstAccount(settings) : undefined;
    if (account !== undefined) await addUser(engine, account, true);
  };
}

/** Whether this server decides: one alone does. */
function isSequencer(cluster: ClusterServer | undefined): boolean {
  return cluster?.node.isSequencer ?? true;
}

/** Lets a Worker hash passwords, and returns what ends it. */
function hashAside(): () => void {
  const hasher = new HashingWorker();
  hashBy(hasher);
  return () => hasher.close();
}

function metricsOf(app: App): () => Response {
  return () => new Response(app.metrics(), { headers: { "content-type": metricsMedia } });
}

/** The modules for several machines are loaded where there are several. */
async function openAsNode(
  nats: NatsSettings,
  options: OpenOptions,
  settings: Settings,
): Promise<ClusterServer> {
  const { ClusterServer } = await import("../cluster/server.ts");
  const { objects } = settings;
  return ClusterServer.open(nats, options, { version, objects, settings: settingsOfAll(settings) });
}

function engineOptions({ retention, rows, memory, names, loadsPerNetwork }: Settings) {
  return {
    retentionMonths: retention,
    rowsMonths: rows,
    memoryBytes: memory ?? memoryBytes() / 2,
    nameBytes: names ?? Math.floor(memoryBytes() / 16),
    loadsPerNetwork,
  };
}

/**
 * Returns the name of a file among which the data begins, if it does. Throws Refusal for places that this server may not write
 * to, and for a first account that cannot be made.
 */
function otherFileBeside(settings: Settings, nats: NatsSettings | undefined): string | undefined {
  expectPlaces(settings);
  expectOwnData(settings.folder);
  // A first account that cannot be made is refused before a folder is begun. A node may get accounts with its log.
  if (nats === undefined && isNewFolder(settings.folder)) firstAccount(settings);
  return otherFileIn(settings.folder);
}

function expectPlaces(settings: Settings): void {
  const { backup, objects, folder } = settings;
  if (objects !== undefined) expectStore(objects);
  const { backupEvery, backupKeep } = settingsTable;
  if (backup === undefined) return expectNone({ backupEvery, backupKeep }, settings, "--backup");
  expectStore(backup);
  expectElsewhere(backup, folder);
}

/** Does what is to be done now and then, and returns a function that ends this. */
function startUpkeep(call: Call, engine: RunningEngine, metrics: BackupMetrics | undefined) {
  const garbage = new GarbageBound(engineOptions(call.settings).memoryBytes);
  const looking = setInterval(() => garbage.look(), garbageLookMs);
  const lookingAtYoung = setInterval(() => garbage.lookAtYoung(), youngLookMs);
  const stopBackups = startBackups(call, engine, metrics);
  return () => {
    clearInterval(looking);
    clearInterval(lookingAtYoung);
    return stopBackups();
  };
}

/** Makes backups as the settings say, and returns a function that ends this. */
function startBackups(
  { settings, clock }: Call,
  engine: RunningEngine,
  metrics: BackupMetrics | undefined,
): () => Promise<void> {
  const { folder, backup: destination, backupEvery: everyMs, backupKeep: keep } = settings;
  if (destination === undefined) return async () => {};
  const { logger } = engine;
  const pinFiles = () => engine.pinFiles();
  const times = { everyMs, keep, clock };
  const schedule = new BackupSchedule({ folder, destination, ...times, logger, pinFiles, metrics });
  return () => schedule.stop();
}

/** Files stay pinned for as long as the command that copies them is there. */
async function held(engine: RunningEngine): Promise<Held<FilesOfMoment>> {
  const { release, ...files } = await engine.pinFiles();
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
