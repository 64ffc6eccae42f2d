/** That a browser keeps of the tracker what docs/privacy.md says: no cookie and no storage, and answers in its cache. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Chromium, eitherChromiumPath } from "../support/chromium.ts";
import { withFolder } from "../support/folder.ts";
import { describeWith } from "../support/needs.ts";
import { TrackedServer } from "../support/tracked.ts";

const page = await Bun.file(join(import.meta.dir, "..", "..", "docs", "privacy.md")).text();

/** Returns the addresses of pings that stand anywhere in the files of a folder. */
function pingsIn(folder: string): string[] {
  const files = [...new Bun.Glob("**/*").scanSync({ cwd: folder, dot: true })];
  const found = files.flatMap((file) =>
    Array.from(
      readFileSync(join(folder, file), "latin1").matchAll(/event\/ping\?u=([\w.%-]+)&t=/g),
      ([, u = ""]) => decodeURIComponent(u),
    ),
  );
  return [...new Set(found)].toSorted();
}

describeWith("chromium", "what a browser keeps", () => {
  test("is the answer for the website and for each page, in its cache", () =>
    withFolder(async (folder) => {
      const tracked = await TrackedServer.open();
      const browser = await Chromium.start(eitherChromiumPath ?? "", folder);
      try {
        await tracked.site("kept.example");
        const tab = await browser.open();
        for (const [at, path] of ["/", "/illness"].entries()) {
          await tab.go(tracked.urlOf("kept.example", path));
          await tracked.shows("kept.example", at + 1, 1);
        }
        const elsewhere =
          "(async () => [document.cookie, localStorage.length, sessionStorage.length, (await indexedDB.databases()).length])()";
        expect(await tab.evaluate(elsewhere)).toEqual(["", 0, 0, 0]);
      } finally {
        await browser.stop();
        await tracked.goDown();
      }
      expect(pingsIn(folder)).toEqual(["kept.example", "kept.example/", "kept.example/illness"]);
      expect(page).toContain("**The browser keeps it in its cache**, with the host and path of the page");
    }));
});
