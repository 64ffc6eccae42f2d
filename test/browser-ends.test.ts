/** A browser of the tests ends with the process that started it, even if nobody stopped it. */
import { expect } from "bun:test";
import { join } from "node:path";
import { withFolder } from "./support/folder.ts";
import { testWith } from "./support/needs.ts";
import { until } from "./support/until.ts";

const program = `
  import { Chromium, lightChromiumPath } from "./test/support/chromium.ts";
  const browser = await Chromium.start(lightChromiumPath, process.argv.at(-1));
  console.log(browser["socket"].url);
  process.exit(0);
`;

testWith("chromium", "no browser is left of a process that has ended", () =>
  withFolder(async (folder) => {
    const { stdout, exitCode } = Bun.spawnSync([process.execPath, "-e", program, join(folder, "profile")], {
      cwd: join(import.meta.dir, ".."),
    });
    expect(exitCode).toBe(0);
    const { host } = new URL(stdout.toString());
    const isGone = () =>
      fetch(`http://${host}/json/version`).then(
        () => false,
        () => true,
      );
    await until(isGone, "the browser has ended");
  }),
);
