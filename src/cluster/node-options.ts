/** The parts of a node at work, which open-node.ts puts together. */
import type { RunningEngine } from "../engine/running.ts";
import type { Agreement } from "./roster/agreement.ts";
import type { Pace } from "./pace.ts";
import type { Roster, SettingTexts } from "./roster/roster.ts";
import type { Stream, StreamOptions } from "./stream/stream.ts";
import type { StreamStore } from "./stream/stream-store.ts";
import type { NatsWatch } from "./stream/nats-watch.ts";

export interface RunningNodeOptions extends StreamOptions {
  readonly name: string;
  readonly version: string;
  readonly engine: RunningEngine;
  readonly stream: Stream;
  readonly store: StreamStore;
  readonly roster: Roster;
  readonly agreement: Agreement;
  readonly pace: Pace;
  readonly watch: NatsWatch;
  /** Says what is wrong with this node, NATS, and the clocks and settings of others, in words; undefined if nothing is known to be. */
  readonly trouble: () => string | undefined;
  /** Whether all files of this node's copy are there. */
  readonly isWhole: () => boolean;
  /** The settings of this node that all nodes should have alike. */
  readonly settings: SettingTexts;
  /** The budget of names of this node. */
  readonly nameBytes: number;
  /** Says why another node is to sequence if one can; undefined if this one serves as well. */
  readonly whyYields: () => string | undefined;
  /** Makes this node's copy one that no node starts from. Returns what is to be done about it. */
  readonly disown: () => string;
}
