/** Packs a stream of bytes as gzip or Zstandard, no faster than somebody takes it. */

/**
 * Zstandard looks back over 128 KiB, where it would over 2 MiB: lines repeat what is near, and of the many who may read
 * slowly at a time each takes 1.3 MB in place of 4.
 */
const windowLog = 17;

/** Yields the packed bytes. Throws as the source does. */
export async function* packed(
  pieces: AsyncIterable<Uint8Array>,
  packing: "gz" | "zst",
): AsyncGenerator<Uint8Array> {
  // Loading them takes some milliseconds, which a start of the server can do without.
  const { pipeline, Readable } = await import("node:stream");
  const { constants, createGzip, createZstdCompress } = await import("node:zlib");
  const packer =
    packing === "gz"
      ? createGzip()
      : createZstdCompress({ params: { [constants.ZSTD_c_windowLog]: windowLog } });
  // An error of either end destroys the other, and is thrown to the reader.
  pipeline(Readable.from(pieces, { highWaterMark: 1 }), packer, () => {});
  yield* packer as AsyncIterable<Uint8Array>;
}
