/**
 * Explains how the program ends when it fails: an error that its user can fix is one line and exit code 2; anything
 * else is a bug and keeps its stack trace.
 */
import { advice, FolderRefused } from "../engine/refused.ts";
import { Refusal, shown } from "../core/refusal.ts";
import { DiskError } from "../lib/disk/disk.ts";
import { NoLibc } from "../lib/disk/libc.ts";
import { SnapshotDamage } from "../snapshot/section.ts";
import { LogDamage } from "../wal/damage.ts";

export const explainedExitCode = 2;

const explained = [Refusal, DiskError, FolderRefused, LogDamage, NoLibc];

/**
 * Returns the line for an error that explains itself; undefined for a bug. A refusal that comes from the disk says what the disk
 * said: of a server that runs the log has it, and the refusal comes without.
 */
export function explain(error: unknown): string | undefined {
  // A command that reads a folder without a server finds the damage of finished rows as late as a server does.
  if (error instanceof SnapshotDamage) return `footfall: ${error.message}: ${advice.folder}`;
  if (!explained.some((kind) => error instanceof kind)) return undefined;
  const { message, cause } = error as Error;
  const behind = error instanceof Refusal ? explain(cause) : undefined;
  return behind ?? `footfall: ${message.replace(/\s*\n\s*/g, " ")}`;
}

const listenHints: Readonly<Record<string, string>> = {
  EADDRINUSE: "the port is taken: stop what uses it, or choose another with --port or FOOTFALL_PORT",
  EACCES: "ports under 1024 need a permission: choose another with --port or FOOTFALL_PORT",
  EINVAL: "this is no address: choose one of this machine with --host or FOOTFALL_HOST",
  EADDRNOTAVAIL: "this machine does not have the address: choose one with --host or FOOTFALL_HOST",
};

/** Returns a Refusal for the error that Bun throws if it cannot listen; a bug is returned as it is. */
export function listenRefusal(error: unknown, host: string, port: number): unknown {
  const { code } = error as { code?: unknown };
  if (typeof code !== "string") return error;
  // A name that cannot be looked up has any code, also one that was left over from another call.
  const hint =
    listenHints[code] ?? "the system refused: choose an address of this machine with --host or FOOTFALL_HOST";
  return new Refusal(500, `cannot listen on port ${port} of ${shown(host)}: ${hint} (${code})`);
}
