/** The least and the greatest of numbers, however many: a call takes some hundred thousand arguments. */

/** `numbers`: at least one. */
export function extent(numbers: Iterable<number>): readonly [least: number, greatest: number] {
  let [least, greatest] = [Infinity, -Infinity];
  for (const number of numbers) {
    least = Math.min(least, number);
    greatest = Math.max(greatest, number);
  }
  return [least, greatest];
}
