import { describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { checkoutCommit, version } from "../../src/cli/version.ts";
import { useFolder } from "../support/folder.ts";
import { git } from "../support/git.ts";

const top = useFolder();

describe("checkoutCommit", () => {
  test("is development outside of a checkout, and in one without a commit", () => {
    expect(checkoutCommit(top)).toBe("development");
    const empty = join(top, "empty");
    mkdirSync(empty);
    git(empty, "init", "--quiet");
    expect(checkoutCommit(empty)).toBe("development");
  });

  test("is the commit of the checkout, but not of one somewhere above", () => {
    const checkout = join(top, "checkout");
    const inner = join(checkout, "inner");
    mkdirSync(inner, { recursive: true });
    git(checkout, "init", "--quiet");
    git(checkout, "commit", "--quiet", "--allow-empty", "-m", "first");
    expect(checkoutCommit(checkout)).toBe(git(checkout, "rev-parse", "HEAD"));
    expect(checkoutCommit(inner)).toBe("development");
  });

  test("is development where there is no such folder", () => {
    expect(checkoutCommit(join(top, "nowhere"))).toBe("development");
  });
});

test("the version is that of the package", async () => {
  expect(version).toBe((await Bun.file(join(import.meta.dir, "..", "..", "package.json")).json()).version);
});
