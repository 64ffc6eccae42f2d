/**
 * Whether the servers of a stream sync every write before they acknowledge it. A stream does not say so to its clients, and
 * by default they do not: a power cut would take back what was acknowledged. It is asked of the monitoring endpoint of each
 * server, or over the connection, where its account may ask the system.
 */
import type { NatsConnection } from "@nats-io/transport-node";
import { Refusal } from "../../core/refusal.ts";
import type { Logger } from "../../lib/log.ts";
import type { SyncSettings } from "../connection/nats-settings.ts";
import type { Stream } from "./stream.ts";

const answerMs = 2_000;
/** The patience of a node that does not start without the answer: a server of NATS may be starting too, or be busy. */
const neededMs = 10_000;
const monitorPort = 8222;
/** A leader that was just chosen has heard the servers that run by then. */
const heardMs = 3_000;
/** A server that died just now is away after the second. */
const looksAgain = 2;

export interface SyncCheck extends SyncSettings {
  readonly connection: NatsConnection;
  readonly stream: Stream;
  readonly logger: Logger;
}

export const mayBeLost = "a power cut of all servers of NATS may take back what was acknowledged";

/** A server's answer to a request for its variables. */
interface Variables {
  readonly server_name?: string;
  readonly jetstream?: { readonly config?: { readonly sync_always?: boolean } };
}

export const syncAdvice =
  "give each server `sync_interval: always` in its block `jetstream`, and a monitoring endpoint (`http: 8222`) that " +
  "--nats-monitors names; or say with --nats-unsynced that a power cut may take back what was acknowledged";

/** Servers of the stream: those that run, and do not sync every write or of which nobody knows; and those that are away. */
export interface SyncFindings {
  readonly unsynced: readonly string[];
  readonly silent: readonly string[];
  readonly away: readonly string[];
}

/** Resolves to what is not known to sync. Rejects if no server answers over the connection. */
export async function findUnsynced(check: SyncCheck): Promise<SyncFindings> {
  const [known, { running, away }] = await Promise.all([syncByServer(check), check.stream.servers()]);
  return {
    unsynced: running.filter((name) => known.get(name) === false),
    silent: running.filter((name) => !known.has(name)),
    away,
  };
}

/** Returns the findings in words; "" if all servers sync. */
export function syncText({ unsynced, silent }: Omit<SyncFindings, "away">): string {
  const says = (words: string, some: readonly string[]) =>
    some.length === 0 ? [] : [`${words} ${some.join(", ")}`];
  return [
    ...says("writes are not synced at once by the NATS server", unsynced),
    ...says("it cannot be known whether they are by", silent),
  ].join("; ");
}

/**
 * Resolves to what is accepted although it may not sync, in words, and "" if all servers do. Rejects with a Refusal 500
 * unless each server of the stream that runs is known to sync every write, or the settings accept others.
 */
export async function expectSync(check: SyncCheck): Promise<string> {
  const found = await findUnsynced(check);
  const text = syncText(found.silent.length > 0 && !check.acceptsUnsynced ? await findAgain(check) : found);
  if (text === "") return text;
  if (!check.acceptsUnsynced) throw new Refusal(500, `${text}: ${syncAdvice}`);
  check.logger.warn(mayBeLost, { reason: text });
  return text;
}

/**
 * Asks again where a server says nothing. One that is away does not run: the others call it offline only minutes after it
 * died, and hear for some seconds after it that it is there.
 */
async function findAgain(check: SyncCheck): Promise<SyncFindings> {
  for (let look = 1; ; look++) {
    await Bun.sleep(heardMs);
    const found = withoutAway(await findUnsynced(check));
    if (found.silent.length === 0 || look === looksAgain) return found;
  }
}

/** Returns the findings without the silence of servers that are away: no setting of theirs is wrong. */
export function withoutAway(found: SyncFindings): SyncFindings {
  return { ...found, silent: found.silent.filter((name) => !found.away.includes(name)) };
}

/** Returns by the names of servers whether they sync every write. */
async function syncByServer(check: SyncCheck): Promise<ReadonlyMap<string, boolean>> {
  const waitMs = check.acceptsUnsynced ? answerMs : neededMs;
  const monitors = monitorsOf(check).map((url) => askMonitor(url, waitMs));
  const answers = await Promise.all([askSystem(check.connection), ...monitors]);
  return new Map(
    answers
      .flat()
      .map(
        ({ server_name: name = "", jetstream }) => [name, jetstream?.config?.sync_always === true] as const,
      ),
  );
}

function monitorsOf({ monitors, servers }: SyncCheck): readonly string[] {
  if (monitors !== undefined) return monitors;
  const urls = servers.map((server) => URL.parse(server.includes("://") ? server : `nats://${server}`));
  return urls.flatMap((url) => (url === null ? [] : [`http://${url.hostname}:${monitorPort}`]));
}

async function askMonitor(url: string, waitMs: number): Promise<Variables[]> {
  try {
    const answer = await fetch(`${url.replace(/\/+$/, "")}/varz`, { signal: AbortSignal.timeout(waitMs) });
    return [(await answer.json()) as Variables];
  } catch {
    return [];
  }
}

/** Only users of the system account get answers. */
async function askSystem(connection: NatsConnection): Promise<Variables[]> {
  const found: Variables[] = [];
  try {
    const answers = await connection.requestMany("$SYS.REQ.SERVER.PING.VARZ", "", {
      strategy: "stall",
      maxWait: answerMs,
    });
    for await (const answer of answers) found.push(answer.json<{ data: Variables }>().data);
  } catch {
    // No responders: the account may not ask.
  }
  return found.filter((each) => each !== undefined);
}
