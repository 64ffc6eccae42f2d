/** The bytes of an archive, against what APPNOTE.TXT says; test/http/export.test.ts has other programs open one. */
import { expect, test } from "bun:test";
import { zipped, type ZipFile } from "../../src/lib/packing/zip.ts";

async function archive(files: readonly ZipFile[]): Promise<DataView> {
  const all = async function* () {
    yield* files;
  };
  const parts = await Array.fromAsync(zipped(all(), Date.UTC(2026, 10, 22, 15, 4, 33)));
  return new DataView(await new Blob(parts as Uint8Array<ArrayBuffer>[]).arrayBuffer());
}

test("an archive without files is only its end", async () => {
  const { buffer } = await archive([]);
  expect(new Uint8Array(buffer).toHex()).toBe(`504b0506${"00".repeat(18)}`);
});

test("the headers have time, sums and sizes, and the end names the place of the central ones", async () => {
  const text = "a,b\r\n1,ü\r\n";
  const view = await archive([
    { name: "a.csv", text },
    { name: "b.csv", text: "" },
  ]);
  const plain = new TextEncoder().encode(text);
  const two = (at: number) => view.getUint16(at, true);
  const four = (at: number) => view.getUint32(at, true);
  expect([two(10), two(12)]).toEqual([(15 << 11) | (4 << 5) | 16, (46 << 9) | (11 << 5) | 22]);
  expect([four(14), four(22)]).toEqual([Bun.hash.crc32(plain), plain.length]);
  const bytes = new Uint8Array(view.buffer);
  const body = bytes.slice(30 + "a.csv".length, 30 + "a.csv".length + four(18));
  expect(new TextDecoder().decode(Bun.inflateSync(body))).toBe(text);
  const end = bytes.length - 22;
  expect([two(end + 8), two(end + 10)]).toEqual([2, 2]);
  const central = four(end + 16);
  expect([four(central), four(end + 12), end - central]).toEqual([0x02014b50, 2 * (46 + 5), 2 * (46 + 5)]);
  expect([four(central + 42), four(central + 46 + 5 + 42)]).toEqual([0, 30 + 5 + body.length]);
});

test("a long text is compressed in many turns, and no character is cut apart", async () => {
  const text = `${"a".repeat(65_535)}😀${"=1,ü;'".repeat(200_000)}`;
  let [turns, isDone] = [0, false];
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const view = await archive([{ name: "a.csv", text }]);
  isDone = true;
  expect(turns).toBeGreaterThan(text.length / 65_536);
  const plain = new TextEncoder().encode(text);
  expect([view.getUint32(14, true), view.getUint32(22, true)]).toEqual([Bun.hash.crc32(plain), plain.length]);
  const body = new Uint8Array(view.buffer).slice(30 + "a.csv".length).slice(0, view.getUint32(18, true));
  expect(new TextDecoder().decode(Bun.inflateSync(body))).toBe(text);
});
