import { describe, expect, test } from "bun:test";
import {
  LiveStreams,
  liveStreamsMax,
  liveStreamsOfAccountMax,
  type LiveSource,
} from "../../src/http/transport/live-streams.ts";
import { TestServer } from "../support/http.ts";

class Source implements LiveSource {
  visitors = 0;
  isAllowed = true;
  asked = 0;
  private readonly watchers = new Set<() => void>();

  count() {
    this.asked += 1;
    return this.visitors;
  }

  allowed() {
    return this.isAllowed;
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

const tickMs = 10;
const eventOf = (visitors: number) => `data: {"visitors":${visitors}}\n\n`;

describe("LiveStreams", () => {
  test("gives one value at once, then changes, many of them as one, and equal ones not at all", async () => {
    const source = new Source();
    const streams = new LiveStreams(tickMs);
    const { next, cancel } = readerOf(streams.open(source, 1));
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
    const { next, cancel } = readerOf(new LiveStreams(tickMs).open(source, 1));
    expect(await next()).toBe(eventOf(3));
    source.visitors = 2;
    expect(await next()).toBe(eventOf(2));
    await cancel();
  });

  test("says that it lives while there is nothing to say", async () => {
    const source = new Source();
    const { next, cancel } = readerOf(new LiveStreams(tickMs).open(source, 1));
    expect(await next()).toBe(eventOf(0));
    expect(await next()).toBe(":\n\n");
    expect(source.asked).toBe(1);
    await cancel();
  });

  test("ends for a client that stopped reading", async () => {
    const source = new Source();
    const streams = new LiveStreams(1);
    streams.open(source, 1);
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
    const [first, second] = [readerOf(streams.open(one, 1)), readerOf(streams.open(two, 1))];
    for (const { next } of [first, second]) await next();
    one.isAllowed = false;
    expect(await first.next()).toBe("end");
    expect(streams.size).toBe(1);
    streams.closeAll();
    expect(await second.next()).toBe("end");
    expect([streams.size, one.watched, two.watched]).toEqual([0, 0, 0]);
  });

  test("is bounded, for an account and for all", async () => {
    const streams = new LiveStreams(tickMs);
    const openFor = (userId: number) => streams.open(new Source(), userId);
    for (let opened = 0; opened < liveStreamsOfAccountMax; opened++) openFor(1);
    expect(() => openFor(1)).toThrow("at most 64 live streams of an account can be open at once");
    for (let opened = liveStreamsOfAccountMax; opened < liveStreamsMax; opened++) openFor(2 + (opened % 10));
    expect(() => openFor(20)).toThrow("at most 256 live streams can be open at once");
    streams.closeAll();
    await readerOf(openFor(1)).cancel();
    expect(streams.size).toBe(0);
  });
});

test("a website's visitors of five minutes, until its session ends", async () => {
  const server = await TestServer.open();
  const cookie = await server.prepare();
  const response = await server.ask("GET", "/website/example.com/live", { cookie });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const { next } = readerOf(response.body as ReadableStream<Uint8Array>);
  expect(await next()).toBe(eventOf(0));
  const headers = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" };
  await server.ask("POST", "/event/hit", { body: { b: "b", u: "https://example.com/", p: true }, headers });
  expect(await next()).toBe(eventOf(1));
  server.clock.advance(300_000);
  expect(await next()).toBe(eventOf(0));
  await server.ask("POST", "/auth/logout", { cookie });
  expect(await next()).toBe("end");
});
