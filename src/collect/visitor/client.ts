/** Finds browser, system and device in a user agent, by names that people write. Only this file uses ua-parser-js. */
import UAParser from "ua-parser-js";
import { unknownLabel } from "../../core/questions/dimension.ts";
import { isMailProxy } from "./mail-proxy.ts";
import { browserNames, deviceNames, osNames } from "./names.ts";

/**
 * Browsers by the words that they add to the user agent of the engine beneath, which is all that the parser finds: those
 * inside apps, Ecosia, and Brave on iOS.
 */
const browsersByWords: readonly (readonly [browser: string, words: RegExp])[] = [
  ["Threads", /\bBarcelona \d/],
  ["Pinterest", /\[Pinterest\//],
  ["TikTok", /\b(?:musical_ly|trill)_|\bBytedanceWebview\/|\bTikTok\b/],
  ["Facebook", /\bFB(?:AN|AV|_IAB)\//],
  ["Google App", /\bGSA\/\d/],
  ["Ecosia", /\(Ecosia (?:android|ios)@/],
  ["Brave", /\bBrave\/\d/],
];
/**
 * The words of browsers on an iPad that says to be a Mac, as each does since iPadOS 13: no browser of a Mac has them. Safari adds
 * none and stays one of a Mac. An iPhone that asks for a page as computers see it says the same; hardly any does.
 */
const padWords = /^Mozilla\/5\.0 \(Macintosh;.* (?:Mobile|CriOS|FxiOS|EdgiOS|OPiOS|OPT|GSA|DuckDuckGo)\/\w/;
/** The words of televisions and of the boxes beside them; a telephone's model has none of them. */
const televisionWords =
  /(?:smart|android|google|apple|hbb|net|\bmi)[ _-]?tv|\btv\b|\btv[ _-]?box|\b(?:bravia|viera|vidaa|ce-html|crkey)\b|netcast/i;

export interface Client {
  readonly browser: string;
  readonly os: string;
  readonly device: string;
}

/** A browser of nobody: Gmail's proxy says to be an old one, and not the reader's. */
const hidden: Client = { browser: unknownLabel, os: unknownLabel, device: unknownLabel };

/**
 * The characters that the parser gets. Some of its patterns take a time that grows with the square of a text of repeated words and
 * more. Of the 1,982 user agents that it is tested with, the longest of 422, none is another client by its first 350.
 */
const parsedCharactersMax = 350;
/** The longest run of words without a mark between them; one pattern takes the cube of it: 200 ms for a thousand characters. */
const longRun = /([\w ]{60})[\w ]+/g;

/** Takes 20 to 40 µs: callers that ask often cache the result. */
export function clientOf(userAgent: string): Client {
  if (isMailProxy(userAgent)) return hidden;
  const parser = new UAParser(userAgent.slice(0, parsedCharactersMax).replace(longRun, "$1"));
  const isPad = padWords.test(userAgent);
  const os = isPad ? "iOS" : osOf(userAgent, parser.getOS().name);
  const browser = browserOf(userAgent, os, parser.getBrowser().name);
  if (isPad) return { browser, os, device: "Tablet" };
  const type = televisionWords.test(userAgent) ? "TV" : parser.getDevice().type;
  if (type !== undefined) return { browser, os, device: written(deviceNames(), type) };
  const known = browser !== unknownLabel || os !== unknownLabel;
  // Computers do not name their device; a device that is neither known nor a computer may be anything.
  return { browser, os, device: known ? "Desktop" : unknownLabel };
}

/** A telephone with KaiOS may name Android besides, whose apps it does not run. */
function osOf(userAgent: string, found: string | undefined): string {
  return /\bKAIOS\/\d/.test(userAgent) ? "KaiOS" : written(osNames(), found);
}

/**
 * A web view of Apple's says nothing but its engine, which only Safari's may be on iOS: it is Safari, as Android's is Chrome. The
 * parser knows the latter by "wv", which not every app leaves there, and else takes it for the browser that Android had before.
 */
function browserOf(userAgent: string, os: string, found: string | undefined): string {
  const named = browsersByWords.find(([, words]) => words.test(userAgent));
  if (named !== undefined) return named[0];
  const browser = written(browserNames(), found);
  if (browser === "Android Browser" && userAgent.includes(" Chrome/")) return "Chrome";
  return browser === unknownLabel && os === "iOS" && userAgent.includes(" AppleWebKit/") ? "Safari" : browser;
}

function written(names: ReadonlyMap<string, string>, word: string | undefined): string {
  return names.get(word?.toLowerCase() ?? "") ?? unknownLabel;
}
