import { describe, expect, test } from "bun:test";
import {
  LiveStreams,
  liveStreamsMax,
  liveStreamsOfLinksMax,
  liveStreamsOfOneMax,
  type LiveReader,
} from "../../src/http/transport/live-streams.ts";
import type { LiveSource } from "../../src/http/transport/live-count.ts";
import { addLink } from "../../src/engine/admin/website/links.ts";
import { addUser } from "../../src/engine/admin/account/users.ts";
import { addWebsite } from "../../src/engine/admin/websites.ts";
import { TestServer } from "../support/http.ts";

let sources = 0;

class Source implements LiveSource {
  readonly key = `source ${sources++}`;
  visitors = 0;
  fails = false;
  asked = 0;
  private readonly watchers = new Set<() => void>();

  count() {
    this.asked += 1;
    if (this.fails) throw new Error("the disk says no");
    return this.visitors;
  }

  watch(onChange: () => void) {
    this.watchers.add(onChange);
    return () => void this.watchers.delete(onChange);
  }

  get watched() {
    return this.watchers.size;
  }

  change(visitors: number) {
    this.visitors = visitors;
    for (const onChange of this.watchers) onChange();
  }
}

function readerOf(stream: ReadableStream<Uint8Array>) {
  const reader = stream.getReader();
  const next = async () => {
    const { value, done } = await reader.read();
    return done ? "end" : new TextDecoder().decode(value);
  };
  return { next, cancel: () => reader.cancel() };
}

class Reader implements LiveReader {
  allowed = true;

  constructor(
    readonly streamsOf: number,
    readonly isByLink = false,
  ) {}

  isAllowed() {
    return this.allowed;
  }
}

const tickMs = 10;
const eventOf = (visitors: number) => `data: {"visitors":${visitors}}\n\n`;

describe("LiveStreams", () => {
  test("gives one value at once, then changes, many of them as one, and equal ones not at all", async () => {
    const source = new Source();
    const streams = new LiveStreams(tickMs);
    const { next, cancel } = readerOf(streams.open(source, new Reader(1)));
    expect(await next()).toBe(eventOf(0));
    for (let visitors = 1; visitors <= 50; visitors++) source.change(visitors);
    expect(await next()).toBe(eventOf(50));
    expect(source.asked).toBeLessThan(5);
    await cancel();
    expect([streams.size, source.watched]).toEqual([0, 0]);
  });

  test("notices that visitors age out, although nothing changes", async () => {
    const source = new Source();
    source.visitors = 3;
    const { next, cancel } = readerOf(new LiveStreams(tickMs).open(source, new Reader(1)));
    expect(await next()).toBe(eventOf(3));
    source.visitors = 2;
    expect(await next()).toBe(eventOf(2));
    await cancel();
  });

  test("says that it lives while there is nothing to say", async () => {
    const source = new Source();
    const { next, cancel } = readerOf(new LiveStreams(tickMs).open(source, new Reader(1)));
    expect(await next()).toBe(eventOf(0));
    expect(await next()).toBe(":\n\n");
    expect(source.asked).toBe(1);
    await cancel();
  });

  test("says that it lives while a count takes long", async () => {
    const source = new Source();
    const counted = Promise.withResolvers<number>();
    const { next, cancel } = readerOf(
      new LiveStreams(tickMs).open(
        { key: source.key, count: () => counted.promise, watch: () => () => {} },
        new Reader(1),
      ),
    );
    for (let time = 0; time < 3; time++) expect(await next()).toBe(":\n\n");
    counted.resolve(2);
    expect(await next()).toBe(eventOf(2));
    await cancel();
  });

  test("ends for a client that stopped reading", async () => {
    const source = new Source();
    const streams = new LiveStreams(1);
    streams.open(source, new Reader(1));
    for (let visitors = 1; streams.size > 0; visitors++) {
      source.change(visitors);
      await Bun.sleep(2);
    }
    expect(source.asked).toBeGreaterThanOrEqual(16);
    expect(source.watched).toBe(0);
  });

  test("ends when the one who asked may not see it any more, and with the server", async () => {
    const [one, two] = [new Source(), new Source()];
    const streams = new LiveStreams(tickMs);
    const [ada, bob] = [new Reader(1), new Reader(2)];
    const [first, second] = [readerOf(streams.open(one, ada)), readerOf(streams.open(two, bob))];
    for (const { next } of [first, second]) await next();
    ada.allowed = false;
    expect(await first.next()).toBe("end");
    expect(streams.size).toBe(1);
    streams.closeAll();
    expect(await second.next()).toBe("end");
    expect([streams.size, one.watched, two.watched]).toEqual([0, 0, 0]);
  });

  test("counts once for all that show the same, and goes on until the last has gone", async () => {
    const source = new Source();
    source.visitors = 3;
    const streams = new LiveStreams(tickMs);
    const shown = [1, 1, 2].map((userId) => readerOf(streams.open(source, new Reader(userId))));
    for (const { next } of shown) expect(await next()).toBe(eventOf(3));
    expect(source.asked).toBe(1);
    expect(source.watched).toBe(1);
    const late = readerOf(streams.open(source, new Reader(3)));
    expect(await late.next()).toBe(eventOf(3));
    await shown[0]?.cancel();
    source.change(4);
    for (const { next } of [...shown.slice(1), late]) expect(await next()).toBe(eventOf(4));
    for (const { cancel } of [...shown.slice(1), late]) await cancel();
    expect([streams.size, source.watched]).toEqual([0, 0]);
  });

  test("tells accounts that something was recorded, and links the number only", async () => {
    const source = new Source();
    source.visitors = 3;
    const streams = new LiveStreams(tickMs);
    const [account, link] = [new Reader(1), new Reader(1, true)].map((reader) =>
      readerOf(streams.open(source, reader)),
    );
    for (const stream of [account, link]) expect(await stream?.next()).toBe(eventOf(3));
    source.change(3);
    expect(await account?.next()).toBe("event: change\ndata: {}\n\n");
    source.change(4);
    for (const stream of [account, link]) expect(await stream?.next()).toBe(eventOf(4));
    streams.closeAll();
  });

  test("lives through a count that fails, and counts again", async () => {
    const source = new Source();
    source.fails = true;
    const { next, cancel } = readerOf(new LiveStreams(tickMs).open(source, new Reader(1)));
    expect(await next()).toBe(":\n\n");
    [source.fails, source.visitors] = [false, 2];
    expect(await next()).toBe(eventOf(2));
    await cancel();
  });

  test("is bounded, for an account, its links, all links, and for all", async () => {
    const streams = new LiveStreams(tickMs);
    const openFor = (userId: number, link?: string, count = 1) => {
      for (; count > 0; count--) streams.open(new Source(), new Reader(userId, link !== undefined));
    };
    openFor(1, undefined, liveStreamsOfOneMax);
    expect(() => openFor(1)).toThrow("at most 64 live streams of an account can be open at once");
    openFor(1, "one", liveStreamsOfOneMax - 1);
    openFor(1, "other");
    for (const link of ["one", "other", "third"])
      expect(() => openFor(1, link)).toThrow("at most 64 live streams of the links of an account can be");
    openFor(2, "one", liveStreamsOfLinksMax - liveStreamsOfOneMax);
    expect(() => openFor(3, "one")).toThrow("at most 128 live streams of links can be open at once");
    openFor(2, undefined, liveStreamsMax - liveStreamsOfOneMax - liveStreamsOfLinksMax);
    expect(() => openFor(20)).toThrow("at most 256 live streams can be open at once");
    streams.closeAll();
    await readerOf(streams.open(new Source(), new Reader(1))).cancel();
    expect(streams.size).toBe(0);
  });
});

test("links of one account, whatever their websites, leave streams to the links of others", async () => {
  const server = await TestServer.open();
  const { engine } = server;
  await server.prepare();
  const { userId } = await addUser(engine, { username: "grace", password: "long enough" });
  const bodies: ReadableStream<Uint8Array>[] = [];
  const opener = async (ownerId: number, hostname: string, name: string) => {
    const caller = { userId: ownerId, sessionId: "" };
    const { link, token } = await addLink({ engine, caller, hostname }, { name });
    const headers = { "footfall-link": `${link.linkId}.${token}` };
    return async () => {
      const { status, body } = await server.ask("GET", `/website/${hostname}/live`, { headers });
      if (status === 200) bodies.push(body as ReadableStream<Uint8Array>);
      return status;
    };
  };
  await addWebsite(engine, { userId: 1, sessionId: "" }, { hostname: "second.example" });
  await addWebsite(engine, { userId, sessionId: "" }, { hostname: "grace.example" });
  const own = [await opener(1, "example.com", "one"), await opener(1, "second.example", "two")];
  for (let at = 0; at < liveStreamsOfOneMax; at++) expect(await own[at % 2]?.()).toBe(200);
  for (const open of own) expect(await open()).toBe(500);
  expect(await (await opener(userId, "grace.example", "three"))()).toBe(200);
  for (const body of bodies) await body.cancel();
  await engine.stop();
});

test("a website's visitors of five minutes, until its session ends", async () => {
  const server = await TestServer.open();
  const cookie = await server.prepare();
  const response = await server.ask("GET", "/website/example.com/live", { cookie });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const { next } = readerOf(response.body as ReadableStream<Uint8Array>);
  expect(await next()).toBe(eventOf(0));
  await server.hit({ b: "b", u: "https://example.com/", p: true });
  expect(await next()).toBe(eventOf(1));
  server.clock.advance(300_000);
  expect(await next()).toBe(eventOf(0));
  await server.ask("POST", "/auth/logout", { cookie });
  expect(await next()).toBe("end");
});

test("visits of a clock that was a day ahead are not there now", async () => {
  const server = await TestServer.open();
  const cookie = await server.prepare();
  const nowMs = server.clock.nowMs();
  const hit = (b: string) => server.hit({ b, u: "https://example.com/", p: true });
  server.clock.set(nowMs + 86_400_000);
  await hit("early");
  server.clock.set(nowMs + 60_000);
  const count = async () => {
    const response = await server.ask("GET", "/website/example.com/live", { cookie });
    const { next, cancel } = readerOf(response.body as ReadableStream<Uint8Array>);
    const event = await next();
    await cancel();
    return event;
  };
  expect(await count()).toBe(eventOf(0));
  server.clock.set(nowMs + 86_460_000);
  expect(await count()).toBe(eventOf(1));
  await server.engine.stop();
});
