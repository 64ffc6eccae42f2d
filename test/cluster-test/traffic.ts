/**
 * Page loads from outside to all nodes in turn, and what became of each: acknowledged, refused, or without an answer, so
 * that nobody knows. Paths repeat after a while, because a website names only so many; counts are compared by path.
 */
import type { ClusterNode } from "./node.ts";

export const hostname = "example.com";
/**
 * The most paths that all traffic of a cluster has together: from 25,000 names on, a website keeps only some apart that
 * come from one network, and the others are `(other)` (engine/admission/names.ts).
 */
export const pathsMax = 10_000;

export interface TrafficOptions {
  readonly nodes: readonly ClusterNode[];
  /** Begins every path. */
  readonly prefix: string;
  readonly atOnce?: number;
  /** The number of its paths; by default as many as a cluster may have. */
  readonly paths?: number;
  /** Hits a second; by default as many as there are answers for. */
  readonly rate?: number;
  /** How many nodes are asked for one hit until one takes it. */
  readonly attempts?: number;
}

interface Counts {
  sent: number;
  acknowledged: number;
}

export class Traffic {
  readonly byPath = new Map<string, Counts>();
  /** The status of each answer but 200, and 0 for none, with how often it came. */
  readonly refused = new Map<number, number>();
  /** The hits that no attempt brought to an acknowledgement. */
  failed = 0;
  acknowledged = 0;
  private count = 0;
  private isStopped = false;
  private readonly working: Promise<void>;

  constructor(private readonly options: TrafficOptions) {
    const { atOnce = 32 } = options;
    this.working = Promise.all(Array.from({ length: atOnce }, (_, at) => this.send(at, atOnce))).then(
      () => {},
    );
  }

  async stop(): Promise<this> {
    this.isStopped = true;
    await this.working;
    return this;
  }

  private async send(at: number, atOnce: number): Promise<void> {
    const { rate = Infinity } = this.options;
    const startMs = performance.now();
    for (let turn = 0; !this.isStopped; turn++) {
      const dueMs = startMs + ((turn * atOnce + at) / rate) * 1_000;
      if (dueMs > performance.now()) await Bun.sleep(dueMs - performance.now());
      await this.one(this.count++);
    }
  }

  private async one(number: number): Promise<void> {
    const { nodes, prefix, attempts = 1, paths = pathsMax } = this.options;
    const path = `${prefix}${number % paths}`;
    const counts = this.byPath.get(path) ?? { sent: 0, acknowledged: 0 };
    this.byPath.set(path, counts);
    counts.sent++;
    for (let attempt = 0; attempt < attempts; attempt++) {
      const node = nodes[(number + attempt) % nodes.length] as ClusterNode;
      if (!(await this.isTaken(node, path, `${prefix}${number}`))) continue;
      counts.acknowledged++;
      this.acknowledged++;
      return;
    }
    this.failed++;
  }

  /** An earlier attempt may have come through without an answer: then this one is a duplicate. */
  private async isTaken(node: ClusterNode, path: string, beacon: string): Promise<boolean> {
    let status = 0;
    try {
      const answer = await node.hit(`https://${hostname}${path}`, beacon);
      const text = await answer.text();
      ({ status } = answer);
      if (text === '{"accepted":true}' || text.includes('"duplicate"')) return true;
    } catch {
      // A node that is gone does not answer, and takes no time for it.
      await Bun.sleep(20);
    }
    this.refused.set(status, (this.refused.get(status) ?? 0) + 1);
    return false;
  }
}

/** Throws unless each path has all that was acknowledged, and no more than was sent. */
export function expectCounted(traffic: Traffic, views: ReadonlyMap<string, number>, where: string): void {
  let [lost, extra] = [0, 0];
  let example = "";
  for (const [path, { sent, acknowledged }] of traffic.byPath) {
    const found = views.get(path) ?? 0;
    lost += Math.max(0, acknowledged - found);
    extra += Math.max(0, found - sent);
    if (found < acknowledged || found > sent)
      example ||= `${path}: ${found} there, ${acknowledged} acknowledged, ${sent} sent`;
  }
  if (lost + extra > 0)
    throw new Error(
      `${lost} lost and ${extra} counted twice ${where}, such as ${example}; ${views.get(overflow) ?? 0} have no path of their own`,
    );
}

/** Stands for a path that the website had no room to name. */
const overflow = "(other)";

/** The page views by path of the lines of a dump. */
export function viewsIn(lines: string): Map<string, number> {
  const views = new Map<string, number>();
  for (const line of lines.split("\n")) {
    if (!line.includes('"kind":"pageview"')) continue;
    const { path } = JSON.parse(line) as { path: string | null };
    views.set(path ?? overflow, (views.get(path ?? overflow) ?? 0) + 1);
  }
  return views;
}
