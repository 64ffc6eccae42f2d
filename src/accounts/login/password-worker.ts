/**
 * The Worker that hashes and verifies passwords (worker.ts), seen from the thread that answers. Hashing keeps a processor
 * busy for 18 ms, and hits have to come first.
 */
import { startWorker } from "../../lib/worker.ts";

// OWASP Password Storage Cheat Sheet, argon2id: 19 MiB, 2 iterations, 1 lane. 18 ms on the 2-core machine.
export const argon2id = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

/** Answered with whether the password fits the hash, or without a hash with one that it fits. */
export interface PasswordJob {
  readonly password: string;
  readonly passwordHash: string | undefined;
}

type Answer = string | boolean;

/** Starts its Worker with the first job, and again after it died. The process may end while no job waits. */
export class PasswordWorker {
  private worker: Worker | undefined;
  /** The jobs that wait, oldest first: they are answered in their order. */
  private waiting: PromiseWithResolvers<Answer>[] = [];

  /** Throws DiskError where the process has too many files open to start the Worker; rejects if that died. */
  do(job: PasswordJob): Promise<Answer> {
    const worker = (this.worker ??= this.start());
    const answer = Promise.withResolvers<Answer>();
    this.waiting.push(answer);
    worker.ref();
    worker.postMessage(job);
    return answer.promise;
  }

  private start(): Worker {
    const worker = startWorker("accounts/login/worker.ts");
    let reason = "it ended";
    worker.onmessage = ({ data }: MessageEvent<Answer>) => {
      this.waiting.shift()?.resolve(data);
      if (this.waiting.length === 0) worker.unref();
    };
    worker.onerror = ({ message }) => (reason = message);
    worker.addEventListener("close", () => {
      this.worker = undefined;
      for (const { reject } of this.waiting.splice(0))
        reject(new Error(`the thread that checks passwords ended unexpectedly: ${reason}`));
    });
    return worker;
  }
}
