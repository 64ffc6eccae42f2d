/**
 * Hashes passwords on the threads that Bun shares between all its work, or in a Worker of low priority. The former have the
 * priority of the threads that take hits, so that on two cores a flood of wrong logins makes hits wait for their turn of
 * the processor (docs/security.md).
 */
import { assert } from "../../lib/assert.ts";
import { DiskError } from "../../lib/disk/disk.ts";
import { startWorker } from "../../lib/threads/worker.ts";

// OWASP Password Storage Cheat Sheet, argon2id: 19 MiB, 2 iterations, 1 lane. 18 ms on the 2-core machine.
export const cost = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

/** Hashes by argon2id, in PHC form. It is asked for one thing at a time. */
export interface Hasher {
  hash(password: string): Promise<string>;
  verify(password: string, passwordHash: string): Promise<boolean>;
}

export const sharedThreads: Hasher = {
  hash: (password) => Bun.password.hash(password, cost),
  verify: (password, passwordHash) => Bun.password.verify(password, passwordHash),
};

/** `passwordHash`: what the password is compared with; undefined for the hash of the password. */
export interface HashRequest {
  readonly password: string;
  readonly passwordHash?: string;
}

/** The hash, or whether the password is right. */
export type HashReply = string | boolean;

/**
 * The Worker starts with the first password, and again after it ended unexpectedly, which fails what was under way. Where
 * connections have left too few file descriptors for it, the shared threads hash.
 */
export class HashingWorker implements Hasher {
  private worker: Worker | undefined;
  private pending: PromiseWithResolvers<HashReply> | undefined;

  async hash(password: string): Promise<string> {
    return this.hasWorker() ? this.send<string>({ password }) : sharedThreads.hash(password);
  }

  async verify(password: string, passwordHash: string): Promise<boolean> {
    return this.hasWorker()
      ? this.send<boolean>({ password, passwordHash })
      : sharedThreads.verify(password, passwordHash);
  }

  /** Ends the Worker; what is under way fails. */
  close(): void {
    const { worker } = this;
    this.worker = undefined;
    worker?.terminate();
    this.fail("was closed");
  }

  private send<T extends HashReply>(request: HashRequest): Promise<T> {
    assert(this.pending === undefined, "passwords are hashed one at a time");
    this.pending = Promise.withResolvers();
    this.worker!.postMessage(request);
    return this.pending.promise as Promise<T>;
  }

  /** Starts the Worker if it can. */
  private hasWorker(): boolean {
    try {
      this.worker ??= this.start();
      return true;
    } catch (error) {
      if (error instanceof DiskError) return false;
      throw error;
    }
  }

  private start(): Worker {
    const onReply = (reply: HashReply) => {
      // One that was closed may have sent the answer to an earlier password.
      if (this.worker === worker) this.take()?.resolve(reply);
    };
    const worker = startWorker("accounts/login/worker.ts", onReply, (how) => {
      if (this.worker !== worker) return;
      this.worker = undefined;
      this.fail(how);
    });
    return worker;
  }

  private fail(how: string): void {
    this.take()?.reject(new Error(`the thread that hashes passwords ${how}`));
  }

  private take(): PromiseWithResolvers<HashReply> | undefined {
    const { pending } = this;
    this.pending = undefined;
    return pending;
  }
}
