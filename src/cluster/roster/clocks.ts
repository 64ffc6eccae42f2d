/**
 * Whether the clocks of the nodes are one. Records have the time of the node that sequences, and each node asks its own clock
 * for what is now: where these differ, nodes give different figures for the last minutes, and sessions end at different times.
 */
import { heardMs } from "../../core/node-times.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import { Seldom } from "../../lib/seldom.ts";
import type { NodeReport } from "./roster.ts";

const differenceMsMax = 5_000;
/** A node whose clock is farther from that of most nodes is not to give records their time. */
const wrongMsMin = 60_000;
/** The reports that are looked at: one alone may have waited on its way, or come from before a clock was set. */
const reportsKept = 5;
/** A report that comes sooner after another one has waited with it: each node says one a second. */
const apartMsMin = 500;
/** The same node is told again after this time. */
const againMs = 30 * 60_000;

interface HeardClock {
  /** By how much the node's clock was ahead in each of its last reports, in milliseconds. */
  readonly aheadMs: readonly number[];
  readonly ms: number;
  readonly again: Seldom;
}

export class Clocks {
  private readonly heard = new Map<string, HeardClock>();

  constructor(
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Takes what a node has just said. */
  note({ name, wallMs }: NodeReport): void {
    if (wallMs === undefined) return;
    const before = this.heard.get(name);
    const ms = this.clock.monotonicMs();
    if (before !== undefined && ms - before.ms < apartMsMin) return;
    const aheadMs = [...(before?.aheadMs ?? []), wallMs - this.clock.nowMs()].slice(-reportsKept);
    const again = before?.again ?? new Seldom(this.clock, againMs);
    this.heard.set(name, { aheadMs, ms, again });
    const differs = differenceOf(aheadMs);
    const text =
      "the clocks of nodes differ, so their figures of the last minutes do: have NTP set each machine's";
    if (differs !== 0 && again.isDue())
      this.logger.warn(text, { node: name, secondsAhead: seconds(differs) });
  }

  /** Whether this node's clock is far from that of most nodes, so that it is this one that is wrong. */
  get isWrong(): boolean {
    const ahead = this.differences.map(([, ms]) => ms).sort((a, b) => a - b);
    // Two of two nodes are as likely to be right.
    const middles = [ahead[(ahead.length - 1) >> 1] ?? 0, ahead[ahead.length >> 1] ?? 0];
    return Math.min(...middles.map(Math.abs)) > wrongMsMin;
  }

  /** The nodes whose clocks differ from this one's, in words. */
  get troubles(): readonly string[] {
    return this.differences.flatMap(([name, differs]) => {
      const how = differs > 0 ? "ahead of" : "behind";
      return differs === 0
        ? []
        : [`the clock of ${name} is ${Math.abs(seconds(differs))} s ${how} this node's`];
    });
  }

  /** By how much the clock of each node that is heard is ahead of this one's, this node's own among them. */
  private get differences(): readonly (readonly [name: string, ms: number])[] {
    const nowMs = this.clock.monotonicMs();
    for (const [name, { ms }] of this.heard) if (nowMs - ms > heardMs) this.heard.delete(name);
    return [...this.heard].map(([name, { aheadMs }]) => [name, differenceOf(aheadMs)]);
  }
}

/** Returns the least difference of the last reports, in milliseconds; 0 if it is small, or there are too few to say. */
function differenceOf(aheadMs: readonly number[]): number {
  const least = aheadMs.reduce((some, other) => (Math.abs(other) < Math.abs(some) ? other : some), Infinity);
  return aheadMs.length < reportsKept || Math.abs(least) <= differenceMsMax ? 0 : least;
}

function seconds(ms: number): number {
  return Math.round(ms / 1_000);
}
