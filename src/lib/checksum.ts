/** Returns the CRC-32 (IEEE 802.3) of the bytes as an unsigned 32-bit integer; `seed` continues an earlier one. */
export function checksum(bytes: Uint8Array, seed = 0): number {
  return Bun.hash.crc32(bytes, seed);
}
