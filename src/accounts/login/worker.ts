/**
 * The entry point of a Worker that hashes and verifies passwords, one after the other. It runs when nothing else needs the
 * processor, and away from the threads that Bun shares between all that it does in the background.
 */
import { goLast } from "../../lib/priority.ts";
import { argon2id, type PasswordJob } from "./password-worker.ts";

declare const self: Worker;

goLast();

self.onmessage = ({ data: { password, passwordHash } }: MessageEvent<PasswordJob>) =>
  self.postMessage(
    passwordHash === undefined
      ? Bun.password.hashSync(password, argon2id)
      : Bun.password.verifySync(password, passwordHash),
  );
