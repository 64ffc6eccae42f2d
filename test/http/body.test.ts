import { describe, expect, test } from "bun:test";
import { bodyBytesMax } from "../../src/core/hit.ts";
import type { Refusal } from "../../src/core/refusal.ts";
import { BodyLimit, parseJson, readBody, readJson, smallAtOnceMax } from "../../src/http/parsing/body.ts";
import { nextTurn } from "../../src/lib/threads/turn.ts";
import { chunkedBodiesMs } from "../support/chunked-bodies.ts";

function post(
  body: string | ReadableStream<Uint8Array> | null,
  headers: Record<string, string> = {},
): Request {
  return new Request("http://localhost/", { method: "POST", body, headers });
}

function streamOf(...parts: readonly string[]): ReadableStream<Uint8Array> {
  const bytes = parts.map((part) => new TextEncoder().encode(part));
  return new ReadableStream({
    pull(controller) {
      const part = bytes.shift();
      if (part === undefined) controller.close();
      else controller.enqueue(part);
    },
  });
}

describe("readBody", () => {
  const full = "a".repeat(bodyBytesMax);
  const tooLong = "body: expected at most 65536 bytes, got more";

  test("takes 64 KiB with and without a length", async () => {
    const length = { "content-length": String(bodyBytesMax) };
    expect(await readBody(post(full, length))).toBe(full);
    expect(await readBody(post(streamOf(full)))).toBe(full);
    expect(await readBody(post(null))).toBe("");
  });

  test("refuses one byte more with a length, without one, and with one that lies", async () => {
    const length = { "content-length": String(bodyBytesMax + 1) };
    await expect(readBody(post(`${full}a`, length))).rejects.toThrow(tooLong);
    await expect(readBody(post(streamOf(full, "a")))).rejects.toThrow(tooLong);
    await expect(readBody(post(`${full}a`, { "content-length": "5" }))).rejects.toThrow(tooLong);
  });

  test("counts bytes and not characters", async () => {
    const text = "é".repeat(bodyBytesMax / 2);
    expect(await readBody(post(streamOf(text)))).toBe(text);
    await expect(readBody(post(streamOf(text, "é")))).rejects.toThrow(tooLong);
    await expect(readBody(post(`${text}é`, { "content-length": "5" }))).rejects.toThrow(tooLong);
  });

  test("stops reading an endless body at the limit", async () => {
    let pulled = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(1024));
      },
    });
    await expect(readBody(post(endless))).rejects.toThrow(tooLong);
    expect(pulled).toBeLessThan(100);
  });

  test("puts characters together that arrive in parts", async () => {
    const [first, second] = [new Uint8Array([0xc3]), new Uint8Array([0xa9])];
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(first);
        controller.enqueue(second);
        controller.close();
      },
    });
    expect(await readBody(post(stream))).toBe("é");
  });

  test("a connection that breaks off is a bad request, not a fault of the server", async () => {
    const broken = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.error(new Error("reset"));
      },
    });
    await expect(readBody(post(broken))).rejects.toMatchObject({ name: "Refusal", code: 400 });
  });
});

test("of many large bodies that do not come to their end, the oldest are given up and the newest read", async () => {
  const slow: ReadableStreamDefaultController<Uint8Array>[] = [];
  const begun = Array.from({ length: 248 }, () =>
    readBody(post(new ReadableStream<Uint8Array>({ start: (controller) => void slow.push(controller) }))),
  );
  const given = Promise.allSettled(begun.slice(0, 2));
  const large = "a".repeat(bodyBytesMax);
  for (let count = 0; count < 2; count++) {
    expect(await readBody(post("a".repeat(4_096), { "content-length": "4096" }))).toHaveLength(4_096);
    begun.push(
      readBody(post(new ReadableStream<Uint8Array>({ start: (controller) => void slow.push(controller) }))),
    );
  }
  for (const result of await given) expect(result).toMatchObject({ reason: { code: 500, retryAfterS: 5 } });
  for (const controller of slow.slice(2)) {
    controller.enqueue(Buffer.from(large));
    controller.close();
  }
  for (const body of begun.slice(2)) expect(await body).toBe(large);
  expect(await readBody(post(large, { "content-length": String(bodyBytesMax) }))).toBe(large);
});

test("small bodies that do not end have room by their heads: the oldest beyond the first are given up, all others read", async () => {
  const slow: ReadableStreamDefaultController<Uint8Array>[] = [];
  const head = { "content-length": "3", "x-long": "a".repeat(14_000) };
  const bytes = 2_048 + "http://localhost/".length + "content-length3x-long".length + 14_000 + 3;
  const room = Math.floor((16 * 1024 * 1024) / bytes);
  const begun = Array.from({ length: smallAtOnceMax + room + 2 }, () =>
    readBody(
      post(new ReadableStream<Uint8Array>({ start: (controller) => void slow.push(controller) }), head),
    ),
  );
  const results = Promise.allSettled(begun);
  expect(await readBody(post("one", head))).toBe("one");
  for (const controller of slow)
    try {
      controller.enqueue(Buffer.from("two"));
      controller.close();
    } catch {
      // It was given up.
    }
  const ends = (await results).map((result) =>
    result.status === "fulfilled" ? result.value : (result.reason as Refusal).code,
  );
  // The one that came whole took the place of another.
  const givenUp = Array.from({ length: 3 }, () => 500);
  expect(ends.slice(smallAtOnceMax, smallAtOnceMax + 3)).toEqual(givenUp as never);
  expect(ends.filter((end) => end === "two")).toHaveLength(smallAtOnceMax + room - 1);
  expect(await readBody(post("one", head))).toBe("one");
});

test("as many large bodies are given up as come in one turn beyond those that are read", async () => {
  const silent = () => new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) });
  const limit = new BodyLimit(bodyBytesMax, 4 * (bodyBytesMax + 4_096));
  const bodies = Array.from({ length: 10 }, () => readBody(post(silent()), limit));
  const givenUp = await Promise.allSettled(bodies.slice(0, 6));
  for (const result of givenUp) expect(result).toMatchObject({ reason: { code: 500 } });
  expect(limit.reading.size).toBe(4);
});

test("a body that is given up once its connection ended leaves no error that nothing catches", async () => {
  const limit = new BodyLimit(bodyBytesMax, bodyBytesMax + 4_096);
  const { promise: ended, reject: end } = Promise.withResolvers<void>();
  const cut = new ReadableStream<Uint8Array>({
    start: async (controller) => {
      controller.enqueue(Buffer.from("a"));
      await ended.catch((error: unknown) => controller.error(error));
    },
  });
  const given = readBody(post(cut), limit);
  // All of this comes in one turn, as events of two connections do.
  await microtasks();
  end(new Error("reset"));
  await microtasks();
  expect(await readBody(post(streamOf("b")), limit)).toBe("b");
  await expect(given).rejects.toMatchObject({ code: 500 });
  // An error that nothing catches would fail this test.
  await nextTurn();
});

async function microtasks(): Promise<void> {
  for (let count = 0; count < 100; count++) await Promise.resolve();
}

test("a body in chunks of a byte each takes not much longer than one in a piece", async () => {
  const read = async (request: Request) => (await readBody(request)).length;
  const { wholeMs, inBytesMs } = await chunkedBodiesMs(read, "a".repeat(20_000));
  expect(inBytesMs).toBeLessThan(5 * wholeMs + 60);
});

describe("readJson", () => {
  test.each(["application/json", "application/json; charset=utf-8", "Application/JSON ;x=y"])(
    "takes %p",
    async (type) => {
      expect(await readJson(post('{"a":1}', { "content-type": type }))).toEqual({ a: 1 });
    },
  );

  test.each(["text/plain", "application/jsonp", "application/json+x", "multipart/form-data"])(
    "refuses %p",
    async (type) => {
      await expect(readJson(post("{}", { "content-type": type }))).rejects.toThrow(
        `content-type: expected application/json, got "${type}"`,
      );
    },
  );

  test("refuses a body that is packed", async () => {
    const json = { "content-type": "application/json" };
    for (const name of ["Identity", "UTF-8", ""])
      expect(await readJson(post("{}", { ...json, "content-encoding": name }))).toEqual({});
    const headers = { ...json, "content-encoding": "gzip" };
    const packed = new Request("http://localhost/", { method: "POST", body: Bun.gzipSync("{}"), headers });
    await expect(readJson(packed)).rejects.toThrow(
      'content-encoding: expected none, as bodies are not unpacked here, got "gzip"',
    );
  });

  test("refuses a body without a type", async () => {
    await expect(readJson(post(streamOf("{}")))).rejects.toThrow(
      "content-type: expected application/json, got nothing",
    );
  });
});

test("parseJson refuses what is no JSON", () => {
  expect(parseJson("null")).toBeNull();
  expect(() => parseJson("")).toThrow("body: expected JSON, got nothing");
  expect(() => parseJson("{")).toThrow("body: expected JSON, got something else");
  expect(() => parseJson("NaN")).toThrow("body: expected JSON");
});
