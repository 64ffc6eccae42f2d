/**
 * A sum of numbers that is the same in whatever order they come: whole parts and millionths are summed up apart, as
 * integers. It is exact while both stay below 2^53; what is finer than a millionth is rounded.
 */
const millionths = 1_000_000;

/** Returns the millionths of a number beside `whole`, its whole part. */
export function millionthsOf(value: number, whole: number): number {
  return Math.round((value - whole) * millionths);
}

export class ExactSum {
  private whole = 0;
  private parts = 0;
  private hasAny = false;

  /** Whether it has nothing to sum up. */
  get isEmpty(): boolean {
    return !this.hasAny;
  }

  add(value: number): void {
    const whole = Math.trunc(value);
    this.addParts(whole, millionthsOf(value, whole), true);
  }

  addAll({ whole, parts, hasAny }: ExactSum): void {
    this.addParts(whole, parts, hasAny);
  }

  /** Adds another sum of which these two numbers are known. Where it is not known whether it has a value, 0 and 0 have none. */
  addParts(whole: number, parts: number, hasAny = whole !== 0 || parts !== 0): void {
    this.hasAny ||= hasAny;
    this.whole += whole;
    this.parts += parts;
  }

  /** Returns the whole parts and the millionths, each summed up: integers, which may be below 0. */
  get sums(): readonly [whole: number, parts: number] {
    return [this.whole, this.parts];
  }

  get value(): number {
    const carried = Math.trunc(this.parts / millionths);
    const whole = this.whole + carried;
    const rest = this.parts - carried * millionths;
    // One division rounds once, where the number is small enough for it.
    const all = whole * millionths + rest;
    return Number.isSafeInteger(all) ? all / millionths : whole + rest / millionths;
  }
}
