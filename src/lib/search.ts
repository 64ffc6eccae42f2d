/** Binary searches. */

/**
 * Returns the first number from `low` on, before `high`, that passes the test; `high` if none does. All numbers after
 * one that passes must pass too.
 */
export function firstThat(low: number, high: number, test: (number: number) => boolean): number {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (test(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Returns the index of the first of `numbers`, which rise, that is not less than `wanted`: from `low` on, before
 * `high`; `high` if there is none.
 */
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

/** Returns the index of the last of `numbers`, which rise, that is not greater than `wanted`; 0 if there is none. */
export function lastAtMost(numbers: ArrayLike<number>, wanted: number): number {
  return Math.max(0, firstAtLeast(numbers, wanted + 1) - 1);
}
