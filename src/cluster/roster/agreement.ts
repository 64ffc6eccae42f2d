/**
 * Finds out whether this node's state is that of the others. Each node makes a digest of its state after the record of
 * each checkpoint, and tells the newest ones to the others every second (roster.ts). The digest that most nodes have is
 * right; in a tie, that of the sequencer. A folder has one vote, also while an earlier process on it is remembered.
 * Nothing is stored: a state that differs does so at the next checkpoint too.
 */
import type { Clock } from "../../lib/clock.ts";
import { folderOf } from "./node-name.ts";

/** The digests that a node tells the others. */
export interface SaidState {
  /** Digests of one form alone can be compared. */
  readonly form: number;
  /** The newest, oldest first. */
  readonly digests: readonly (readonly [seq: number, digest: number])[];
}

interface Voter {
  readonly name: string;
  readonly isSequencer: boolean;
  /** How long ago it was heard, in milliseconds. */
  readonly silentMs: number;
  readonly state?: SaidState | undefined;
}

const keptMax = 8;
/** The time that others get to come to the same record, or to be forgotten by the roster. */
const waitMs = 12_000;

interface OwnDigest {
  readonly seq: number;
  readonly digest: number;
  readonly ms: number;
}

export class Agreement {
  private own: readonly OwnDigest[] = [];

  constructor(
    private readonly form: number,
    private readonly clock: Clock,
  ) {}

  /** Takes the digest of this node's state behind a record. */
  note(seq: number, digest: number): void {
    this.own = [...this.own, { seq, digest, ms: this.clock.monotonicMs() }].slice(-keptMax);
  }

  get said(): SaidState {
    return { form: this.form, digests: this.own.map(({ seq, digest }) => [seq, digest] as const) };
  }

  /**
   * Returns the record behind which this node's state is another one than it should be; undefined if none is known.
   * `nodes`: those that were heard of late.
   */
  differsAt(name: string, isSequencer: boolean, nodes: readonly Voter[]): number | undefined {
    const known = nodes
      .filter((node) => folderOf(node.name) !== folderOf(name) && node.state?.form === this.form)
      .sort((a, b) => a.silentMs - b.silentMs);
    const others = [...Map.groupBy(known, (node) => folderOf(node.name)).values()];
    return this.own.find((own) => this.isOutvoted(own, isSequencer, others))?.seq;
  }

  /** `others`: what was heard of each folder, the newest first. The processes on a folder have one vote. */
  private isOutvoted(
    { seq, digest, ms }: OwnDigest,
    isSequencer: boolean,
    others: readonly (readonly Voter[])[],
  ): boolean {
    const votes = others.flatMap((heard) => {
      const found = heard.flatMap(({ state }) => state?.digests.filter(([at]) => at === seq) ?? []).at(0);
      return found === undefined ? [] : [{ digest: found[1], isSequencer: heard[0]?.isSequencer }];
    });
    if (votes.length < others.length && this.clock.monotonicMs() - ms < waitMs) return false;
    const own = 1 + votes.filter((vote) => vote.digest === digest).length;
    for (const [value, group] of Map.groupBy(votes, (vote) => vote.digest)) {
      if (value === digest) continue;
      const isLed = !isSequencer && group.some((vote) => vote.isSequencer);
      if (group.length > own || (group.length === own && isLed)) return true;
    }
    return false;
  }
}
