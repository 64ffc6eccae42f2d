/** Recognises programs that say that they are no visitors. Only this file uses isbot. */
import { isbot } from "isbot";

// Libraries that drive or imitate a browser, and that isbot 5.2.3 takes for one.
const browserDrivers =
  /casperjs|gtmetrix|happydom|htmlunit|jsdom|lightpanda|nightmare|puppeteer|rendertron|slimerjs|webdriver|zombie/i;

/** Returns whether the user agent names a crawler, a headless browser or nothing at all: every browser sends one. */
export function isCrawler(userAgent: string): boolean {
  return userAgent.trim() === "" || isbot(userAgent) || browserDrivers.test(userAgent);
}
