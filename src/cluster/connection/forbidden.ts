/** Tells what servers of NATS forbid a login: a node would wait in vain for what it may not ask or hear. */
import { PermissionViolationError, type NatsConnection } from "@nats-io/transport-node";
import { Refusal } from "../../core/refusal.ts";
import type { Logger } from "../../lib/log.ts";

/** Subjects of single answers have names of their own: one of them says what is wrong. */
const toldMax = 20;

/** Writes each thing that is forbidden to the log, once. A node does without what it asks of the system (stream/sync-check.ts). */
export async function tellForbidden(connection: NatsConnection, logger: Logger): Promise<void> {
  const told = new Set<string>();
  for await (const status of connection.status()) {
    if (status.type !== "error" || !(status.error instanceof PermissionViolationError)) continue;
    const { message, subject } = status.error;
    if (subject.startsWith("$SYS.") || told.has(message) || told.size === toldMax) continue;
    told.add(message);
    logger.error("NATS forbids this node what it needs", { error: message });
  }
}

/** Throws Refusal 500 if an error says that the login may not do what was tried. */
export function expectAllowed({ message, cause }: Error): void {
  if (cause instanceof PermissionViolationError)
    throw new Refusal(
      500,
      `NATS forbids this login what a node needs (${message}): see docs/cluster.md for its permissions`,
    );
}
