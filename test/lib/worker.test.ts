import { afterAll, describe, expect, test } from "bun:test";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startWorker } from "../../src/lib/worker.ts";

const top = fs.mkdtempSync(join(tmpdir(), "footfall-worker-"));
afterAll(() => fs.rmSync(top, { recursive: true }));

describe("startWorker", () => {
  test("finds a worker by its path in src", async () => {
    const worker = startWorker("wal/worker.ts");
    const code = new Promise((resolve) => worker.addEventListener("close", ({ code }) => resolve(code)));
    worker.postMessage(null);
    expect(await code).toBe(0);
  });

  test("finds it in an executable too, where all modules are one file", async () => {
    const source = join(import.meta.dir, "..", "..", "src");
    for (const folder of ["lib", "part"]) fs.mkdirSync(join(top, "src", folder), { recursive: true });
    fs.copyFileSync(join(source, "lib", "worker.ts"), join(top, "src", "lib", "worker.ts"));
    fs.writeFileSync(join(top, "src", "part", "worker.ts"), `postMessage("from the worker");`);
    fs.writeFileSync(
      join(top, "src", "main.ts"),
      `import { startWorker } from "./lib/worker.ts";
       const worker = startWorker("part/worker.ts");
       worker.onmessage = ({ data }) => { console.log(data); process.exit(0); };`,
    );
    const entries = ["src/main.ts", "src/part/worker.ts"];
    const build = ["build", "--compile", "--bytecode", "--format=esm", ...entries, "--outfile", "program"];
    const built = Bun.spawnSync([process.execPath, ...build], { cwd: top });
    expect(built.stderr.toString()).not.toContain("error");
    const ran = Bun.spawnSync([join(top, "program")], { cwd: "/", timeout: 10_000 });
    expect(ran.stdout.toString()).toBe("from the worker\n");
  });
});
