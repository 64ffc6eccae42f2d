/**
 * How questions reach their desk: one request at a time. The same requests go to a Worker, so that no question holds up
 * a hit, or to a desk in this thread.
 */
import { assert } from "../lib/assert.ts";
import type { Clock } from "../lib/clock.ts";
import type { Disk } from "../lib/disk.ts";
import { startWorker } from "../lib/worker.ts";
import { Desk, type DeskOptions, type DeskReply, type DeskRequest } from "../query/desk.ts";

export interface QuestionPort {
  /** At most one at a time; `handedOver` is memory that the sender has no longer. Rejects with DeskDied. */
  send(request: DeskRequest, handedOver: ArrayBuffer[]): Promise<DeskReply>;
  close(): void;
}

/** What was shown to it is gone, and so is the request that was under way. */
export class DeskDied extends Error {
  override name = "DeskDied";
}

/** To a desk in this thread; answers in a later turn, as the Worker does, and sees nothing but what is sent. */
export function openLocalPort(disk: Disk, clock: Clock, options: DeskOptions): QuestionPort {
  const desk = new Desk(disk, clock, options, () => {});
  return {
    send: async (request, transfer) => {
      const sent = structuredClone(request, { transfer });
      await new Promise((resolve) => setImmediate(resolve));
      return structuredClone(desk.handle(sent));
    },
    close: () => {},
  };
}

/** To a Worker that is started now. */
export function openWorkerPort(options: DeskOptions): QuestionPort {
  return new WorkerPort(options);
}

class WorkerPort implements QuestionPort {
  private readonly worker = startWorker("query/worker.ts");
  private pending: PromiseWithResolvers<DeskReply> | undefined;
  private died: DeskDied | undefined;

  constructor(options: DeskOptions) {
    let reason = "it ended";
    this.worker.onmessage = ({ data }: MessageEvent<DeskReply>) => this.take()?.resolve(data);
    this.worker.onerror = ({ message }) => (reason = message);
    this.worker.addEventListener("close", () => {
      this.died = new DeskDied(`the worker for questions died: ${reason}`);
      this.take()?.reject(this.died);
    });
    this.worker.postMessage(options);
  }

  send(request: DeskRequest, handedOver: ArrayBuffer[]): Promise<DeskReply> {
    assert(this.pending === undefined, "the desk takes one request at a time");
    if (this.died !== undefined) return Promise.reject(this.died);
    this.pending = Promise.withResolvers();
    this.worker.postMessage(request, handedOver);
    return this.pending.promise;
  }

  close(): void {
    this.worker.terminate();
  }

  private take(): PromiseWithResolvers<DeskReply> | undefined {
    const { pending } = this;
    this.pending = undefined;
    return pending;
  }
}
