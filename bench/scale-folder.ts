/**
 * Data folders of many page views. They take minutes to make, so they may be kept and used again: `1M`, `10M`, … in one
 * folder, each with a note that describes its content. A folder that has no such note, or is incomplete, is refused and
 * left as it is.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { withFolder } from "../test/support/folder.ts";
import { fillFolder } from "./folder.ts";

const note = "bench.json";
const fillTimeoutMs = 3_600_000;

/** The top folder of the project that this file belongs to. */
export const thisCheckout = dirname(import.meta.dir);

/**
 * Calls `use` with a folder in which a server finds `rows` page views of one website: one of `kept`, made if it is not
 * there; or where nothing is kept, one for this time. It is made by the program of `checkout`, in its format.
 */
export function withPageViews<T>(
  kept: string | undefined,
  rows: number,
  use: (folder: string) => Promise<T>,
  checkout = thisCheckout,
): Promise<T> {
  if (kept === undefined) return withFolder((folder) => made(folder, rows, checkout).then(() => use(folder)));
  const folder = join(kept, sizeName(rows));
  return ensure(folder, rows, checkout).then(() => use(folder));
}

/** `100M`, `2500k`, `123`. */
export function sizeName(rows: number): string {
  if (rows % 1e6 === 0) return `${rows / 1e6}M`;
  return rows % 1e3 === 0 ? `${rows / 1e3}k` : String(rows);
}

async function ensure(folder: string, rows: number, checkout: string): Promise<void> {
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true });
    return made(folder, rows, checkout);
  }
  const file = join(folder, note);
  const { pageViews } = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  if (pageViews !== rows)
    throw new Error(`${folder} is no whole folder of ${rows} page views: remove it, or choose another`);
}

/** In another process, which may use memory as it likes. */
async function made(folder: string, rows: number, checkout: string): Promise<void> {
  const program = join(checkout, "bench", "scale-folder.ts");
  const child = Bun.spawn([process.execPath, program, join(folder, "snapshots"), String(rows)], {
    cwd: checkout,
    stdio: ["ignore", "ignore", "inherit"],
    timeout: fillTimeoutMs,
  });
  if ((await child.exited) !== 0) throw new Error(`${folder} could not be filled`);
  writeFileSync(join(folder, note), `${JSON.stringify({ pageViews: rows })}\n`);
}

if (import.meta.main) {
  const [folder, rows] = process.argv.slice(2) as [string, string];
  await fillFolder(folder, 1, Number(rows));
  process.exit(0);
}
