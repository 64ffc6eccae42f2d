/**
 * Returns the same text in memory of its own. A part of a text keeps all of that text in memory: a word that is kept of
 * each of a thousand long lines would keep the lines. Half a surrogate pair becomes U+FFFD.
 */
export function ownText(text: string): string {
  return text === "" ? "" : Buffer.from(text).toString();
}
