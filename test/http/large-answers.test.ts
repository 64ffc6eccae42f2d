/** Large answers go out in pieces, and those that nobody reads are given up before they fill the memory. */
import { expect, test } from "bun:test";
import { LargeAnswers, largeCharactersMin } from "../../src/http/transport/large-answers.ts";

/** Room for four answers, with the pieces of them that are on their way. */
const bytesMax = 4 * 1024 * 1024;
const quarter = bytesMax / 4 - 16_384;
const none = new AbortController().signal;
const account = { isByLink: false, signal: none, onPiece: () => {}, onGivenUp: () => {} };
const link = { ...account, isByLink: true };
const open = (large: LargeAnswers, text: string, reader = account) => large.bodyOf(text, reader) as Response;

test("a large answer is the same text, whatever its characters, and forgotten when it is read", async () => {
  const large = new LargeAnswers();
  const small = "x".repeat(largeCharactersMin - 1);
  expect(large.bodyOf(small, account)).toBe(small);
  for (const before of ["", "x"]) {
    const text = before + "\u{1f600}\u00e9a".repeat(largeCharactersMin);
    let pieces = 0;
    const answer = large.bodyOf(text, { ...account, onPiece: () => void pieces++ }) as Response;
    expect(large.size).toBe(1);
    expect(await answer.text()).toBe(text);
    expect(pieces).toBe(Math.ceil(Buffer.byteLength(text) / 16_384));
    expect(large.size).toBe(0);
  }
});

test("the answer that is being read for longest is given up for a new one", async () => {
  const large = new LargeAnswers(bytesMax);
  const text = "x".repeat(quarter);
  const answers = Array.from({ length: 6 }, () => open(large, text));
  expect(large.size).toBe(4);
  const ended = await Promise.allSettled(answers.map(async (answer) => (await answer.text()).length));
  expect(ended.map(({ status }) => status)).toEqual([
    ...["rejected", "rejected"],
    ...["fulfilled", "fulfilled", "fulfilled", "fulfilled"],
  ] as never);
  expect(large.size).toBe(0);
});

test("answers of links are given up for those of accounts, and never the other way", async () => {
  const text = "x".repeat(quarter);
  const asked = async (...readers: (typeof account)[]) => {
    const large = new LargeAnswers(bytesMax);
    const answers = readers.map((reader) => open(large, text, reader));
    const ended = await Promise.allSettled(answers.map((answer) => answer.text()));
    return ended.map(({ status }) => status === "fulfilled");
  };
  expect(await asked(account, link, link, account, account)).toEqual([true, false, true, true, true]);
  expect(await asked(link, account, account, account, account, account)).toEqual([
    ...[false, false],
    ...[true, true, true, true],
  ]);
  // However many a stranger asks for, it is the stranger's that end; the newest is one more than the bound.
  expect(await asked(account, account, account, account, link, link)).toEqual([
    ...[true, true, true, true],
    ...[false, true],
  ]);
});

test("the client of an answer that is given up is cut, and no other", () => {
  const large = new LargeAnswers(bytesMax);
  const cut: number[] = [];
  const text = "x".repeat(quarter);
  for (let at = 0; at < 6; at++) open(large, text, { ...account, onGivenUp: () => void cut.push(at) });
  expect(cut).toEqual([0, 1]);
});

test("an answer is forgotten when its client goes, before it has read anything or after", async () => {
  const large = new LargeAnswers();
  const text = "x".repeat(largeCharactersMin);
  const client = new AbortController();
  open(large, text, { ...account, signal: client.signal });
  client.abort();
  expect(large.size).toBe(0);
  open(large, text, { ...account, signal: client.signal });
  expect(large.size).toBe(0);
  const reader = (open(large, text).body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  expect(large.size).toBe(1);
  await reader.cancel();
  expect(large.size).toBe(0);
});

test("an answer counts as many bytes as it takes until it is read, given up or its client goes", async () => {
  const large = new LargeAnswers(bytesMax);
  // Each character has three bytes, so that two of the third part of the bound are one too many.
  const text = "\u20ac".repeat(bytesMax / 6);
  const answers = [open(large, text), open(large, text)];
  expect(large.size).toBe(1);
  const [first, second] = await Promise.allSettled(answers.map((answer) => answer.text()));
  expect([first?.status, second?.status]).toEqual(["rejected", "fulfilled"]);
  for (let round = 0; round < 20; round++) expect(await open(large, text).text()).toBe(text);
  // There is room for as many as at first.
  const small = "x".repeat(quarter);
  for (let count = 0; count < 4; count++) open(large, small);
  expect(large.size).toBe(4);
});

test("thousands of answers of some kilobytes that nobody reads are bounded as few large ones are", () => {
  const large = new LargeAnswers(bytesMax);
  const text = "x".repeat(largeCharactersMin);
  for (let count = 0; count < 4_000; count++) open(large, text);
  expect(large.size).toBe(bytesMax / (2 * largeCharactersMin));
});
