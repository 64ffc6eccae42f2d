/** Files to import that come slowly, over real connections: they keep nobody else from importing. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import type { Listening } from "../../src/http/serve.ts";
import { UploadedBytes } from "../../src/http/transport/file-import.ts";
import { chunkedBodiesMs } from "../support/chunked-bodies.ts";
import { TestClock } from "../support/clock.ts";
import type { TestServer } from "../support/http.ts";
import { startListening } from "../support/listening.ts";
import { joinAs } from "../support/members.ts";
import { refusalOf } from "../support/refusals.ts";
import { until } from "../support/until.ts";
import { uploaded } from "../support/upload.ts";

const line = `${JSON.stringify({ kind: "page_view", time: "2025-11-01T00:00:00.000Z", path: "/" })}\n`;
let server: TestServer;
let listening: Listening;
let owner: string;
let sockets: Socket[];

beforeEach(async () => {
  ({ server, listening, cookie: owner } = await startListening());
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await listening.stop(1_000);
});

interface Slow {
  answer: string;
  readonly send: (text: string) => void;
}

/** Begins an upload whose body has no end. */
function slowly(cookie: string): Slow {
  const socket = connect(listening.port, "127.0.0.1");
  sockets.push(socket);
  const send = (text: string) => void socket.write(`${text.length.toString(16)}\r\n${text}\r\n`);
  const slow = { answer: "", send };
  socket.on("data", (bytes) => (slow.answer += bytes.toString()));
  socket.on("error", () => {});
  socket.write(
    "POST /website/example.com/import?dry_run=true HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n" +
      `cookie: _me_sess=${cookie}\r\n\r\n`,
  );
  send(line);
  return slow;
}

async function fourSlow(): Promise<{ uploads: Slow[]; newcomer: string }> {
  const uploads = [];
  for (const name of ["bea", "cyd", "dan", "eve"])
    uploads.push(slowly(await joinAs(server, owner, "owner", name)));
  const newcomer = await joinAs(server, owner, "owner", "fay");
  await until(async () => (await uploaded(server, newcomer, line))[0] === 409, "all places are taken");
  return { uploads, newcomer };
}

test("one of four slow ones gives its place up, and no other; its sender is told", async () => {
  const { uploads, newcomer } = await fourSlow();
  server.clock.advance(61_000);
  expect(await uploaded(server, newcomer, line)).toMatchObject([200, { pageviews: 1 }]);
  expect(await uploaded(server, newcomer, line)).toMatchObject([200, { pageviews: 1 }]);
  await until(() => uploads.some(({ answer }) => answer.includes("\r\n\r\n")), "its sender has an answer");
  const answered = uploads.filter(({ answer }) => answer !== "");
  expect(answered.map(({ answer }) => answer.slice(0, 12))).toEqual(["HTTP/1.1 409"]);
  expect(answered[0]?.answer).toContain("came too slowly while others were waiting");
});

test("none of four gives its place up in its first minute", async () => {
  const { uploads, newcomer } = await fourSlow();
  server.clock.advance(59_000);
  expect((await uploaded(server, newcomer, line))[0]).toBe(409);
  expect(uploads.map(({ answer }) => answer)).toEqual(["", "", "", ""]);
});

test("an upload is slow by what it brought for the time that it was waited for, and by nothing else", async () => {
  const clock = new TestClock();
  const minuteMs = 60_000;
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const request = new Request("http://localhost/", { method: "POST", body: readable });
  const upload = new UploadedBytes(request, clock, () => {});
  const pieces = upload.pieces();
  const bring = async (bytes: number, waitMs: number) => {
    const piece = pieces.next();
    // It gives way to others before it waits.
    await Bun.sleep(1);
    clock.advance(waitMs);
    const isSlow = upload.isSlow;
    await writer.write(new Uint8Array(bytes));
    await piece;
    return isSlow;
  };
  expect(await bring(1_000, minuteMs)).toBe(false);
  clock.advance(10 * minuteMs);
  expect(upload.isSlow).toBe(false);
  expect(await bring(1_000, 1)).toBe(true);
  for (let piece = 0; piece < 32; piece++) await bring(64 * 1024, 0);
  expect(await bring(1_000, minuteMs - 1)).toBe(false);
  expect(await bring(1_000, minuteMs)).toBe(true);
  const next = pieces.next();
  await Bun.sleep(1);
  upload.end();
  expect((await refusalOf(() => next)).code).toBe(409);
});

test("the rest of a file that is refused takes not much longer in chunks of a byte each than in a piece", async () => {
  const text = "a".repeat(20_000);
  const clock = new TestClock();
  const read = async (request: Request) => {
    await new UploadedBytes(request, clock, () => {}).drain();
    return text.length;
  };
  const { wholeMs, inBytesMs } = await chunkedBodiesMs(read, text);
  expect(inBytesMs).toBeLessThan(5 * wholeMs + 60);
});
