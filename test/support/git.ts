/** Runs git for tests. */

/** Runs git in the folder, as an author of its own, and returns what it printed. Throws what it said if it fails. */
export function git(folder: string, ...args: string[]): string {
  const identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
  const { success, stdout, stderr } = Bun.spawnSync(["git", ...identity, ...args], { cwd: folder });
  if (!success) throw new Error(stderr.toString());
  return stdout.toString().trim();
}
