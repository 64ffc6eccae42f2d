/** A stream of bytes that are made while they are taken, and its reader who stops. */
import { expect, test } from "bun:test";
import { streamOf } from "../../src/lib/stream.ts";

interface Made {
  readonly told: unknown[];
  ends: number;
  /** Resolves when the second piece is being made. */
  readonly waits: Promise<void>;
  /** Lets the piece go on that is being made. */
  go: (error?: Error) => void;
}

/** Returns a stream of pieces, the second of which waits until it is let go, and what becomes of it. */
function madeStream(): [stream: ReadableStream<Uint8Array>, made: Made] {
  const { promise: waits, resolve: reached } = Promise.withResolvers<void>();
  const made: Made = { told: [], ends: 0, waits, go: () => {} };
  const waited = new Promise<void>((resolve, reject) => {
    made.go = (error) => (error === undefined ? resolve() : reject(error));
  });
  async function* pieces() {
    yield new Uint8Array([1]);
    reached();
    await waited;
    yield new Uint8Array([2]);
  }
  const stream = streamOf(
    pieces(),
    (error) => made.told.push(error),
    () => made.ends++,
  );
  return [stream, made];
}

test("all bytes come, and then the end", async () => {
  const [stream, made] = madeStream();
  made.go();
  expect(await new Response(stream).bytes()).toEqual(new Uint8Array([1, 2]));
  expect([made.told, made.ends]).toEqual([[], 1]);
});

test("what fails is told, and the reader sees that it breaks off", async () => {
  const [stream, made] = madeStream();
  const failure = new Error("no rows");
  const reader = stream.getReader();
  expect((await reader.read()).value).toEqual(new Uint8Array([1]));
  const next = reader.read();
  made.go(failure);
  await expect(next).rejects.toBeUndefined();
  expect([made.told, made.ends]).toEqual([[failure], 1]);
});

test.each([
  ["comes", undefined],
  ["fails", new Error("no rows")],
])("nothing is told where the reader stopped before the piece %s that it waited for", async (_, error) => {
  const [stream, made] = madeStream();
  const reader = stream.getReader();
  await reader.read();
  const next = reader.read();
  await made.waits;
  const cancelled = reader.cancel();
  made.go(error);
  expect(await next).toEqual({ value: undefined, done: true });
  await cancelled.catch(() => {});
  expect(made.told).toEqual([]);
  expect(made.ends).toBeGreaterThan(0);
});
