/**
 * Some tests need things that not every machine has, or time, which `npm test` does not have. They are skipped if these
 * are missing, and have a mark in their names, by which the run counts them (test/run.ts).
 */
import { describe, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { natsPath, natsVersion } from "./nats.ts";
import { join } from "node:path";
import { chromiumPath } from "./chromium.ts";
import { hasPostgres } from "./postgres.ts";
import { proxies } from "./proxies.ts";
import { isWhole } from "./rounds.ts";

const root = join(import.meta.dir, "..", "..");

/** Three days of semicomplete.com. */
export const realLogPath = join(root, "..", "shared", "data", "semicomplete-2015-05.access.log");

interface Need {
  /** And where to get it. */
  readonly name: string;
  readonly there: boolean;
}

/** Linux says it among the capabilities of the process. Who has it may mount, and make namespaces. */
const systemCapability = 1n << 21n;

function isSystem(): boolean {
  if (process.platform !== "linux") return false;
  const [, capabilities = "0"] = /^CapEff:\s*(\w+)/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return (BigInt(`0x${capabilities}`) & systemCapability) !== 0n;
}

function hasCompose(): boolean {
  return Bun.which("docker") !== null && Bun.spawnSync(["docker", "compose", "version"]).success;
}

const needs = {
  chromium: { name: "chromium (apt-get install chromium)", there: chromiumPath !== undefined },
  log: { name: "the log in ../shared/data", there: existsSync(realLogPath) },
  duckdb: {
    name: "DuckDB (the first `npm run bench` installs it)",
    there: existsSync(join(root, "bench", "node_modules")),
  },
  clone: {
    name: "git, and a clone of the project",
    there: Bun.which("git") !== null && existsSync(join(root, ".git")),
  },
  curl: { name: "curl", there: Bun.which("curl") !== null },
  openssl: { name: "openssl", there: Bun.which("openssl") !== null },
  jq: { name: "jq (apt-get install jq)", there: Bun.which("jq") !== null },
  xz: { name: "xz (apt-get install xz-utils)", there: Bun.which("xz") !== null },
  unzip: {
    name: "unzip and python3",
    there: Bun.which("unzip") !== null && Bun.which("python3") !== null,
  },
  nats: {
    name: `nats-server (go install github.com/nats-io/nats-server/v2@${natsVersion})`,
    there: natsPath !== undefined,
  },
  mount: { name: "root that may mount, and mkfs.ext4", there: isSystem() && Bun.which("mkfs.ext4") !== null },
  root: { name: "root", there: process.geteuid?.() === 0 },
  networks: { name: "root that may make networks, and ip", there: isSystem() && Bun.which("ip") !== null },
  postgres: { name: "PostgreSQL (apt-get install postgresql)", there: hasPostgres },
  systemd: {
    name: "systemd-analyze (apt-get install systemd)",
    there: Bun.which("systemd-analyze") !== null,
  },
  caddy: { name: "caddy (apt-get install caddy)", there: proxies.caddy.program !== null },
  nginx: { name: "nginx (apt-get install nginx)", there: proxies.nginx.program !== null },
  apache: { name: "apache2 (apt-get install apache2)", there: proxies.apache.program !== null },
  traefik: { name: "Traefik 3 (FOOTFALL_TRAEFIK names it)", there: proxies.traefik.program !== null },
  compose: { name: "docker with compose", there: hasCompose() },
  time: { name: "time (npm test -- --all)", there: isWhole },
  linux: { name: "Linux", there: process.platform === "linux" },
} as const satisfies Readonly<Record<string, Need>>;

export type NeedName = keyof typeof needs;

export function isThere(need: NeedName): boolean {
  return needs[need].there;
}

/** The name of a test or of a group of them: with a mark where it is left out. */
export function nameWith(need: NeedName, name: string): string {
  return isThere(need) ? name : `${name} [needs ${need}]`;
}

/** A test that is left out where this is missing. */
export function testWith(need: NeedName, name: string, run: () => void | Promise<unknown>): void {
  test.skipIf(!isThere(need))(nameWith(need, name), run);
}

/** A group of tests that is left out where this is missing. */
export function describeWith(need: NeedName, name: string, run: () => void): void {
  describe.skipIf(!isThere(need))(nameWith(need, name), run);
}

const mark = new RegExp(String.raw`\[needs (${Object.keys(needs).join("|")})\]`);

/** Finds the need that a test's whole name bears. */
function needIn(text: string): NeedName | undefined {
  return mark.exec(text)?.[1] as NeedName | undefined;
}

/** Bun counts each hook of a group that is skipped as a test that was, by this name (oven-sh/bun#35502). */
const hookName = "(unnamed)";
/** How the line of one ends: on a busy machine it has the time that it took. */
const hookEnd = / > \(unnamed\)( \[[\d.]+ ?m?s\])?$/;

/** One line about all tests that a report in JUnit's format says were skipped; undefined where none was. */
export function leftOutLine(report: string): string | undefined {
  const counts = new Map<NeedName | undefined, number>();
  for (const [, testcase = ""] of report.matchAll(/<testcase ([^>]*)>\s*<skipped/g)) {
    if (testcase.startsWith(`name="${hookName}"`)) continue;
    const need = needIn(testcase);
    counts.set(need, (counts.get(need) ?? 0) + 1);
  }
  if (counts.size === 0) return undefined;
  const parts = [...counts].map(([need, count]) =>
    need === undefined
      ? `${testCount(count)} skipped by the source`
      : `${testCount(count)} for want of ${needs[need].name}`,
  );
  return `left out: ${parts.join("; ")}`;
}

/**
 * Passes on the lines of `bun test` but for those about skipped tests, and headings of files with nothing below them. The
 * last one counts tests only, and no hooks.
 */
export class WithoutSkipped {
  private held: string[] = [];
  private hooks = 0;
  private isSummary = false;

  /** Returns what is to be printed once this line has come. */
  next(line: string): readonly string[] {
    const text = Bun.stripANSI(line);
    // The summary repeats the lines of skipped tests.
    if (/^\d+ tests? skipped:$/.test(text)) this.isSummary = true;
    if (!this.isSummary && text.startsWith("(skip) ") && hookEnd.test(text)) this.hooks++;
    if (/^\(skip\) |^ *\d+ skip$|^\d+ tests? skipped:$/.test(text)) return [];
    if (text === "") this.held = [line];
    else if (/^\S+\.test\.ts:$/.test(text)) this.held.push(line);
    else return [...this.held.splice(0), this.withoutHooks(line)];
    return [];
  }

  private withoutHooks(line: string): string {
    return line.replace(/^Ran (\d+) tests?/, (_, count) => `Ran ${testCount(Number(count) - this.hooks)}`);
  }
}

function testCount(count: number): string {
  return `${count} ${count === 1 ? "test" : "tests"}`;
}
