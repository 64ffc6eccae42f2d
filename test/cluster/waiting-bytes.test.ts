/** The bytes of the requests that wait for another node are bounded, not only their number. */
import { expect, test } from "bun:test";
import { systemClock } from "../../src/lib/clock.ts";
import { peersOf, SharedNode } from "../support/cluster-nodes.ts";
import { isThere, nameWith } from "../support/needs.ts";
import { NatsServers } from "../support/nats.ts";
import { someone } from "../support/records.ts";

const target = { target: "api", sender: { ...someone, isPeerTrusted: false }, onProgress: () => {} } as const;
const kib = 1024;

/** A header may be as long as a server takes. */
function request(body: string | ReadableStream<Uint8Array>, headerBytes = 0): Request {
  const headers = { "x-padding": "x".repeat(headerBytes) };
  const length = typeof body === "string" ? { "content-length": String(body.length) } : undefined;
  return new Request("http://localhost/event/hit", {
    method: "POST",
    body,
    headers: { ...headers, ...length },
  });
}

test.skipIf(!isThere("nats"))(
  nameWith("nats", "requests wait up to 32 MiB, headers and long bodies among them"),
  async () => {
    const servers = await NatsServers.start();
    const node = await SharedNode.open("one", servers.urls, { sequencer: "nobody" });
    let aheadMs = 0;
    const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + aheadMs };
    const peers = peersOf(node, undefined, clock);
    const endless = () => new ReadableStream<Uint8Array>({ pull: (to) => to.enqueue(new Uint8Array(kib)) });
    const forward = (given: Request) => peers.forward(given, target).catch(({ message }: Error) => message);
    try {
      for (const make of [() => request("{}", 512 * kib), () => request(endless(), 256 * kib)]) {
        const answers = Array.from({ length: 80 }, () => forward(make()));
        const refused = await Promise.all(answers.slice(64));
        expect(new Set(refused)).toEqual(new Set(["too many requests wait: try again"]));
        expect(peers.waitingCount).toBe(63);
        // A request that waits in vain leaves its room to others.
        aheadMs += 6_000;
        expect(new Set(await Promise.all(answers.slice(0, 63)))).toEqual(
          new Set(["no server of the cluster can store anything at the moment: try again"]),
        );
        expect(peers.waitingCount).toBe(0);
      }
    } finally {
      await peers.stop();
      await node.stop();
      await servers.stop();
    }
  },
);
