import { describe, expect, test } from "bun:test";
import fs from "node:fs";
import { join } from "node:path";
import { startWorker } from "../../src/lib/threads/worker.ts";
import { useFolder } from "../support/folder.ts";

const top = useFolder();

describe("startWorker", () => {
  test("throws where no more files can be opened, and the process lives on", () => {
    const program = `
      import fs from "node:fs";
      import { startWorker } from ${JSON.stringify(join(import.meta.dir, "../../src/lib/threads/worker.ts"))};
      const taken = [];
      const take = () => { try { for (;;) taken.push(fs.openSync("/dev/null", "r")); } catch {} };
      for (const free of [0, 1, 5, 20, 31]) {
        take();
        for (const file of taken.splice(0, free)) fs.closeSync(file);
        try { startWorker("wal/worker.ts", () => {}, () => {}); } catch (error) { console.log(error.name, error.code); }
        await Bun.sleep(5);
      }
      take();
      for (const file of taken.splice(0, 33)) fs.closeSync(file);
      const worker = startWorker("wal/worker.ts", () => {}, () => console.log("started and ended"));
      worker.postMessage(null);`;
    fs.writeFileSync(join(top, "take.ts"), program);
    const script = `ulimit -n 200; exec "${process.execPath}" "${join(top, "take.ts")}"`;
    const { stdout, stderr } = Bun.spawnSync(["sh", "-c", script], { timeout: 120_000 });
    expect(stderr.toString()).toBe("");
    expect(stdout.toString()).toBe("DiskError EMFILE\n".repeat(5) + "started and ended\n");
  });

  test("finds a worker by its path in src", async () => {
    const worker = startWorker(
      "wal/worker.ts",
      () => {},
      () => {},
    );
    const code = new Promise((resolve) => worker.addEventListener("close", ({ code }) => resolve(code)));
    worker.postMessage(null);
    expect(await code).toBe(0);
  });

  test("says once how it ended: with an error, or without one", async () => {
    const endOf = async (request: unknown) => {
      const ends: string[] = [];
      const { promise, resolve } = Promise.withResolvers<void>();
      const onEnd = (how: string) => {
        ends.push(how);
        resolve();
      };
      startWorker("wal/worker.ts", () => {}, onEnd).postMessage(request);
      await promise;
      await Bun.sleep(20);
      return ends;
    };
    expect(await endOf(null)).toEqual(["ended unexpectedly"]);
    expect(await endOf({})).toEqual([expect.stringMatching(/^failed: [^]*segment/)]);
  });

  test("finds it in an executable too, where all modules are one file", async () => {
    const source = join(import.meta.dir, "..", "..", "src");
    fs.mkdirSync(join(top, "src", "part"), { recursive: true });
    fs.cpSync(join(source, "lib"), join(top, "src", "lib"), { recursive: true });
    fs.writeFileSync(join(top, "src", "part", "worker.ts"), `postMessage("from the worker");`);
    fs.writeFileSync(
      join(top, "src", "main.ts"),
      `import { startWorker } from "./lib/threads/worker.ts";
       startWorker("part/worker.ts", (data) => { console.log(data); process.exit(0); }, () => {});`,
    );
    const entries = ["src/main.ts", "src/part/worker.ts"];
    const build = ["build", "--compile", "--bytecode", "--format=esm", ...entries, "--outfile", "program"];
    const built = Bun.spawnSync([process.execPath, ...build], { cwd: top });
    expect(built.stderr.toString()).not.toContain("error");
    const ran = Bun.spawnSync([join(top, "program")], { cwd: "/", timeout: 120_000 });
    expect(ran.stdout.toString()).toBe("from the worker\n");
  });
});
