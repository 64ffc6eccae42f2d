/**
 * The port that carries questions to the query worker, one request at a time. It is a Worker, so that no question delays a
 * hit.
 */
import { assert } from "../lib/assert.ts";
import { startWorker, WorkerDied } from "../lib/threads/worker.ts";
import type { QueryReply, QueryRequest, QueryWorkerOptions, QuestionReply } from "./query-worker.ts";

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

/** A port to a Worker, which is started now. */
export class QuestionWorkerPort implements QuestionPort {
  private readonly worker: Worker;
  private pending: PromiseWithResolvers<QueryReply> | undefined;
  private onReply: ((reply: QuestionReply) => void) | undefined;
  private died: WorkerDied | undefined;

  constructor(options: QueryWorkerOptions) {
    const onReply = (reply: QueryReply | QuestionReply) => {
      if ("id" in reply) this.onReply?.(reply);
      else this.take()?.resolve(reply);
    };
    this.worker = startWorker("query-worker/worker.ts", onReply, (how) => {
      this.died = new WorkerDied(`the thread that answers questions ${how}`);
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
