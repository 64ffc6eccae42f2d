/** Packs a stream of bytes as gzip or Zstandard, no faster than somebody takes it. */

/** Yields the packed bytes. Throws as the source does. */
export async function* packed(
  pieces: AsyncIterable<Uint8Array>,
  packing: "gz" | "zst",
): AsyncGenerator<Uint8Array> {
  // Loading them takes some milliseconds, which a start of the server can do without.
  const { pipeline, Readable } = await import("node:stream");
  const { createGzip, createZstdCompress } = await import("node:zlib");
  const packer = packing === "gz" ? createGzip() : createZstdCompress();
  // An error of either end destroys the other, and is thrown to the reader.
  pipeline(Readable.from(pieces, { highWaterMark: 1 }), packer, () => {});
  yield* packer as AsyncIterable<Uint8Array>;
}
