/** The entry point of a Worker that hashes passwords one after the other, while nothing else needs the processor. */
import { goLast } from "../../lib/threads/priority.ts";
import { cost, type HashReply, type HashRequest } from "./hasher.ts";

declare const self: Worker;

goLast();

self.onmessage = ({ data: { password, passwordHash } }: MessageEvent<HashRequest>) => {
  const reply: HashReply =
    passwordHash === undefined
      ? Bun.password.hashSync(password, cost)
      : Bun.password.verifySync(password, passwordHash);
  self.postMessage(reply);
};
