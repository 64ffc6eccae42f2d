/**
 * The servers that a measurement starts: the executable of this checkout and, in turn with it, that of another. Each
 * has a data folder as a server leaves it: rows that went through checkpoints, everything made that a server makes in
 * the background, and then a stop.
 */
import { cpSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { withFolder } from "../test/support/folder.ts";
import { ServerProcess } from "../test/support/server.ts";
import { answered, hostname } from "./folder.ts";
import { build } from "./idle.ts";
import { untilAtRest } from "./memory.ts";
import { wayOf, type WayToAsk } from "./page-questions.ts";
import { withPageViews } from "./scale-folder.ts";

export interface BuildOptions {
  readonly rows: number;
  /** The folder that keeps the data folders of this checkout; undefined: they are not kept. */
  readonly kept: string | undefined;
  /** Undefined: this checkout alone. */
  readonly versus: Versus | undefined;
  /** For so long at most a server may work in the background before it is measured; an hour by default. */
  readonly patienceMs?: number;
  /** Settings of the servers; by default those of `environmentOf`. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Starts the server of this checkout; undefined: its executable, which is built for this time. */
  readonly command?: readonly string[];
}

export interface Versus {
  /** The top folder of another checkout, or an executable. */
  readonly path: string;
  /** The folder that keeps its data folders; undefined: they are not kept. */
  readonly kept: string | undefined;
}

export interface Build {
  /** Heads its columns: `this`, or the commit of the other. */
  readonly name: string;
  readonly command: readonly string[];
  readonly folder: string;
  /** A session of the account that owns the website. */
  readonly cookie: string;
  readonly environment: Readonly<Record<string, string>>;
  /** How it is asked for all that a page shows. */
  readonly way: WayToAsk;
}

/** With so many page views the server has less memory than they have in files. */
export const rowsOfSmallMemory = 100_000_000;
export const smallMemory = { FOOTFALL_MEMORY: "1GiB" } as const;

/** Returns the environment with which a measurement of the dashboard starts a server of `rows` page views. */
export function environmentOf(rows: number): Readonly<Record<string, string>> {
  return rows >= rowsOfSmallMemory ? smallMemory : {};
}

/** Calls `use` with one build, or with two that are to be measured in turn. */
export function withBuilds<T>(
  options: BuildOptions,
  use: (builds: readonly Build[]) => Promise<T>,
): Promise<T> {
  const { rows, kept, versus } = options;
  return withFolder((temporary) =>
    withPageViews(kept, rows, async (folder) => {
      const own = options.command ?? [build(join(temporary, "this"))];
      if (versus === undefined) return use([await prepared("this", own, folder, options)]);
      return withOther(versus, rows, folder, temporary, async (command, others) =>
        use([
          await prepared("this", own, folder, options),
          await prepared(commitOf(command, others), command, others, options),
        ]),
      );
    }),
  );
}

/** Only a checkout can make data folders of its format: an executable without one gets a copy of `folder`. */
function withOther<T>(
  { path, kept }: Versus,
  rows: number,
  folder: string,
  temporary: string,
  use: (command: readonly string[], folder: string) => Promise<T>,
): Promise<T> {
  const checkout = statSync(path).isDirectory();
  const command = [checkout ? build(join(temporary, "other"), path) : path];
  if (checkout) return withPageViews(kept, rows, (others) => use(command, others), path);
  if (kept !== undefined) return withPageViews(kept, rows, (others) => use(command, others));
  const copy = join(temporary, "folder");
  mkdirSync(copy);
  cpSync(folder, copy, { recursive: true });
  return use(command, copy);
}

/** Its first seven digits, as the program states it. */
function commitOf(command: readonly string[], folder: string): string {
  const { stdout } = Bun.spawnSync([...command, "--version"], { cwd: folder, stderr: "ignore" });
  return /\b([0-9a-f]{7})[0-9a-f]{33}\b/.exec(stdout.toString())?.[1] ?? "other";
}

const patienceMsDefault = 3_600_000;

/** Waits until the server has made what it makes in the background, and ends it. */
async function prepared(
  name: string,
  command: readonly string[],
  folder: string,
  { rows, patienceMs = patienceMsDefault, environment = environmentOf(rows) }: BuildOptions,
): Promise<Build> {
  const server = await ServerProcess.start(command, folder, [], environment);
  return withSession(server, rows, async (cookie) => {
    // The session's first question has the server begin with what it makes in the background.
    await untilAtRest(server.pid, patienceMs);
    const way = await wayOf(server);
    await untilAtRest(server.pid, patienceMs);
    return { name, command, folder, cookie, environment, way };
  });
}

/** Calls `use` with the cookie of a session at a server that has so many page views. Ends the server afterwards. */
export async function withSession<T>(
  server: ServerProcess,
  rows: number,
  use: (cookie: string) => T | Promise<T>,
): Promise<T> {
  try {
    await server.logIn();
    const pageviews = await pageViewsOf(server);
    if (pageviews !== rows) throw new Error(`the server has ${pageviews} of ${rows} page views`);
    return await use(server.cookie);
  } finally {
    await server.end("SIGTERM");
  }
}

/** While the facts of a hundred million page views are made, their sum may take longer than a question may. */
const askedAtMost = 20;

async function pageViewsOf(server: ServerProcess): Promise<number> {
  for (let asked = 1; ; asked++) {
    const answer = await server.get(`/website/${hostname}/summary`);
    const text = await answer.text();
    if (answer.status === 200)
      return (JSON.parse(text) as { current: { pageviews: number } }).current.pageviews;
    if (asked === askedAtMost)
      throw new Error(`the summary of ${hostname} answered ${answer.status}: ${text}`);
    await Bun.sleep(1_000 * Number(answer.headers.get("retry-after") ?? 1));
  }
}

/**
 * Starts each build `starts` times, in turn, and another one first each time. `healthMs`: from the start of the process
 * to its first answer.
 */
export async function startsInTurn(
  builds: readonly Build[],
  starts: number,
  use: (server: ServerProcess, build: Build, healthMs: number) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < starts; start++)
    for (const build of start % 2 === 0 ? builds : builds.toReversed())
      await withStarted(build, (server, healthMs) => use(server, build, healthMs));
}

/** Calls `use` with a server of that build, and ends it. */
export async function withStarted<T>(
  { command, folder, environment, cookie }: Build,
  use: (server: ServerProcess, healthMs: number) => Promise<T>,
): Promise<T> {
  const startMs = performance.now();
  const server = await ServerProcess.start(command, folder, [], environment);
  server.cookie = cookie;
  try {
    await answered(server, "/healthz");
    return await use(server, performance.now() - startMs);
  } finally {
    await server.end("SIGTERM");
  }
}
