/** Recognises programs that say that they are no visitors. Only this file uses isbot. */
import { isbot } from "isbot";

// Libraries that drive or imitate a browser, and that isbot 5.2.3 takes for one.
const browserDrivers =
  /casperjs|gtmetrix|happydom|htmlunit|jsdom|lightpanda|nightmare|puppeteer|rendertron|slimerjs|webdriver|zombie/i;

// Android and Apple give this name to an app that fetches by itself, without a page that anybody sees.
const appClients = /\b(?:dalvik|cfnetwork)\//i;

// Programs say that they are compatible, and name no engine behind it. Some old browsers say no more either.
const onlyCompatible = /^Mozilla\/\d\.\d \(compatible; (?!MSIE |iCab |Konqueror\/|OmniWeb\/)[^()]*\)\s*$/;

// Words of televisions in which isbot 5.2.3 finds those of crawlers: "catch", "google" and "name/1.0;".
const televisionWords = /\bOMI\/[\w.]+|\bgoogle ?tv\b|\b(?:ce-html|nettv|freesat|bdp7g)\/1\.0;/gi;

// Browsers in apps of telephones and tablets. Crawlers that say to be one are "(compatible; …)" as well.
const appBrowser =
  /^Mozilla\/5\.0 \((?:iPhone|iPad|Linux; (?:U; )?Android)(?!.*\bcompatible;).*? AppleWebKit\/[\d.]+ \(KHTML, ?like Gecko\)/;

// A word of publishers' apps, as in "WallaNews/9.8.2", and of telephones, as in "Newsday_A1". isbot 5.2.3 takes it for a crawler's.
const publisherWord = /news(?=[\w-]*\/\d|day_)/gi;

const programs = [browserDrivers, appClients, onlyCompatible];

/**
 * Returns whether the user agent names a crawler, a headless browser, an app without a browser, or nothing at all: every
 * browser sends one.
 */
export function isCrawler(userAgent: string): boolean {
  if (userAgent.trim() === "" || programs.some((words) => words.test(userAgent))) return true;
  return isbot(userAgent) && isbot(withoutPeoplesWords(userAgent));
}

function withoutPeoplesWords(userAgent: string): string {
  const text = userAgent.replace(televisionWords, "");
  return appBrowser.test(text) ? text.replace(publisherWord, "") : text;
}
