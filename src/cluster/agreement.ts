/**
 * Whether this node's state is that of the others. Each node makes a digest of its state behind the record of each
 * checkpoint, and says the newest ones with what else it says of itself. The value that most nodes have is right; among as
 * many, the one of the node that sequences. Nothing of it is stored: a state that differs does so at the next checkpoint too.
 */
import type { Clock } from "../lib/clock.ts";

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
  /** Nodes of versions before say nothing of their state. */
  readonly state?: SaidState | undefined;
}

const keptMax = 8;
/** So long others have to come to the same record, or to be forgotten by the roster. */
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
    const others = nodes.filter((node) => node.name !== name && node.state?.form === this.form);
    return this.own.find((own) => this.isOutvoted(own, isSequencer, others))?.seq;
  }

  private isOutvoted({ seq, digest, ms }: OwnDigest, isSequencer: boolean, others: readonly Voter[]) {
    const votes = others.flatMap((node) => {
      const found = node.state?.digests.find(([at]) => at === seq);
      return found === undefined ? [] : [{ digest: found[1], isSequencer: node.isSequencer }];
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
