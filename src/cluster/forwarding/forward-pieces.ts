/**
 * Bodies that are too long for one message. The node that has one offers it, and the other asks for piece after piece
 * as it reads: neither keeps more than what came at once.
 */
import type { Msg, NatsConnection } from "@nats-io/transport-node";
import type { Clock } from "../../lib/clock.ts";
import { packed, unpacked } from "./forward-message.ts";
import type { NodeRequests } from "./forward-requests.ts";

/** A NATS server takes a megabyte unless it is told otherwise. */
const pieceBytes = 256 * 1024;
/** The longest that one waits for the other: above the silence after which an upload is cut. */
const silenceMsMax = 70_000;
const tickMs = 5_000;

/** A piece, and what comes after it. */
interface PieceHead {
  readonly then: "more" | "end" | "failure";
}

interface Piece extends PieceHead {
  readonly bytes?: Uint8Array;
}

const failure: Piece = { then: "failure" };
const nobody: Watch = { onAsked: () => {}, onHeld: () => {} };

/** The message that asks for no more pieces. */
const enough = new Uint8Array(1);
const none = new Uint8Array(0);

/** Receives how a body that is offered comes. */
interface Watch {
  /** Called whenever a piece is asked for. */
  readonly onAsked: () => void;
  /** Called with the number of bytes that are read and not sent yet; it may throw if there is no room for them. */
  readonly onHeld: (bytes: number) => void;
}

interface Offered {
  readonly reader: Pick<ReadableStreamDefaultReader<Uint8Array>, "read" | "cancel">;
  readonly watch: Watch;
  /** The bytes that were read and not sent yet. */
  rest: Uint8Array;
  askedMs: number;
}

export class LongBodies {
  private readonly offered = new Map<string, Offered>();
  private readonly timer: ReturnType<typeof setInterval>;
  private count = 0;

  /** `subject`: this node's own, below which others ask for pieces. */
  constructor(
    private readonly connection: NatsConnection,
    private readonly requests: NodeRequests,
    private readonly subject: string,
    private readonly clock: Clock,
  ) {
    connection.subscribe(`${subject}.*`, {
      callback: (error, message) => {
        if (error === null) void this.give(message);
      },
    });
    this.timer = setInterval(() => this.endSilent(), tickMs);
  }

  /** Returns the subject at which the pieces are, and a function that ends the offer. */
  offer(body: ReadableStream<Uint8Array>, watch = nobody): { subject: string; end: () => void } {
    const id = String((this.count += 1));
    this.offered.set(id, {
      reader: body.getReader() as Offered["reader"],
      watch,
      rest: none,
      askedMs: this.clock.monotonicMs(),
    });
    return { subject: `${this.subject}.${id}`, end: () => this.end(id) };
  }

  /** Returns a body that another node offers. Whoever reads it sees that it breaks off if the other cannot go on. */
  pulled(subject: string): ReadableStream<Uint8Array> {
    const { connection, requests, clock } = this;
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      const untilMs = clock.monotonicMs() + silenceMsMax;
      const data = await requests.ask(subject, none, () => clock.monotonicMs() > untilMs);
      const { head, bytes } = unpacked<PieceHead>(data);
      if (head.then === "more") controller.enqueue(bytes);
      else if (head.then === "end") controller.close();
      else throw new Error("the other node could not read all of the body");
    };
    const cancel = () => connection.publish(subject, enough);
    return new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
  }

  stop(): void {
    clearInterval(this.timer);
    for (const id of this.offered.keys()) this.end(id);
  }

  private async give(message: Msg): Promise<void> {
    const id = message.subject.slice(this.subject.length + 1);
    if (message.data.length === enough.length) return this.end(id);
    const offered = this.offered.get(id);
    const { then, bytes } = offered === undefined ? failure : await this.next(offered);
    if (then !== "more") this.end(id);
    message.respond(packed({ then } satisfies PieceHead, bytes));
  }

  private async next(offered: Offered): Promise<Piece> {
    offered.askedMs = this.clock.monotonicMs();
    offered.watch.onAsked();
    try {
      if (offered.rest.length === 0) {
        const { value, done } = await offered.reader.read();
        if (done) return { then: "end" };
        offered.watch.onHeld(value.length);
        offered.rest = value;
      }
    } catch {
      return failure;
    }
    const bytes = offered.rest.subarray(0, pieceBytes);
    offered.rest = offered.rest.subarray(pieceBytes);
    if (offered.rest.length === 0) offered.watch.onHeld(0);
    return { then: "more", bytes };
  }

  private end(id: string): void {
    const offered = this.offered.get(id);
    this.offered.delete(id);
    void offered?.reader.cancel().catch(() => {});
  }

  private endSilent(): void {
    const sinceMs = this.clock.monotonicMs() - silenceMsMax;
    for (const [id, { askedMs }] of this.offered) if (askedMs < sinceMs) this.end(id);
  }
}
