/**
 * Requests from this node to others over NATS. Each ends: with its answer, or with an error that says whether anybody
 * may have taken it. The client's own requests end by a fixed time, which an upload has not.
 */
import type { Msg, NatsConnection } from "@nats-io/transport-node";
import { followLink } from "../connection/connect.ts";

/** Nobody took the request: it may be sent again. */
export class Untaken extends Error {
  override name = "Untaken";
}

/** Somebody may have taken the request, and nobody answers. */
export class Unanswered extends Error {
  override name = "Unanswered";
}

interface Waiting {
  readonly resolve: (data: Uint8Array) => void;
  readonly reject: (error: Error) => void;
  /** Whether no answer is to be expected any more. */
  readonly isLost: () => boolean;
}

const tickMs = 100;
/** The code of a NATS server's own answer where nobody listens. */
const noResponders = 503;

export class NodeRequests {
  private readonly waiting = new Map<string, Waiting>();
  private readonly timer: ReturnType<typeof setInterval>;
  private readonly isUp: () => boolean;
  private count = 0;

  /** `subject`: this node's own, below which answers come. */
  constructor(
    private readonly connection: NatsConnection,
    private readonly subject: string,
  ) {
    connection.subscribe(`${subject}.*`, {
      callback: (error, message) => {
        if (error === null) this.take(message);
      },
    });
    this.timer = setInterval(() => this.endLost(), tickMs);
    // Answers that were on their way are lost.
    this.isUp = followLink(connection, () => this.endAll("the connection to NATS broke"));
  }

  /** Resolves to the data of the answer. Rejects with Untaken, or with Unanswered once `isLost` says so. */
  ask(subject: string, data: Uint8Array, isLost: Waiting["isLost"]): Promise<Uint8Array> {
    // The client would keep it for a server that may come back in an hour.
    if (!this.isUp() || this.connection.isClosed())
      return Promise.reject(new Untaken("no NATS server is connected"));
    return new Promise((resolve, reject) => {
      const id = String((this.count += 1));
      this.waiting.set(id, { resolve, reject, isLost });
      this.connection.publish(subject, data, { reply: `${this.subject}.${id}` });
    });
  }

  stop(): void {
    clearInterval(this.timer);
    this.endAll("this node stops");
  }

  private endAll(why: string): void {
    for (const { reject } of this.waiting.values()) reject(new Unanswered(why));
    this.waiting.clear();
  }

  private take({ subject, data, headers }: Msg): void {
    const id = subject.slice(this.subject.length + 1);
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    if (headers?.code === noResponders) waiting?.reject(new Untaken("nobody listens"));
    else waiting?.resolve(data);
  }

  private endLost(): void {
    for (const [id, { isLost, reject }] of this.waiting)
      if (isLost()) {
        this.waiting.delete(id);
        reject(new Unanswered("no answer comes any more"));
      }
  }
}
