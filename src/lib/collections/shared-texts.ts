/**
 * Texts that many hold, each in memory once, under a number, as long as somebody holds it. The numbers of texts that nobody
 * holds any more are given again. 0 is no number.
 */
export class SharedTexts {
  private readonly numbers = new Map<string, number>();
  /** By number. */
  private readonly texts: string[] = [""];
  private readonly holders: number[] = [0];
  private readonly free: number[] = [];

  get size(): number {
    return this.numbers.size;
  }

  /** Returns the number of a text, which is held once more. */
  hold(text: string): number {
    const known = this.numbers.get(text);
    if (known !== undefined) {
      this.holders[known]!++;
      return known;
    }
    const number = this.free.pop() ?? this.texts.length;
    this.numbers.set(text, number);
    this.texts[number] = text;
    this.holders[number] = 1;
    return number;
  }

  /** Returns the text of a number that is held. */
  textOf(number: number): string {
    return this.texts[number]!;
  }

  /** A number is held once less; 0 is left alone. */
  release(number: number): void {
    if (number === 0 || --this.holders[number]! > 0) return;
    this.numbers.delete(this.texts[number]!);
    this.texts[number] = "";
    this.free.push(number);
  }
}
