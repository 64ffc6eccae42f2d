/** Texts as UTF-8 in one buffer, which the next text takes over: tables look at the bytes of a text and keep none of them. */

const encoder = new TextEncoder();
/** Holds the UTF-8 of the text that was encoded last. */
export let encoded = new Uint8Array(8 * 1024);

/** Writes the text's UTF-8 into `encoded` and returns its length. The loop is for most texts: short and ASCII. */
export function encode(text: string): number {
  const { length } = text;
  if (encoded.length < length * 3) encoded = new Uint8Array(length * 3);
  for (let at = 0; at < length; at++) {
    const unit = text.charCodeAt(at);
    if (unit > 0x7f) return encoder.encodeInto(text, encoded).written;
    encoded[at] = unit;
  }
  return length;
}
