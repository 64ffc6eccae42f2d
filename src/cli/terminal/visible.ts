/**
 * Writes out the characters that steer a terminal instead of being seen: control characters, and those that turn the
 * direction of what follows. Strangers choose paths, referrers and names. Tabs and the ends of lines stay.
 */

/** C0 without TAB, LF and CR; a CR that ends no line; DEL and C1; the marks, embeddings and isolates of bidirectional text. */
const steering = /[\x00-\x08\v\f\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\r(?!\n|$)/g;

/** Returns whether there is anything to write out. */
export function steers(text: string): boolean {
  return text.search(steering) >= 0;
}

/** Returns the text with each of them as `\u{1b}`. */
export function visible(text: string): string {
  return text.replace(steering, (sign) => `\\u{${sign.charCodeAt(0).toString(16)}}`);
}

/** Returns JSON of the same value, with each of them as `\u001b`. They stand in its strings, and nowhere else. */
export function visibleJson(json: string): string {
  return json.replace(steering, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
