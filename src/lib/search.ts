/** Binary searches in numbers that rise. */

/** The index of the first number from `low` on, before `high`, that is not less than `wanted`; `high` if there is none. */
export function firstAtLeast(
  numbers: ArrayLike<number>,
  wanted: number,
  low = 0,
  high = numbers.length,
): number {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The index of the last number that is not greater than `wanted`; 0 if there is none. */
export function lastAtMost(numbers: ArrayLike<number>, wanted: number): number {
  return Math.max(0, firstAtLeast(numbers, wanted + 1) - 1);
}
