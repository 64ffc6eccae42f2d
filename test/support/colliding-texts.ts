/**
 * Texts that the runtime's own map gives one hash. It hashes with rapidhash (Nicolas De Carlo, 2024), whose secrets are fixed: a
 * word that is one of them is multiplied as zero, so that the word behind it counts for nothing.
 */

const secret = [0x78a5, 0xaa6c, 0x8dcc, 0x2d35];
const units = 64;
const secretAt = 24;
const filler = 0x4e00;
/** How many values a unit gets. */
const base = 5_000;

/** Returns the text of a number, up to `base` squared. `before`: the units of what is put before it. */
export function collidingText(number: number, before = 0): string {
  const text = new Array<number>(units).fill(filler);
  text.splice(secretAt, secret.length, ...secret);
  text[secretAt + secret.length] = filler + (number % base);
  text[secretAt + secret.length + 1] = filler + Math.floor(number / base);
  return String.fromCharCode(...text.slice(before));
}

/** Returns a text as long as those, with a hash of its own. */
export function otherText(number: number, before = 0): string {
  return `${number} ${String.fromCharCode(filler).repeat(units)}`.slice(0, units - before);
}
