/**
 * The port that carries questions to the query worker, one request at a time. The same requests go to a Worker, so that
 * no question delays a hit, or to a query worker in this thread.
 */
import { assert } from "../lib/assert.ts";
import type { Clock } from "../lib/clock.ts";
import type { Disk } from "../lib/disk/disk.ts";
import { startWorker } from "../lib/worker.ts";
import {
  QueryWorker,
  type QueryReply,
  type QueryRequest,
  type QueryWorkerOptions,
  type QuestionReply,
} from "./query-worker.ts";

export interface QuestionPort {
  /**
   * Sends a request; only one may be under way. `handedOver` is memory that the sender loses. `onReply` receives the
   * reply to each question as soon as it is answered. Rejects with WorkerDied.
   */
  send(
    request: QueryRequest,
    handedOver: ArrayBuffer[],
    onReply: (reply: QuestionReply) => void,
  ): Promise<QueryReply>;
  close(): void;
}

/** The Worker ended, and with it everything published to it and the request that was under way. */
export class WorkerDied extends Error {
  override name = "WorkerDied";
}

/**
 * Opens a port to a query worker in this thread. As a Worker does, it answers in a later turn and sees only data that
 * was sent.
 */
export function openLocalPort(disk: Disk, clock: Clock, options: QueryWorkerOptions): QuestionPort {
  const worker = new QueryWorker(disk, clock, options, () => {});
  return {
    send: async (request, transfer, onReply) => {
      const sent = structuredClone(request, { transfer });
      await new Promise((resolve) => setImmediate(resolve));
      return structuredClone(worker.handle(sent, (reply) => onReply(structuredClone(reply))));
    },
    close: () => {},
  };
}

/** Opens a port to a Worker, which is started now. */
export function openWorkerPort(options: QueryWorkerOptions): QuestionPort {
  return new WorkerPort(options);
}

class WorkerPort implements QuestionPort {
  private readonly worker = startWorker("query-worker/worker.ts");
  private pending: PromiseWithResolvers<QueryReply> | undefined;
  private onReply: ((reply: QuestionReply) => void) | undefined;
  private died: WorkerDied | undefined;

  constructor(options: QueryWorkerOptions) {
    let reason = "it ended";
    this.worker.onmessage = ({ data }: MessageEvent<QueryReply | QuestionReply>) => {
      if ("id" in data) this.onReply?.(data);
      else this.take()?.resolve(data);
    };
    this.worker.onerror = ({ message }) => (reason = message);
    this.worker.addEventListener("close", () => {
      this.died = new WorkerDied(`the thread that answers questions ended unexpectedly: ${reason}`);
      this.take()?.reject(this.died);
    });
    this.worker.postMessage(options);
  }

  send(
    request: QueryRequest,
    handedOver: ArrayBuffer[],
    onReply: (reply: QuestionReply) => void,
  ): Promise<QueryReply> {
    assert(this.pending === undefined, "the worker takes one request at a time");
    if (this.died !== undefined) return Promise.reject(this.died);
    this.pending = Promise.withResolvers();
    this.onReply = onReply;
    this.worker.postMessage(request, handedOver);
    return this.pending.promise;
  }

  close(): void {
    this.worker.terminate();
  }

  private take(): PromiseWithResolvers<QueryReply> | undefined {
    const { pending } = this;
    this.pending = undefined;
    return pending;
  }
}
