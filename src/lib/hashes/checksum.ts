/** CRC-32 (IEEE 802.3), of bytes and of what is made of parts. */

/** The polynomial; as everywhere here, the highest bit is the coefficient of x⁰. */
const polynomial = 0xedb88320;
const one = 0x80000000;
/** x to the power of 1, 2, 4, 8 … modulo the polynomial. */
const powers = [one >>> 1];
for (let at = 0; at < 31; at++) powers.push(product(powers[at]!, powers[at]!));

/** Returns the CRC-32 of the bytes as an unsigned 32-bit integer; `seed` continues an earlier one. */
export function checksum(bytes: Uint8Array, seed = 0): number {
  return Bun.hash.crc32(bytes, seed);
}

/**
 * Returns the checksum of two parts, from that of the first, that of the second, and the second's bytes: the bits of the
 * first are moved as far as the second is long, which is a product of polynomials modulo that of the checksum.
 */
export function joinedChecksum(first: number, second: number, secondBytes: number): number {
  let shift = one;
  for (let [left, at] = [secondBytes, 3]; left > 0; left = Math.floor(left / 2), at++)
    if (left % 2 === 1) shift = product(powers[at % powers.length]!, shift);
  return (product(shift, first) ^ second) >>> 0;
}

/** Multiplies two polynomials modulo that of the checksum. */
function product(first: number, second: number): number {
  let [sum, moved] = [0, second];
  for (let bit = one; bit !== 0; bit >>>= 1) {
    if ((first & bit) !== 0) sum ^= moved;
    moved = (moved & 1) === 1 ? (moved >>> 1) ^ polynomial : moved >>> 1;
  }
  return sum >>> 0;
}
