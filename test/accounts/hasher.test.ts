import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { HashingWorker, sharedThreads } from "../../src/accounts/login/hasher.ts";

const hasherPath = JSON.stringify(join(import.meta.dir, "../../src/accounts/login/hasher.ts"));
const worker = new HashingWorker();
afterEach(() => worker.close());

test("a Worker's hashes are those of the shared threads", async () => {
  const own = await worker.hash("correct horse");
  const shared = await sharedThreads.hash("correct horse");
  const form = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{43}\$[\w+/]{43}$/;
  expect(own).toMatch(form);
  expect(shared).toMatch(form);
  expect(own).not.toBe(shared);
  for (const hash of [own, shared])
    for (const hasher of [worker, sharedThreads]) {
      expect(await hasher.verify("correct horse", hash)).toBe(true);
      expect(await hasher.verify("correct horsE", hash)).toBe(false);
    }
});

test.if(process.platform === "linux")("a Worker goes last, and the thread that takes hits does not", () => {
  // In a process of its own: other tests have Workers too. The runtime's helpers have the priority of who needed them first.
  const program = `
    import { readdirSync, readFileSync } from "node:fs";
    import { HashingWorker } from ${hasherPath};
    // A thread may end while the list is read, and a new one has the name of the one that made it for a moment.
    const of = (id, file) => { try { return readFileSync("/proc/self/task/" + id + "/" + file, "utf8"); } catch { return ""; } };
    // The nice value, by proc_pid_stat(5).
    const niceOf = (id) => Number(of(id, "stat").replace(/^.*[)] /s, "").split(" ")[16]);
    const before = niceOf(process.pid);
    await new HashingWorker().hash("correct horse");
    const workers = readdirSync("/proc/self/task").filter((id) => of(id, "comm") === "Worker\\n");
    console.log(niceOf(process.pid) - before, workers.map(niceOf).includes(Math.max(before, 10)));
    process.exit();`;
  // The second process is nicer than a Worker, which may not and need not have its priority raised.
  for (const first of [[], ["nice", "-n", "15"]]) {
    const { stdout, stderr } = Bun.spawnSync([...first, process.execPath, "--eval", program]);
    expect([stdout.toString(), stderr.toString()]).toEqual(["0 true\n", ""]);
  }
});

test("a Worker that ends fails what was under way, and the next password has a new one", async () => {
  const hash = await worker.hash("correct horse");
  const verified = worker.verify("correct horse", hash);
  worker.close();
  expect(verified).rejects.toThrow("the thread that hashes passwords was closed");
  await verified.catch(() => {});
  expect(await worker.verify("correct horse", hash)).toBe(true);
});

test("what is no hash fails, and the next password is checked", async () => {
  expect(worker.verify("correct horse", "no hash")).rejects.toThrow();
  await worker.verify("correct horse", "no hash").catch(() => {});
  expect(await worker.verify("correct horse", await sharedThreads.hash("correct horse"))).toBe(true);
});

test.if(process.platform === "linux")("without descriptors for a Worker, the shared threads hash", () => {
  const program = `
    import fs from "node:fs";
    import { HashingWorker } from ${hasherPath};
    const worker = new HashingWorker();
    try { for (;;) fs.openSync("/dev/null", "r"); } catch {}
    const hash = await worker.hash("correct horse");
    console.log(await worker.verify("correct horse", hash), await worker.verify("correct horsE", hash));`;
  const script = `ulimit -n 200; exec "${process.execPath}" --eval "$PROGRAM"`;
  const { stdout, stderr } = Bun.spawnSync(["sh", "-c", script], {
    env: { ...process.env, PROGRAM: program },
  });
  expect([stdout.toString(), stderr.toString()]).toEqual(["true false\n", ""]);
});
