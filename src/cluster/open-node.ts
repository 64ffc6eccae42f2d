/** Opens the stream of a cluster, and on it a node: an engine on a folder of its own, which follows or appends. */
import { openEngine } from "../engine/opening/open.ts";
import type { OpenOptions } from "../engine/options/options.ts";
import { FolderRefused } from "../engine/refused.ts";
import type { RunningEngine } from "../engine/running.ts";
import { isTooEarly } from "../engine/log/early-clock.ts";
import { digestForm } from "../engine/log/state-digest.ts";
import { DiskError } from "../lib/disk/disk.ts";
import { SnapshotDamage } from "../snapshot/section.ts";
import type { SharedLog } from "../wal/log-store.ts";
import { Agreement } from "./roster/agreement.ts";
import { tellForbidden } from "./connection/forbidden.ts";
import type { SyncSettings } from "./connection/nats-settings.ts";
import { disown, expectAgreeing } from "./differing.ts";
import { Clocks } from "./roster/clocks.ts";
import { newStream, type NewStreamOptions } from "./new-stream.ts";
import { NameBudgets } from "./roster/name-budgets.ts";
import { nodeName } from "./roster/node-name.ts";
import { whyNotYet } from "./roster/record-level.ts";
import { Roster, type SettingTexts } from "./roster/roster.ts";
import { SharedSettings } from "./roster/shared-settings.ts";
import { paceDefault, type Pace } from "./pace.ts";
import { RunningNode } from "./running-node.ts";
import { Stream, type StreamOptions } from "./stream/stream.ts";
import { expectSync } from "./stream/sync-check.ts";
import { NatsWatch } from "./stream/nats-watch.ts";
import { StreamStore } from "./stream/stream-store.ts";

/**
 * Opens the stream. A new one is made only for a folder without data, where no other cluster is known. Throws FolderRefused if
 * there is none for another, and before anything else for a copy that was not that of the others; and Refusal 500 for a stream that
 * does not keep what it acknowledges.
 */
export async function openStream(
  options: StreamOptions,
  folder: string,
  given: NewStreamOptions,
): Promise<Stream> {
  expectAgreeing(folder);
  const stream = (await Stream.open(options)) ?? (await newStream(options, folder, given));
  const before = await stream.adopt();
  const { replicas } = options;
  if (before < replicas)
    given.logger.info("each record is on more servers of NATS from now on", { before, replicas });
  return stream;
}

export interface NodeOptions extends StreamOptions {
  readonly stream: Stream;
  readonly version: string;
  /** How it is known that the servers sync every write. */
  readonly sync: SyncSettings;
  readonly engine: Omit<OpenOptions, "shared">;
  /** The settings that all nodes should have alike. */
  readonly settings?: SettingTexts | undefined;
  readonly pace?: Pace;
  /** Returns what else is wrong with this node, in words. */
  readonly moreTrouble?: () => string | undefined;
}

export interface OpenedNode {
  readonly engine: RunningEngine;
  readonly node: RunningNode;
}

/** Opens a node on the copy in its folder, which may be behind. Throws what `openEngine` and `expectSync` throw. */
export async function openNode(options: NodeOptions): Promise<OpenedNode> {
  const { stream, connection, prefix, pace = paceDefault, settings = {} } = options;
  const { clock, random, folder, rowsMonths, nameBytes = Infinity, logger, awaited } = options.engine;
  if (rowsMonths !== undefined)
    throw new FolderRefused("FOOTFALL_ROWS is for a single machine: the nodes of a cluster keep all rows");
  const check = { ...options.sync, stream, connection, logger };
  const accepted = await expectSync(check);
  void tellForbidden(connection, logger);
  const budgets = new NameBudgets(nameBytes, logger);
  const clocks = new Clocks(clock, logger);
  const alike = new SharedSettings(settings, logger);
  const roster = new Roster(connection, prefix, clock, (report) => {
    budgets.note(report);
    clocks.note(report);
    alike.note(report);
  });
  let store: StreamStore | undefined;
  let node: RunningNode | undefined;
  const agreement = new Agreement(digestForm(), clock);
  const shared: SharedLog = {
    ...stream.start,
    mayTake: (record) => (roster.understands(record) ? undefined : whyNotYet()),
    nameBytes: () => budgets.largest,
    agreesOnRetention: () => alike.isSame("retention", roster.nodes),
    onCheckpoint: (seq, digest) => noteDigest(agreement, seq, digest),
    open: (position) => {
      const onAppended = (failure: Error | null) => node?.appended(failure);
      store = new StreamStore({ stream, clock, random, position, onAppended, ...pace });
      return store;
    },
  };
  const engine = await openEngine({ ...options.engine, shared });
  const name = nodeName(folder, random);
  const watch = new NatsWatch(check, accepted, clock);
  const ofOthers = () => [...watch.troubles, ...clocks.troubles, ...alike.troublesAmong(roster.nodes)];
  node = new RunningNode({
    ...options,
    ...{ name, engine, roster, agreement, settings, nameBytes, watch, pace },
    store: store as unknown as StreamStore,
    trouble: () =>
      [...ownTroubles(engine), options.moreTrouble?.(), ...ofOthers()].filter(Boolean).join("; ") ||
      undefined,
    isWhole: () => awaited === undefined || awaited.names.size === 0,
    // A log that NATS does not take is no reason: it takes that of the others no better.
    whyYields: () =>
      ownTroubles(engine).find((trouble) => trouble !== notTaken) ??
      (clocks.isWrong ? "its clock is not that of most nodes" : undefined),
    disown: () => disown(folder, name),
  });
  return { engine, node };
}

const notTaken = "NATS does not take hits and changes";

/** Returns what keeps a node from taking hits of every website, in words. */
function ownTroubles(engine: RunningEngine): readonly string[] {
  const { hasRoom, takesHits, unavailableWebsites } = engine.health();
  const isEarly = isTooEarly(engine.clock.nowMs());
  const troubles = {
    "its clock is before 2025": isEarly,
    "its disk is nearly full": !hasRoom,
    "a website of its copy is damaged": unavailableWebsites > 0,
    [notTaken]: !takesHits && hasRoom && !isEarly,
  };
  return Object.entries(troubles).flatMap(([words, isThere]) => (isThere ? [words] : []));
}

/** A file that cannot be read is told where it is needed. */
function noteDigest(agreement: Agreement, seq: number, digestOf: () => number | undefined): void {
  try {
    const digest = digestOf();
    if (digest !== undefined) agreement.note(seq, digest);
  } catch (error) {
    if (!(error instanceof SnapshotDamage || error instanceof DiskError)) throw error;
  }
}
