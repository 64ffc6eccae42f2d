/**
 * Texts that many hold, each in memory once, under a number, as long as somebody holds it. The numbers of texts that nobody
 * holds any more are given again. 0 is no number.
 */
import { textKey } from "../hashes/text-key.ts";

export class SharedTexts {
  /** By the key of the text. Of two texts with one key only the latter is found, and the other gets another number. */
  private readonly numbers = new Map<number, number>();
  /** By number. */
  private readonly texts: string[] = [""];
  private readonly holders: number[] = [0];
  private readonly free: number[] = [];

  get size(): number {
    return this.numbers.size;
  }

  /** Returns the number of a text, which is held once more. */
  hold(text: string): number {
    const key = textKey(text);
    const known = this.numbers.get(key);
    if (known !== undefined && this.texts[known] === text) {
      this.holders[known]!++;
      return known;
    }
    const number = this.free.pop() ?? this.texts.length;
    this.numbers.set(key, number);
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
    const key = textKey(this.texts[number]!);
    if (this.numbers.get(key) === number) this.numbers.delete(key);
    this.texts[number] = "";
    this.free.push(number);
  }
}
