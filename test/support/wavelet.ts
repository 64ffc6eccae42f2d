import { bitsOfGreatest } from "../../src/lib/bits.ts";
import { fillWavelet, onesBefore, waveletWords, zerosIn, type Wavelet } from "../../src/facts/wavelet.ts";

export function waveletOf(values: readonly number[]): Wavelet {
  const own = Uint32Array.from(values);
  const [length, levels] = [own.length, bitsOfGreatest(own)];
  const words = waveletWords(length, levels);
  const wavelet = { length, levels, ones: new Uint32Array(words.ones), bits: new Uint32Array(words.bits) };
  fillWavelet(wavelet, own);
  return wavelet;
}

/** The number at a place, followed through the levels. */
export function numberAt(wavelet: Wavelet, place: number): number {
  let [value, at] = [0, place];
  for (let level = 0; level < wavelet.levels; level++) {
    const before = onesBefore(wavelet, level, at);
    const isOne = onesBefore(wavelet, level, at + 1) > before;
    at = isOne ? zerosIn(wavelet, level) + before : at - before;
    value = value * 2 + Number(isOne);
  }
  return value;
}

/** The numbers from one place up to another, in order. */
export function sortedIn(wavelet: Wavelet, from: number, to: number): number[] {
  const values = Array.from({ length: to - from }, (_, at) => numberAt(wavelet, from + at));
  return values.sort((a, b) => a - b);
}
