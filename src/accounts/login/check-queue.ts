/**
 * A queue for work that goes one at a time: the hashing of passwords, of which fifty at a time would delay hits by seconds
 * and take a gigabyte.
 *
 * The queue is fair to those who wait. Strangers take turns by network, and the network whose last turn is longest ago
 * comes first; of those that had none lately, the one that came last. So whoever comes to a flood is next, from however
 * many networks others make their attempts. Those that wait for long are told to try again. Whoever has shown a
 * session or a device of the account that is asked for goes before strangers, every second time at least where both wait.
 * Nothing else counts: what depended on a name would tell who has an account.
 */

/** The most strangers that may wait, which takes some seconds, and the most who are known. Exported for tests. */
export const waitingMax = 256;
/** The most of these from one network, or for one account. Exported for tests. */
export const waitingOfOriginMax = 8;
/** The most of these from one address, or by one session or device. A person needs one. Exported for tests. */
export const waitingOfMemberMax = 2;
/**
 * The number of networks whose last turn is remembered. It is no more, so that an owner who has logged in before, or was
 * wrong once, is soon no worse off than the ever new networks of a flood. Exported for tests.
 */
export const originsKept = 256;

/** A session or device of an account, which a request proves to be its own. */
export interface Known {
  readonly userId: number;
  /** The id of the session, which that of its device is too. */
  readonly id: string;
}

/** The one who waits for a check. */
export interface Asker {
  /** One place on the net. */
  readonly address: string;
  /** The network around it: many addresses that one attacker may have. */
  readonly network: string;
  readonly known?: Known | undefined;
}

interface Job {
  readonly origin: string;
  readonly member: string;
  /** Does the work. It never rejects: whoever waits is told. */
  run(): Promise<void>;
  /** Whether it has waited for long. */
  isLate(): boolean;
  /** Tells whoever waits that there is no place any more. */
  drop(): void;
}

export class CheckQueue {
  private readonly trusted = new Lane();
  private readonly known = new Lane();
  private readonly strangers = new Lane();
  private isRunning = false;
  private lastWasStranger = true;

  /** Does the work before that of strangers, with no bound; for whoever was checked already. */
  run<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const run = () => Promise.try(work).then(resolve, reject);
      this.trusted.add({ origin: "", member: "", run, isLate: () => false, drop: () => {} });
      this.proceed();
    });
  }

  /**
   * Returns undefined where there is no place, now or, when others need it more, later, and where `isLate` holds when it is
   * somebody's turn.
   */
  runFor<T>(
    { address, network, known }: Asker,
    work: () => Promise<T>,
    isLate = () => false,
  ): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const job = {
        run: () => Promise.try(work).then(resolve, reject),
        isLate,
        drop: () => resolve(undefined),
      };
      const shown = known && { ...job, origin: `${known.userId}`, member: known.id };
      // Others may fill all places of an account with stolen sessions. Its owner can still wait as a stranger.
      const hasPlace =
        (shown !== undefined && this.known.tryToAdd(shown)) ||
        this.strangers.tryToAdd({ ...job, origin: network, member: address });
      if (hasPlace) this.proceed();
      else resolve(undefined);
    });
  }

  private proceed(): void {
    if (this.isRunning) return;
    this.known.dropLate();
    this.strangers.dropLate();
    const first = [this.trusted, this.known];
    const lanes = this.lastWasStranger ? [...first, this.strangers] : [this.strangers, ...first];
    const lane = lanes.find(({ size }) => size > 0);
    if (lane === undefined) return;
    this.isRunning = true;
    this.lastWasStranger = lane === this.strangers;
    void lane
      .take()
      .run()
      .finally(() => {
        this.isRunning = false;
        this.proceed();
      });
  }
}

/** Jobs that wait, by their origins, which take turns. */
class Lane {
  /** The origins are in the order in which they began to wait. */
  private readonly jobs = new Map<string, readonly Job[]>();
  /** The numbers of the last turns of origins, rising. */
  private readonly lastTurns = new Map<string, number>();
  private turns = 0;
  private waiting = 0;

  get size(): number {
    return this.waiting;
  }

  add(job: Job): void {
    this.jobs.set(job.origin, [...this.jobsOf(job.origin), job]);
    this.waiting++;
  }

  /** Whether there was a place: one of its own, or that of a job whose origin has more of them, or had a turn since. */
  tryToAdd(job: Job): boolean {
    const own = this.jobsOf(job.origin);
    const ofMember = own.filter(({ member }) => member === job.member);
    if (own.length >= waitingOfOriginMax || ofMember.length >= waitingOfMemberMax) return false;
    if (this.size >= waitingMax) {
      const greediest = [...this.jobs.keys()].reduce((a, b) => (this.isGreedier(b, a, 0) ? b : a));
      if (!this.isGreedier(greediest, job.origin, 1)) return false;
      this.remove(this.jobsOf(greediest).at(-1) as Job).drop();
    }
    this.add(job);
    return true;
  }

  /**
   * Removes and returns the oldest job of the origin whose last turn is longest ago, of those without one the one that came
   * last. There has to be one.
   */
  take(): Job {
    const next = [...this.jobs.keys()].reduce((a, b) => (this.lastTurn(b) <= this.lastTurn(a) ? b : a));
    this.noteTurn(next);
    return this.remove(this.jobsOf(next)[0]!);
  }

  /** That is a turn too: those who try again at once do not come before whoever was not there. */
  dropLate(): void {
    for (const job of [...this.jobs.values()].flat()) {
      if (!job.isLate()) continue;
      this.noteTurn(job.origin);
      this.remove(job).drop();
    }
  }

  /** `more`: the jobs that `than` is about to have besides those that wait. */
  private isGreedier(origin: string, than: string, more: number): boolean {
    const difference = this.jobsOf(origin).length - this.jobsOf(than).length - more;
    return difference > 0 || (difference === 0 && this.lastTurn(origin) > this.lastTurn(than));
  }

  private noteTurn(origin: string): void {
    this.lastTurns.delete(origin);
    this.lastTurns.set(origin, ++this.turns);
    const [oldest] = this.lastTurns.keys();
    if (this.lastTurns.size > originsKept) this.lastTurns.delete(oldest!);
  }

  private remove(job: Job): Job {
    const left = this.jobsOf(job.origin).filter((other) => other !== job);
    if (left.length > 0) this.jobs.set(job.origin, left);
    else this.jobs.delete(job.origin);
    this.waiting--;
    return job;
  }

  private jobsOf(origin: string): readonly Job[] {
    return this.jobs.get(origin) ?? [];
  }

  private lastTurn(origin: string): number {
    return this.lastTurns.get(origin) ?? 0;
  }
}
