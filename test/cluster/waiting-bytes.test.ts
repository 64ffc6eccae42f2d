/** The bytes of the requests that wait for another node are bounded, not only their number. */
import { expect } from "bun:test";
import { systemClock } from "../../src/lib/clock.ts";
import { peersOf, SharedNode } from "../support/cluster-nodes.ts";
import { testWith } from "../support/needs.ts";
import { NatsServers } from "../support/nats.ts";
import { someone } from "../support/records.ts";
import { until } from "../support/until.ts";

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

testWith("nats", "requests wait up to 32 MiB, with their headers", async () => {
  const servers = await NatsServers.start();
  const node = await SharedNode.open("one", servers.urls, { sequencer: "nobody" });
  let aheadMs = 0;
  const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + aheadMs };
  const peers = peersOf(node, undefined, clock);
  const endless = () => new ReadableStream<Uint8Array>({ pull: (to) => to.enqueue(new Uint8Array(kib)) });
  const forward = (given: Request) => peers.forward(given, target).catch(({ message }: Error) => message);
  try {
    for (const make of [() => request("{}", 512 * kib), () => request(endless(), 512 * kib)]) {
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
});

testWith("nats", "a long body counts with what was read of it and not sent yet", async () => {
  const servers = await NatsServers.start();
  const roles = { sequencer: "other" };
  const [node, other] = await Promise.all([
    SharedNode.open("one", servers.urls, roles),
    SharedNode.open("other", servers.urls, roles),
  ]);
  const release = Promise.withResolvers<void>();
  let begun = 0;
  /** Reads one piece of the body, and the others when it is told to. */
  const atOther = peersOf(other, async ({ body }) => {
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    try {
      let { done, value } = await reader.read();
      begun += 1;
      await release.promise;
      let bytes = 0;
      for (; !done; { done, value } = await reader.read()) bytes += value?.length ?? 0;
      return new Response(String(bytes));
    } catch {
      return new Response("the body broke off", { status: 400 });
    }
  });
  const peers = peersOf(node);
  const twoMegabytes = () => {
    let left = 2;
    return new ReadableStream<Uint8Array>({
      pull: (to) => void (left-- > 0 ? to.enqueue(new Uint8Array(kib * kib)) : to.close()),
    });
  };
  const silent = () => new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) });
  const forward = (body: ReadableStream<Uint8Array>) =>
    peers.forward(request(body), target).then(
      (answer) => answer.text(),
      ({ message }: Error) => message,
    );
  try {
    // A body that does not come takes no room.
    for (let count = 0; count < 200; count++) void forward(silent());
    await until(() => peers.waitingCount === 200, "two hundred bodies wait");
    const answers = Array.from({ length: 31 }, () => forward(twoMegabytes()));
    await until(() => begun === 31, "a megabyte of each is read");
    expect(new Set(await Promise.all([twoMegabytes(), twoMegabytes()].map(forward)))).toEqual(
      new Set(["too many requests wait: try again"]),
    );
    release.resolve();
    expect(new Set(await Promise.all(answers))).toEqual(new Set([String(2 * kib * kib)]));
    expect(await forward(twoMegabytes())).toBe(String(2 * kib * kib));
  } finally {
    await peers.stop();
    await atOther.stop();
    await Promise.all([node.stop(), other.stop()]);
    await servers.stop();
  }
});
