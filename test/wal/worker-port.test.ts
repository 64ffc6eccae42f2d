/** The worker on a real folder: the same log as on a disk in memory. */
import { describe, expect, test } from "bun:test";
import fs from "node:fs";
import { join } from "node:path";
import { DiskError, systemDisk } from "../../src/lib/disk/disk.ts";
import { LogFailure } from "../../src/wal/log.ts";
import { WorkerDied } from "../../src/lib/threads/worker.ts";
import { LogWorkerPort, type LogPort } from "../../src/wal/worker-port.ts";
import { useFolder } from "../support/folder.ts";
import { localLogPort } from "../support/local-ports.ts";
import { numbered, numberedFrom, openLog, replayAll } from "../support/log-folder.ts";
import { testWith } from "../support/needs.ts";

const top = useFolder();

const ports: readonly (readonly [name: string, open: () => LogPort])[] = [
  ["the worker's port", () => new LogWorkerPort()],
  ["the local port", () => localLogPort(systemDisk)],
];

describe.each(ports)("%s", (name, open) => {
  let count = 0;
  function freshDirectory(): string {
    const directory = join(top, name, String(++count), "wal");
    systemDisk.makeDirectory(directory);
    return directory;
  }

  test("keeps a log with rotations over two lives", async () => {
    const directory = freshDirectory();
    for (let life = 0; life < 2; life++) {
      const { position } = replayAll(systemDisk, { directory });
      const { log } = openLog(systemDisk, { position, directory, port: open() });
      const first = numberedFrom(life * 200, 100).map((record) => log.append(record));
      const rotated = log.rotate();
      const second = numberedFrom(life * 200 + 100, 100).map((record) => log.append(record));
      await rotated;
      await Promise.all([...first, ...second]);
      expect(log.freeBytes).toBeWithin(1, Number.MAX_SAFE_INTEGER);
      await log.close();
    }
    const { read, repairs } = replayAll(systemDisk, { directory });
    expect(read).toEqual(numberedFrom(0, 400));
    expect(repairs).toEqual([]);
    expect(fs.readdirSync(directory)).toHaveLength(4);
  });

  test("a failure comes as the DiskError that it was, and the next batch is tried anew", async () => {
    const directory = freshDirectory();
    fs.rmSync(directory, { recursive: true });
    const { log } = openLog(systemDisk, { directory, port: open() });
    const error = await log.append(numbered(1)).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(LogFailure);
    const cause = (error as LogFailure).cause;
    expect(cause).toBeInstanceOf(DiskError);
    expect(cause).toMatchObject({ operation: "create", path: join(directory, "unfinished"), code: "ENOENT" });
    systemDisk.makeDirectory(directory);
    expect(await log.append(numbered(1))).toBe(1);
    await log.close();
    expect(replayAll(systemDisk, { directory }).read).toEqual([numbered(1)]);
  });

  test("an unused port closes", async () => {
    await open().close();
  });
});

describe("a worker that dies", () => {
  test("fails the batch that it had, and the log goes on in a new segment with another worker", async () => {
    const directory = join(top, "dying");
    systemDisk.makeDirectory(directory);
    const port = new LogWorkerPort();
    // Bytes for a segment that was not started are a bug, and a bug ends the worker.
    const bug = { segment: join(directory, "x"), starts: false, bytes: new Uint8Array(8) };
    const { failure } = await port.write(bug);
    expect(failure).toBeInstanceOf(WorkerDied);
    expect(failure?.message).toContain("a batch needs a segment that has not failed");
    const { log } = openLog(systemDisk, { directory, port });
    await log.append(numbered(1));
    expect((await port.write({ ...bug, bytes: new Uint8Array(8) })).failure).toBeNull();
    await log.close();
    expect(replayAll(systemDisk, { directory })).toMatchObject({
      read: [numbered(1)],
      repairs: [{ bytes: 8 }],
    });
  });

  test("while records wait: they reach the disk in a new segment", async () => {
    const directory = join(top, "waiting");
    systemDisk.makeDirectory(directory);
    const inner = new LogWorkerPort();
    const requests: boolean[] = [];
    const port: LogPort = {
      write: (request) => {
        requests.push(request.starts);
        const broken = requests.length === 2;
        return broken ? dieWith(inner, directory) : inner.write(request);
      },
      close: () => inner.close(),
    };
    const { log } = openLog(systemDisk, { directory, port });
    await log.append(numbered(1));
    const lost = log.append(numbered(2)).catch((error: unknown) => error);
    await new Promise((resolve) => setImmediate(resolve));
    const waiting = log.append(numbered(3));
    expect(((await lost) as LogFailure).cause).toBeInstanceOf(WorkerDied);
    expect(await waiting).toBe(2);
    await log.close();
    expect(requests).toEqual([true, false, true]);
    expect(replayAll(systemDisk, { directory }).read).toEqual([numbered(1), numbered(3)]);
  });
});

/** Ends the worker with a request that no sound log makes: a start, then a batch after its failure. */
async function dieWith(port: LogPort, directory: string) {
  const segment = join(directory, "missing", "x");
  await port.write({ segment, starts: true, bytes: new Uint8Array(8) });
  return port.write({ segment, starts: false, bytes: new Uint8Array(8) });
}

testWith(
  "linux",
  "the worker starts with its port, before connections can take all descriptors",
  async () => {
    const port = join(import.meta.dir, "..", "..", "src", "wal", "worker-port.ts");
    const program = join(top, "start.ts");
    await Bun.write(
      program,
      `import fs from "node:fs";
      import { LogWorkerPort } from ${JSON.stringify(port)};
      // A thread may end while the list is read, and a new one has the name of the one that made it for a moment.
      const nameOf = (id) => { try { return fs.readFileSync(\`/proc/self/task/\${id}/comm\`, "utf8"); } catch {} };
      const hasWorker = () => fs.readdirSync("/proc/self/task").some((id) => nameOf(id) === "Worker\\n");
      console.log(hasWorker());
      const port = new LogWorkerPort();
      while (!hasWorker()) await Bun.sleep(10);
      console.log(hasWorker());
      await port.close();`,
    );
    const child = Bun.spawnSync([process.execPath, program], { timeout: 120_000 });
    expect([child.stdout.toString(), child.stderr.toString()]).toEqual(["false\ntrue\n", ""]);
  },
);
