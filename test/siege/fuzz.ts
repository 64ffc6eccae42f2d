/**
 * The attack of odd hits: a million of them, and every answer is one that the contract knows, none is a 500, what was
 * said to be counted is counted, and the memory comes back.
 */
import { sendAll } from "../../bench/client.ts";
import { memoryOf, untilAtRest } from "../../bench/memory.ts";
import { rejectionNames } from "../../src/core/rejection.ts";
import type { ServerProcess } from "../support/server.ts";
import { atLeast, atMost, none, siegeHostname, told, withServer, type Check } from "./attack.ts";
import { fuzzedHit } from "./hit-fuzz.ts";

export interface FuzzOptions {
  readonly hits: number;
  readonly seed: number;
  /** Until the server is at rest, before its memory is looked at. */
  readonly patienceMs: number;
}

const connections = 32;
/** Until all code has run and all tables are there; then the memory is looked at for the first time. */
const warmUpMax = 50_000;
const memoryBackMb = 64;

export function siegeFuzz(command: readonly string[], options: FuzzOptions): Promise<Check[]> {
  const { hits, seed, patienceMs } = options;
  return withServer(command, async (server) => {
    const warmUp = Math.min(warmUpMax, Math.ceil(hits / 10));
    const answers = new FuzzAnswers(seed);
    await answers.send(server, 0, warmUp);
    await untilAtRest(server.pid, patienceMs);
    const startMb = memoryOf(server.pid).residentMb;
    const seconds = await answers.send(server, warmUp, hits - warmUp);
    const busyMb = memoryOf(server.pid).residentMb;
    await untilAtRest(server.pid, patienceMs);
    const endMb = memoryOf(server.pid).residentMb;
    const pageviews = await pageviewsOf(server);
    return [
      told("hits", hits),
      told("seed", seed),
      told("hits a second", (hits - warmUp) / seconds),
      told("answers by status", answers.statuses()),
      none("answers out of shape", answers.wrong),
      atLeast("page views of the good loads", pageviews, answers.goodLoads),
      atMost("page views of all that was accepted", pageviews, answers.accepted),
      told("resident MB before, at the end, at rest", [startMb, busyMb, endMb].map(Math.round).join(", ")),
      atMost("resident MB more at rest than before", endMb - startMb, memoryBackMb),
    ];
  });
}

class FuzzAnswers {
  readonly wrong: string[] = [];
  goodLoads = 0;
  accepted = 0;
  private readonly byStatus = new Map<number, number>();

  constructor(private readonly seed: number) {}

  /** Returns the seconds that it took. */
  async send(server: ServerProcess, first: number, count: number): Promise<number> {
    const good = new Set<number>();
    const { seconds } = await sendAll(
      server.port,
      count,
      connections,
      (at) => {
        const { request, isGoodLoad } = fuzzedHit(this.seed, first + at);
        if (isGoodLoad) good.add(at);
        return request;
      },
      (at, answer) => this.judge(first + at, answer, good.delete(at)),
    );
    return seconds;
  }

  statuses(): string {
    return [...this.byStatus]
      .toSorted(([a], [b]) => a - b)
      .map(([status, count]) => `${status}: ${count}`)
      .join(", ");
  }

  private judge(at: number, answer: string, isGoodLoad: boolean): void {
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);
    const body = answer.slice(answer.indexOf("\r\n\r\n") + 4);
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1);
    const isAccepted = body === '{"accepted":true}';
    if (isAccepted) this.accepted++;
    if (isGoodLoad) this.goodLoads++;
    if (!isInShape(answer, status, body) || (isGoodLoad && !isAccepted))
      this.wrong.push(`hit ${at} was answered ${JSON.stringify(answer)}`);
  }
}

const notCounted = new Set(rejectionNames.map((reason) => JSON.stringify({ accepted: false, reason })));

/** Whether it is an answer of the contract, to the letter. */
export function isInShape(answer: string, status: number, body: string): boolean {
  if (!/^content-type: application\/json/im.test(answer) || !/^x-api-commit: \S/im.test(answer)) return false;
  if (status === 200) return body === '{"accepted":true}' || notCounted.has(body);
  if (status !== 400 && status !== 404) return false;
  try {
    const { error, ...others } = JSON.parse(body) as { error?: { code?: unknown; message?: unknown } };
    const { code, message, ...more } = error ?? {};
    const isAll = Object.keys(others).length === 0 && Object.keys(more).length === 0;
    return isAll && code === status && typeof message === "string" && message !== "";
  } catch {
    return false;
  }
}

async function pageviewsOf(server: ServerProcess): Promise<number> {
  const answer = await server.get(`/website/${siegeHostname}/summary`);
  return ((await answer.json()) as { current: { pageviews: number } }).current.pageviews;
}
