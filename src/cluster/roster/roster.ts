/** The nodes of a cluster as they say each second what they are: nothing of it is stored. */
import type { NatsConnection } from "@nats-io/transport-node";
import { heardMs, rememberedMs, silentMsMax } from "../../core/node-times.ts";
import type { Clock } from "../../lib/clock.ts";
import { canRead, type RecordFormat } from "../../record/format.ts";
import type { LogRecord } from "../../record/record.ts";
import type { SaidState } from "./agreement.ts";
import { followLink } from "../connection/connect.ts";
import { folderOf } from "./node-name.ts";
import { formatOf } from "./record-level.ts";

/** Settings by flag, as texts that are equal where the settings are. */
export type SettingTexts = Readonly<Record<string, string>>;

/** A field that is not said, or has something else, is undefined. */
export interface NodeReport {
  readonly name: string;
  readonly version: string;
  /** The greatest kind of record that it understands. */
  readonly level: number;
  /** The format of records that it understands (record/format.ts), as JSON. */
  readonly format?: string | undefined;
  /** The last record that it has applied. */
  readonly seq: number;
  readonly behindMs: number;
  readonly isSequencer: boolean;
  /** Whether it could sequence: it has everything, and room on its disk. */
  readonly maySequence?: boolean | undefined;
  /** Its budget of names, in bytes. */
  readonly nameBytes?: number | undefined;
  /** How often its connection to NATS broke: what was on its way to it may be lost. */
  readonly breaks?: number | undefined;
  /** Its clock when it said this, in milliseconds since 1970. */
  readonly wallMs?: number | undefined;
  readonly state?: SaidState | undefined;
  /** Its own trouble, and that with the servers of NATS, and the clocks and settings of other nodes, as it sees them, in words. */
  readonly trouble?: string | undefined;
  /** Its settings that all nodes should have alike. */
  readonly settings?: SettingTexts | undefined;
}

/** A node as others know it. */
export interface HeardNode extends Omit<NodeReport, "format"> {
  /** How long ago it said so, in milliseconds. */
  readonly silentMs: number;
}

interface Heard {
  readonly report: NodeReport;
  readonly ms: number;
  /** The format of records that it understands; undefined for this program's own. */
  readonly format: RecordFormat | undefined;
}

/** No more nodes that are away are remembered. */
const goneMax = 32;

export class Roster {
  private readonly heard = new Map<string, Heard>();
  /** The nodes that are away, by folder: a restart is the same node. The one that was heard last comes last. */
  private readonly gone = new Map<string, Heard>();
  private readonly subject: string;
  private breaks = 0;

  constructor(
    private readonly connection: NatsConnection,
    prefix: string,
    private readonly clock: Clock,
    private readonly onReport: (report: NodeReport) => void,
  ) {
    this.subject = subjectOf(prefix);
    followLink(connection, () => (this.breaks += 1));
    connection.subscribe(this.subject, {
      callback: (error, message) => {
        const report = error === null ? reportIn(message.data) : undefined;
        if (report !== undefined) this.hear(report);
      },
    });
  }

  tell(own: NodeReport): void {
    const report = { ...own, breaks: this.breaks, wallMs: this.clock.nowMs() };
    // A node without a connection to NATS would not hear itself.
    this.hear(report);
    if (!this.connection.isClosed()) this.connection.publish(this.subject, JSON.stringify(report));
  }

  /** The nodes that were heard of late, this one among them. */
  get nodes(): readonly HeardNode[] {
    const nowMs = this.clock.monotonicMs();
    for (const [name, heard] of this.heard) if (nowMs - heard.ms > heardMs) this.lose(name, heard);
    return listed(
      this.heard.values().filter((heard) => !this.isReplaced(heard, nowMs)),
      nowMs,
    );
  }

  /** Whether a process has ended, and another one runs on its folder. */
  private isReplaced({ report, ms }: Heard, nowMs: number): boolean {
    const isNewer = (other: Heard) => other.ms > ms && folderOf(other.report.name) === folderOf(report.name);
    return nowMs - ms > silentMsMax && this.heard.values().some(isNewer);
  }

  /** Returns the nodes that this one heard within a day and that are away. */
  goneNodes(): readonly HeardNode[] {
    const here = new Set(this.nodes.map(({ name }) => folderOf(name)));
    const nowMs = this.clock.monotonicMs();
    for (const [folder, { ms }] of this.gone) if (nowMs - ms > rememberedMs) this.gone.delete(folder);
    const away = [...this.gone].filter(([folder]) => !here.has(folder));
    // It neither sequences nor has the trouble that it had.
    return listed(
      away.map(([, heard]) => heard),
      nowMs,
    ).map((node) => ({ ...node, isSequencer: false, trouble: undefined }));
  }

  private lose(name: string, heard: Heard): void {
    this.heard.delete(name);
    const folder = folderOf(name);
    this.gone.delete(folder);
    this.gone.set(folder, heard);
    const [oldest] = this.gone.keys();
    if (this.gone.size > goneMax && oldest !== undefined) this.gone.delete(oldest);
  }

  /**
   * Returns whether a node other than `name` has said within this time that it sequences. One that is behind does not count: it
   * stores nothing, or cannot.
   */
  isLed(name: string, withinMs: number): boolean {
    const leads = (node: HeardNode) => node.isSequencer && node.behindMs === 0 && node.name !== name;
    return this.nodes.some((node) => leads(node) && node.silentMs < withinMs);
  }

  /** Returns how often a node has said that its connection broke; undefined if it was not heard, or does not say it. */
  breaksOf(name: string): number | undefined {
    return this.heard.get(name)?.report.breaks;
  }

  /** Returns whether all of them understand a record. */
  understands(record: LogRecord): boolean {
    const nowMs = this.clock.monotonicMs();
    // Asked for each record: no list is made.
    for (const { format, ms } of this.heard.values())
      if (format !== undefined && nowMs - ms <= heardMs && !canRead(format, record)) return false;
    return true;
  }

  private hear(report: NodeReport): void {
    const format = formatOf(report.format);
    this.heard.set(report.name, { report, format, ms: this.clock.monotonicMs() });
    this.onReport(report);
  }
}

function listed(heard: Iterable<Heard>, nowMs: number): readonly HeardNode[] {
  return [...heard]
    .map(({ report: { format: _, ...report }, ms }) => ({ ...report, silentMs: nowMs - ms }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Resolves to the names of the nodes that are heard within this time, in order: each says once a second that it runs. */
export async function heardNodes(
  { connection, prefix }: { readonly connection: NatsConnection; readonly prefix: string },
  withinMs: number,
): Promise<readonly string[]> {
  const names = new Set<string>();
  const subscription = connection.subscribe(subjectOf(prefix), {
    callback: (error, message) => {
      const report = error === null ? reportIn(message.data) : undefined;
      if (report !== undefined) names.add(report.name);
    },
  });
  await Bun.sleep(withinMs);
  subscription.unsubscribe();
  return [...names].sort();
}

function subjectOf(prefix: string): string {
  return `${prefix}.nodes`;
}

/** Returns what a node says; undefined for anything else, which must not end the connection. */
function reportIn(data: Uint8Array): NodeReport | undefined {
  try {
    const said = JSON.parse(Buffer.from(data).toString()) as NodeReport;
    const numbers = [said.level, said.seq, said.behindMs];
    if (typeof said.name !== "string" || !numbers.every(Number.isFinite)) return undefined;
    const { state, trouble, format, nameBytes, breaks, wallMs, settings } = said;
    return {
      ...said,
      format: typeof format === "string" ? format : undefined,
      maySequence: said.maySequence === true,
      nameBytes: Number.isFinite(nameBytes) ? nameBytes : undefined,
      breaks: Number.isFinite(breaks) ? breaks : undefined,
      wallMs: Number.isFinite(wallMs) ? wallMs : undefined,
      state: isState(state) ? state : undefined,
      trouble: typeof trouble === "string" ? trouble : undefined,
      settings: typeof settings === "object" && settings !== null ? settings : undefined,
    };
  } catch {
    return undefined;
  }
}

function isState(said: SaidState | undefined): said is SaidState {
  const isPair = (pair: unknown) => Array.isArray(pair) && pair.length === 2 && pair.every(Number.isFinite);
  return Number.isFinite(said?.form) && Array.isArray(said?.digests) && said.digests.every(isPair);
}
