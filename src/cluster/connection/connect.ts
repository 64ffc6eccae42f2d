/** The connection to the servers of NATS: it comes back by itself, to any of them, for as long as the process lives. */
import { connect as connectTo, type ConnectionOptions, type NatsConnection } from "@nats-io/transport-node";

/** A server that does not answer is noticed within six seconds, and another one is tried at once. */
const lasting: ConnectionOptions = {
  maxReconnectAttempts: -1,
  reconnectTimeWait: 100,
  reconnectJitter: 100,
  pingInterval: 2_000,
  maxPingOut: 2,
  timeout: 2_000,
  // Credentials that the servers refuse for a while may be right again: the client would give up at the second refusal ever.
  ignoreAuthErrorAbort: true,
  // An error would know who asked; for that the client makes one for each question.
  noAsyncTraces: true,
};

/** The inside of a connection, which the client does not export; test/cluster/connection.test.ts finds where it is another. */
interface Internals {
  readonly protocol: { readonly transport?: { readonly socket?: { destroy(): void } } };
}

/** `more`: whatever the settings say, such as credentials. Rejects if no server takes the connection now. */
export async function connect(
  servers: readonly string[],
  more: ConnectionOptions = {},
): Promise<NatsConnection> {
  const connection = await connectTo({ ...lasting, ...more, servers: [...servers] });
  void endStale(connection);
  return connection;
}

/**
 * Ends the socket of a server that does not answer. The client would first wait until all is sent that waits for it, which
 * is for as long as a machine that was cut off stays away.
 */
async function endStale(connection: NatsConnection): Promise<void> {
  const { protocol } = connection as unknown as Internals;
  for await (const { type } of connection.status())
    if (type === "staleConnection") protocol.transport?.socket?.destroy();
}

/**
 * Returns a function that says whether the connection is up. What is sent while it is down is lost, and whoever waits for
 * an answer would wait in vain. `onDown` is called each time it breaks.
 */
export function followLink(connection: NatsConnection, onDown: () => void = () => {}): () => boolean {
  let isUp = true;
  const follow = async () => {
    for await (const { type } of connection.status())
      if (type === "disconnect" || type === "reconnect") {
        isUp = type === "reconnect";
        if (!isUp) onDown();
      }
  };
  void follow();
  return () => isUp;
}

/** Asks over a connection: whatever was not answered when that went down fails at once. */
export class Link {
  private readonly isUp: () => boolean;
  /** They reject what waits for an answer. */
  private readonly waiting = new Set<(error: Error) => void>();
  isEnded = false;

  constructor(connection: NatsConnection) {
    this.isUp = followLink(connection, () => this.went());
  }

  /** Rejects whatever waits for an answer, and whatever is asked later. */
  end(): void {
    this.isEnded = true;
    this.went();
  }

  /** Settles as `act` does; rejects at once if the connection is down, or goes down. */
  ask<T>(act: () => Promise<T>): Promise<T> {
    if (this.isEnded || !this.isUp()) return Promise.reject(unreachable());
    return new Promise((resolve, reject) => {
      this.waiting.add(reject);
      void act()
        .then(resolve, reject)
        .finally(() => this.waiting.delete(reject));
    });
  }

  private went(): void {
    for (const reject of this.waiting) reject(unreachable());
    this.waiting.clear();
  }
}

function unreachable(): Error {
  return new Error("no server of NATS can be reached");
}
