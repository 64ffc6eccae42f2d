/**
 * Sorts many numbers in steps that are short each, of a million numbers or so, so that a thread can do other things
 * between them: by counting, whose cost is in proportion to how many they are.
 */

/** The bits that are counted by at once. */
const halfBits = 16;
const halfValues = 2 ** halfBits;
/** Up to so many are sorted at once, by comparison. */
const fewMax = 2 ** 14;
const stepMax = 2 ** 20;

/** Sorts them where they are. */
export function* sortHalves(values: Uint16Array): Generator<void, void> {
  if (values.length <= fewMax) {
    values.sort();
    return;
  }
  const counts = new Uint32Array(halfValues);
  for (const step of stepsOf(values)) {
    countHalves(step, counts);
    yield;
  }
  let [at, sinceStep] = [0, 0];
  for (let value = 0; value < halfValues; value++) {
    const count = counts[value] as number;
    if (count === 0) continue;
    values.fill(value, at, at + count);
    at += count;
    sinceStep += count;
    if (sinceStep < stepMax) continue;
    sinceStep = 0;
    yield;
  }
}

/** Sorts them where they are. Takes half as much memory again meanwhile. */
export function* sortWords(values: Uint32Array): Generator<void, void> {
  if (values.length <= fewMax) {
    values.sort();
    return;
  }
  const counts = new Uint32Array(halfValues);
  for (const step of stepsOf(values)) {
    countHigh(step, counts);
    yield;
  }
  const places = new Uint32Array(halfValues);
  for (let high = 1; high < halfValues; high++)
    places[high] = (places[high - 1] as number) + (counts[high - 1] as number);
  const low = new Uint16Array(values.length);
  for (const step of stepsOf(values)) {
    placeLow(step, low, places);
    yield;
  }
  let at = 0;
  for (let high = 0; high < halfValues; high++) {
    const end = at + (counts[high] as number);
    if (end === at) continue;
    const own = low.subarray(at, end);
    yield* sortHalves(own);
    join(high, own, values.subarray(at, end));
    at = end;
  }
}

function* stepsOf<T extends Uint16Array | Uint32Array>(values: T): Generator<T> {
  for (let from = 0; from < values.length; from += stepMax) yield values.subarray(from, from + stepMax) as T;
}

function countHalves(values: Uint16Array, counts: Uint32Array): void {
  for (let at = 0; at < values.length; at++) {
    const value = values[at] as number;
    counts[value] = (counts[value] as number) + 1;
  }
}

function countHigh(values: Uint32Array, counts: Uint32Array): void {
  for (let at = 0; at < values.length; at++) {
    const high = (values[at] as number) >>> halfBits;
    counts[high] = (counts[high] as number) + 1;
  }
}

/** `places`: where the next with these upper bits goes. */
function placeLow(values: Uint32Array, low: Uint16Array, places: Uint32Array): void {
  for (let at = 0; at < values.length; at++) {
    const value = values[at] as number;
    const high = value >>> halfBits;
    const place = places[high] as number;
    low[place] = value & (halfValues - 1);
    places[high] = place + 1;
  }
}

function join(high: number, low: Uint16Array, values: Uint32Array): void {
  const base = high * halfValues;
  for (let at = 0; at < low.length; at++) values[at] = base + (low[at] as number);
}
