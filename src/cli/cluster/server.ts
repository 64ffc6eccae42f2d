/**
 * Runs a server as a node of a cluster: opens its copy, passes on what another node decides, and answers what others pass
 * on. It is loaded only where the settings name servers of NATS.
 */
import { connect } from "../../cluster/connection/connect.ts";
import {
  connectionOptions,
  connectionRefusal,
  type NatsSettings,
} from "../../cluster/connection/nats-settings.ts";
import { NodeLink } from "../../cluster/forwarding/node-link.ts";
import type { ClusterNode } from "../../cluster/node.ts";
import { openNode, openStream } from "../../cluster/open-node.ts";
import { Peers } from "../../cluster/forwarding/peers.ts";
import type { SettingTexts } from "../../cluster/roster/roster.ts";
import { Refusal } from "../../core/refusal.ts";
import { expectCopy } from "../../engine/opening/shared-folder.ts";
import { systemDisk } from "../../lib/disk/disk.ts";
import type { OpenOptions } from "../../engine/options/options.ts";
import type { RunningEngine } from "../../engine/running.ts";
import type { LogRecord } from "../../record/record.ts";
import type { App } from "../../http/app.ts";
import { calledByNodes, passUse } from "./control.ts";
import { UsesElsewhere } from "./uses-elsewhere.ts";
import { backupMaker, beginningOf, expectNotSetBack, startClusterBackups } from "./backups.ts";
import type { Fetching } from "./fetching.ts";
import { bringUp, clusterPlace } from "./objects.ts";
import type { Control } from "../control/control.ts";
import type { BackupSchedule } from "../backup/schedule.ts";
import { answerCall, type Callable } from "../socket.ts";

/** How often it is looked whether this node has begun to sequence. */
const lookMs = 200;

export interface NodeSettings {
  readonly version: string;
  /** The place of the cluster's backups. */
  readonly objects?: string | undefined;
  /** The settings that all nodes should have alike. */
  readonly settings?: SettingTexts | undefined;
}

export class ClusterServer {
  private timer: ReturnType<typeof setInterval> | undefined;
  private backups: BackupSchedule | undefined;

  private constructor(
    readonly engine: RunningEngine,
    readonly node: ClusterNode,
    readonly peers: Peers,
    private readonly fetching: Fetching | undefined,
  ) {}

  /** Throws Refusal if no server of NATS can be reached, and what opening a stream and an engine throws. */
  static async open(
    nats: NatsSettings,
    engine: Omit<OpenOptions, "shared">,
    { version, objects, settings }: NodeSettings,
  ): Promise<ClusterServer> {
    const { servers, prefix, replicas } = nats;
    const connection = await connect(servers, connectionOptions(nats)).catch((error: unknown) => {
      if (error instanceof Refusal) throw error;
      throw connectionRefusal(error as Error);
    });
    let fetching: Fetching | undefined;
    let made: ClusterServer | undefined;
    try {
      const options = { connection, prefix, replicas };
      const place = objects === undefined ? undefined : clusterPlace(objects, prefix);
      const stream = await openStream(options, engine.folder, { ...engine, place });
      expectCopy(systemDisk, engine.folder, stream.start);
      if (objects !== undefined) await expectNotSetBack(objects, stream);
      fetching = await bringUp({ ...engine, objects, stream: await beginningOf(stream) });
      const uses = new UsesElsewhere((use) => passUse(peers, use), engine.logger);
      const logElsewhere = (record: LogRecord) => uses.log(record);
      const opened = await openNode({
        ...options,
        stream,
        moreTrouble: () => (made?.backups?.isFailing ? "its backups for the cluster fail" : undefined),
        version,
        settings,
        sync: nats,
        engine: { ...engine, logElsewhere, awaited: fetching },
      });
      const peers = new Peers(new NodeLink(opened.node, prefix, engine.clock));
      const server = (made = new ClusterServer(opened.engine, opened.node, peers, fetching));
      if (objects !== undefined) {
        const isOn = backupMaker(opened.node, engine.clock);
        const { folder } = engine;
        server.backups = startClusterBackups({ folder, objects, engine: opened.engine, stream, isOn });
      }
      fetching?.begin();
      return server;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** Answers what other nodes pass on. `functions`: those of this node's control socket. */
  serve(app: App, functions: Readonly<Record<keyof Control, Callable>>): void {
    const { engine, peers } = this;
    const { logger } = engine;
    const called = calledByNodes(engine, functions);
    peers.serve(
      {
        api: (request, sender) => app.fetchForwarded(request, sender),
        control: (request) => answerCall(request, called, logger),
        hits: app.hitForwarded,
      },
      logger,
    );
  }

  metricLines(): string[] {
    return this.fetching?.metricLines() ?? [];
  }

  /** Calls `act` each time that this node begins to sequence. */
  onSequencing(act: () => Promise<void>): void {
    let was = false;
    this.timer = setInterval(() => {
      const is = this.node.isSequencer;
      if (is && !was)
        act().catch((error: unknown) =>
          this.engine.logger.error("the first account of the settings could not be made", {
            error: String(error),
          }),
        );
      was = is;
    }, lookMs);
  }

  /** Another node may sequence at once; what others passed on is answered first. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.fetching?.stop();
    await this.backups?.stop();
    await this.peers.stop();
    await this.node.stop();
    await this.engine.stop();
    await this.node.connection.close();
  }
}
