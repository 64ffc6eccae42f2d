/** The version of this build: that of the package, and the git commit. */
import { join } from "node:path";
import packageFile from "../../package.json" with { type: "json" };

/** build.ts defines it; it does not exist when run from source. */
declare const FOOTFALL_BUILD_COMMIT: string | undefined;

export const version: string = packageFile.version;

export const isBuilt = typeof FOOTFALL_BUILD_COMMIT === "string";

/** Returns the commit of the build; when run from source that of the checkout, and `development` outside of one. */
export function buildCommit(): string {
  return typeof FOOTFALL_BUILD_COMMIT === "string"
    ? FOOTFALL_BUILD_COMMIT
    : checkoutCommit(join(import.meta.dir, "..", ".."));
}

/**
 * Returns the commit of the git checkout whose top is `folder`; `development` if it is no checkout, has no commit, or
 * git is missing.
 */
export function checkoutCommit(folder: string): string {
  try {
    const command = ["git", "rev-parse", "--show-prefix", "HEAD"];
    const { success, stdout } = Bun.spawnSync(command, { cwd: folder, stderr: "ignore" });
    const [prefix, commit] = stdout.toString().split("\n");
    // A prefix means that the folder is a copy of the source inside another checkout.
    return success && prefix === "" && commit ? commit : "development";
  } catch {
    return "development";
  }
}
