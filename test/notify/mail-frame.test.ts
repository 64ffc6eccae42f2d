/** The HTML of mails in a browser, as a phone shows them. */
import { expect, test } from "bun:test";
import { wordsOf } from "../../src/core/words/translated-words.ts";
import { frameHtml, paragraphHtml, totalsHtml } from "../../src/notify/mail-frame.ts";
import { Chromium, lightChromiumPath } from "../support/chromium.ts";
import { withFolder } from "../support/folder.ts";
import { isThere, nameWith } from "../support/needs.ts";

const phonePx = 320;

function mailOf(language: string): string {
  const hostname = "donaudampfschifffahrtsgesellschaft.example.com";
  const { write } = wordsOf(language);
  const line = (name: string, value: string) => ({ name, value, change: "+1,234%", isGood: true });
  const totals = totalsHtml([
    line("Visitors", write.count(1_234_567)),
    line("Visits", write.count(1_534_567)),
    line("Views per visit", write.ratio(8.04)),
    line("Page views", write.count(9_345_678)),
    line("Bounce rate", write.percentage(47.3)),
    line("Time per visit", write.duration(83_000)),
  ]);
  const body = totals + paragraphHtml(`No page views of ${hostname} came.`);
  const footer = `You get this because of ${hostname}.`;
  return frameHtml({ language, title: `${hostname}: your week`, subtitle: "", body, footer });
}

test.skipIf(!isThere("chromium"))(
  nameWith("chromium", "the totals of a large website with a long name fit on a narrow phone"),
  () =>
    withFolder(async (folder) => {
      const browser = await Chromium.start(lightChromiumPath ?? "", folder);
      const tab = await browser.open();
      await tab.resize(phonePx, 800);
      for (const language of ["en", "de"]) {
        await tab.go(`data:text/html;base64,${Buffer.from(mailOf(language)).toString("base64")}`);
        const width = await tab.evaluate("document.documentElement.scrollWidth");
        expect([language, width]).toEqual([language, phonePx]);
      }
      await browser.stop();
    }),
);
