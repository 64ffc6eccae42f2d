/** The kernel's cache of files in memory: drops it, and measures how long reading takes without it. */
import { readFileSync, writeFileSync } from "node:fs";

export type Dropped = "the page cache" | "the pages of its files" | "nothing";

/** Drops all of it as root; else that of `files`, where that is possible. Returns what was dropped. */
export function dropPageCache(files: readonly string[]): Dropped {
  Bun.spawnSync(["sync"]);
  try {
    writeFileSync("/proc/sys/vm/drop_caches", "3\n");
    return "the page cache";
  } catch {
    return dropFiles(files);
  }
}

/** Drops the pages of files by `dd`, which changes nothing of them; no process may have a mapping of one. */
export function dropFiles(files: readonly string[]): Dropped {
  const drop = (file: string) =>
    Bun.spawnSync(["dd", `of=${file}`, "oflag=nocache", "conv=notrunc,fdatasync", "count=0"], {
      stderr: "ignore",
    }).success;
  return files.every(drop) ? "the pages of its files" : "nothing";
}

/** Milliseconds that `dd` needs to read `files` one after the other. */
export function readMs(files: readonly string[]): number {
  const startMs = performance.now();
  const { stderr } = Bun.spawnSync(["sh", "-c", "xargs -0 cat | dd of=/dev/null bs=1M"], {
    stdin: Buffer.from(files.join("\0")),
    env: { ...process.env, LC_ALL: "C" },
    stderr: "pipe",
  });
  const ms = performance.now() - startMs;
  const bytes = files.reduce((sum, file) => sum + Bun.file(file).size, 0);
  if (!new RegExp(`^${bytes} bytes`, "m").test(stderr.toString()))
    throw new Error(`dd could not read ${bytes} bytes: ${stderr}`);
  return ms;
}

/** Bytes that a process has had fetched from the disk since its start, also by touching mapped files. */
export function diskBytesOf(pid: number): number {
  const [, bytes] = /^read_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, "utf8")) ?? [];
  if (bytes === undefined) throw new Error(`/proc/${pid}/io has no read_bytes`);
  return Number(bytes);
}
