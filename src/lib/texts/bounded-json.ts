/**
 * JSON of strangers, parsed only if its value takes little memory and time. JavaScriptCore gives an object with a name like
 * "999" a list of a thousand places, 8 KB for ten bytes of text, and an empty object 90 bytes for three.
 */

/** The text is JSON, perhaps, but its value would take more memory or time than it may. */
export class TooMuchJson extends RangeError {
  override name = "TooMuchJson";
}

/**
 * Bytes that a value takes, by what `JSON.parse` of Bun 1.4.5 took for some 200,000 of each: objects and lists 72 to 105, texts 30
 * to 35. A name that was not there before may take 300 once; what it is counted as bounds these too.
 */
const nestedBytes = 100;
const textBytes = 40;
/** Each name up to 999 gives an object places for all below it, and growing leaves the ones before to be collected. */
const placeBytes = 12;

const quote = 0x22;
const backslash = 0x5c;
const openingBrace = 0x7b;
const openingBracket = 0x5b;

/**
 * A value may have so many objects and lists, and one more for so many characters of its text: a thousand of the shortest
 * events, each two objects of 21 characters, have 2,002 of 2,400. These take longest to make, the deeper the longer: 30,000
 * lists, each in another, took three milliseconds.
 */
const nestedFree = 1_024;
const charactersOfNested = 16;
/** A value may take so many times its text, and so many bytes, which leaves room for hits with names of three digits. */
const timesMax = 100;
const freeBytes = 256 * 1024;
/** No value may take more, however long its text is. */
const bytesMax = 32 * 1024 * 1024;

/**
 * Returns the value of a text. Throws SyntaxError where it is no JSON, and TooMuchJson where the value would take more than 100
 * times as much memory as the text, and 256 KiB, or more than 32 MiB, or has very many objects and lists; one in which each
 * name is another takes up to three times as much as it is counted as.
 */
export function parseBoundedJson(text: string): unknown {
  if (takesMore(text, Math.min(bytesMax, timesMax * text.length + freeBytes))) throw new TooMuchJson();
  return JSON.parse(text);
}

function takesMore(text: string, most: number): boolean {
  let [bytes, nested] = [0, 0];
  const nestedMax = nestedFree + text.length / charactersOfNested;
  for (let at = 0; at < text.length && bytes <= most && nested <= nestedMax; at++) {
    const code = text.charCodeAt(at);
    if (code === openingBrace || code === openingBracket) {
      bytes += nestedBytes;
      nested++;
    }
    if (code !== quote) continue;
    const end = endOfText(text, at + 1);
    bytes += textBytes + placeBytes * placesOf(text, at + 1, end);
    at = end;
  }
  return bytes > most || nested > nestedMax;
}

/** Returns where the quote is that ends a text which begins at `start`; the end of all where there is none. */
function endOfText(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) break;
    if (code === backslash) at++;
  }
  return at;
}

/** Only a name that begins with one of these can be a number: most are told by it, without a copy of them. */
const isDigit = (code: number) => code >= 0x30 && code <= 0x39;

const likeAPlace = /^(?:[0-9]|\\u003[0-9]){1,3}$/;
const longestPlace = 3 * "\\u0030".length;
const beforeColon = /\s*:/y;

/** Returns the places that an object gets by a name such as "12"; 0 for another, and for a text that is no name. */
function placesOf(text: string, start: number, end: number): number {
  const first = text.charCodeAt(start);
  if (end - start > longestPlace || !(isDigit(first) || first === backslash)) return 0;
  const name = text.slice(start, end);
  beforeColon.lastIndex = end + 1;
  return likeAPlace.test(name) && beforeColon.test(text) ? Number(name.replaceAll("\\u003", "")) + 1 : 0;
}
