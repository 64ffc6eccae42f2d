/**
 * Compares the servers of NATS with what a log needs, and the configuration of a stream with the one that keeps what was
 * acknowledged, at the start of each node and each minute: it may have been made by others, or changed since.
 */
import { JetStreamApiError, type JetStreamManager, type StreamConfig } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { Refusal } from "../../core/refusal.ts";
import { messageBytesMax } from "./message.ts";

type Key =
  | "storage"
  | "retention"
  | "discard"
  | "persist_mode"
  | "max_age"
  | "max_msgs"
  | "max_msgs_per_subject"
  | "max_msg_size";

interface Rule {
  readonly key: Key;
  /** Servers of earlier versions leave out what has its default. */
  readonly isSo: (value: unknown) => boolean;
  readonly expected: string;
  /** The harm that another value does. */
  readonly otherwise: string;
}

/** The codes of answers where the servers have no leader yet, or too few of them were heard. */
export const notReady: readonly number[] = [10005, 10008];

/** The code of the answer where one server, in no cluster, is asked for several replicas. */
const notInCluster = 10074;
/** The first release that sends several messages of a stream at one question. */
const oldestVersion = "2.11.0";

/** The least that a server has to take in one message: one of the log has headers besides, and is read as base64, too. */
const takenBytesMin = 2 * messageBytesMax;

const isUnlimited = (value: unknown) => value === undefined || Number(value) <= 0;
const lets = "it lets records go that are acknowledged";

const rules: readonly Rule[] = [
  { key: "storage", isSo: (value) => value === "file", expected: "file", otherwise: "it is on no disk" },
  { key: "retention", isSo: (value) => value === "limits", expected: "limits", otherwise: lets },
  { key: "discard", isSo: (value) => value === "new", expected: "new", otherwise: lets },
  {
    key: "persist_mode",
    isSo: (value) => [undefined, "", "default"].includes(value as string | undefined),
    expected: "default",
    otherwise: "it acknowledges what is on no disk yet",
  },
  { key: "max_age", isSo: isUnlimited, expected: "0", otherwise: lets },
  { key: "max_msgs", isSo: isUnlimited, expected: "-1", otherwise: lets },
  { key: "max_msgs_per_subject", isSo: isUnlimited, expected: "-1", otherwise: lets },
  {
    key: "max_msg_size",
    isSo: (value) => isUnlimited(value) || Number(value) >= takenBytesMin,
    expected: `-1, or ${takenBytesMin} at least`,
    otherwise: "it does not take what comes at once under load",
  },
];

/** Throws Refusal 500 if the server of NATS that took the connection is too old, or takes only smaller messages. */
export function expectServer({ info }: NatsConnection): void {
  const { version = "", server_name: name = "", max_payload: taken = takenBytesMin } = info ?? {};
  if (!Bun.semver.satisfies(version.split("-")[0]!, `>=${oldestVersion}`))
    throw new Refusal(
      500,
      `the NATS server ${name} has version ${version}, expected ${oldestVersion} or later: install that on all servers of NATS`,
    );
  if (taken < takenBytesMin)
    throw new Refusal(
      500,
      `the NATS server ${name} has max_payload ${taken}, expected ${takenBytesMin} or more: what comes at once under load would ` +
        "be refused. Remove max_payload from the configuration of all servers of NATS, or raise it",
    );
}

/** Returns what the user is told when a stream cannot be made: a Refusal 500 naming the setting, or the error itself. */
export function makingRefusal(error: unknown, replicas: number): unknown {
  if (!(error instanceof JetStreamApiError && error.code === notInCluster)) return error;
  return new Refusal(
    500,
    `FOOTFALL_NATS_REPLICAS is ${replicas}, and the server of NATS is one alone, in no cluster (${error.message}): set 1, or ` +
      `run ${replicas} servers of NATS as one cluster`,
  );
}

/** Throws Refusal 500 with what was found and expected where the stream does not keep what it acknowledges. */
export function expectLasting(config: StreamConfig): void {
  const why = whyNotLasting(config);
  if (why !== undefined) throw new Refusal(500, why);
}

/** Says what was found and expected where the stream does not keep what it acknowledges; undefined where it does. */
export function whyNotLasting(config: StreamConfig): string | undefined {
  const wrong = rules.find(({ key, isSo }) => !isSo(config[key]));
  if (wrong === undefined) return undefined;
  const { key, expected, otherwise } = wrong;
  const { name } = config;
  return (
    `the stream ${name} has ${key} ${JSON.stringify(config[key])}, expected ${expected}: ${otherwise}. Change it by ` +
    `'nats stream edit ${name}'; where NATS refuses that, bring the data back with 'footfall cluster move --back', remove the ` +
    "stream, and move in again"
  );
}

/**
 * Raises the replicas of a stream to the number that the setting says, and never lowers them, since a node with an
 * older setting would undo what the others were told. Resolves to how many there were. Throws Refusal 500 naming the
 * setting, and what NATS throws while it is not ready.
 */
export async function raiseReplicas(
  manager: JetStreamManager,
  { name, num_replicas: had }: StreamConfig,
  wanted: number,
): Promise<number> {
  const says = `FOOTFALL_NATS_REPLICAS is ${wanted}, and the stream ${name} is on ${had} ${had === 1 ? "server" : "servers"}`;
  if (had > wanted)
    throw new Refusal(
      500,
      `${says}: set ${had}, or have it on fewer by 'nats stream edit ${name} --replicas ${wanted}'`,
    );
  if (had === wanted) return had;
  try {
    await manager.streams.update(name, { num_replicas: wanted });
    return had;
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || notReady.includes(error.code)) throw error;
    throw new Refusal(
      500,
      `${says}: NATS does not bring it to more (${error.message}). Set ${had}, or run ${wanted} servers of NATS as one cluster`,
    );
  }
}
