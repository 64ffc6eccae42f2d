/** Recognises programs that say that they are no visitors. Only this file uses isbot. */
import { isbot } from "isbot";

// Libraries that drive or imitate a browser, and services that look at pages, which isbot 5.2.3 takes for one.
const browserDrivers =
  /360jk|assetnote|casperjs|gtmetrix|happydom|hlb\/|htmlunit|jsdom|lightpanda|miniature\.io|nightmare|puppeteer|rendertron|slimerjs|vercel-screenshot|webdriver|wkhtmltopdf|ylt chrome|zombie/i;

// Android and Apple give this name to an app that fetches by itself, without a page that anybody sees.
const appClients = /\b(?:dalvik|cfnetwork)\//i;

// Programs say that they are compatible, and name no engine behind it. Some old browsers say no more either.
const onlyCompatible = /^Mozilla\/\d\.\d \(compatible; (?!MSIE |iCab |Konqueror\/|OmniWeb\/)[^()]*\)\s*$/;

// Scripts name a computer and no engine behind it, which each of its browsers does but Internet Explorer.
const onlyComputer = /^Mozilla\/5\.0 \((?:Windows NT|Macintosh|X11)\b(?!.*(?:MSIE|Trident))[^()]*\)\s*$/;

// Programs in a browser's clothes say behind its engine with what they are compatible.
const lateCompatible = /like Gecko\b.{0,99}\bcompatible;/;

// A search for servers that read their logs as commands (Log4Shell) names no browser.
const command = /\$\{/;

// Words of televisions in which isbot 5.2.3 finds those of crawlers: "catch", "google" and "name/1.0;".
const televisionWords = /\bOMI\/[\w.]+|\bgoogle ?tv\b|\b(?:ce-html|nettv|freesat|bdp7g)\/1\.0;/gi;

// Browsers in apps of telephones and tablets. Crawlers that say to be one are "(compatible; …)" as well.
const appBrowser =
  /^Mozilla\/5\.0 \((?:iPhone|iPad|Linux; (?:U; )?Android)(?!.*\bcompatible;).*? AppleWebKit\/[\d.]+ \(KHTML, ?like Gecko\)/;

// Android names the device, as "M bot 54" or "Discovery II". A crawler that stands in its place has a version there.
const deviceName = /^(Mozilla\/5\.0 )\(Linux;(?![^()]*\w\/\d)[^()]*\)/;

// Words of publishers' apps, as in "WallaNews/9.8.2", of Sogou's browser, and of WeChat. isbot 5.2.3 takes them for a crawler's.
const appWords = /news(?=[\w-]*\/\d)|\bsogou(?:mse|mobilebrowser|search)\b|\bprocess\/tools\w*/gi;

const programs = [browserDrivers, appClients, onlyCompatible, onlyComputer, lateCompatible, command];

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
  return appBrowser.test(text) ? text.replace(deviceName, "$1").replace(appWords, "") : text;
}
