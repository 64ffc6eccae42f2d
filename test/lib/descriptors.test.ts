import { expect, test } from "bun:test";
import { join } from "node:path";
import { withFolder } from "../support/folder.ts";
import { isThere, nameWith, testWith } from "../support/needs.ts";

const lib = join(import.meta.dir, "..", "..", "src", "lib", "disk");

testWith("linux", "files are opened where connections have taken all descriptors that they may", async () => {
  await withFolder(async (folder) => {
    const program = `
        import fs from "node:fs";
        import { reserveDescriptors } from ${JSON.stringify(join(lib, "descriptors.ts"))};
        import { systemDisk } from ${JSON.stringify(join(lib, "disk.ts"))};
        reserveDescriptors();
        const taken = [];
        const take = () => { try { for (;;) taken.push(fs.openSync("/dev/null", "r")); } catch (error) { return error.code; } };
        console.log(take(), taken.length > 100 && taken.length <= 176);
        const files = ["a", "b", "c"].map((name) => systemDisk.create(name));
        for (const file of files) systemDisk.write(file, Buffer.from("text"));
        console.log(Buffer.from(systemDisk.read("a")).toString(), systemDisk.map("b").length, systemDisk.list(".").length);
        systemDisk.syncDirectory(".");
        console.log(take());
        for (const file of files) systemDisk.close(file);
        let more = 0;
        try { for (;; more++) systemDisk.create("more-" + more); } catch (error) { console.log(error.name, error.code, more > 10); }`;
    await Bun.write(join(folder, "take.ts"), program);
    const script = `ulimit -n 200; exec "${process.execPath}" take.ts`;
    const { stdout, stderr } = Bun.spawnSync(["sh", "-c", script], { cwd: folder, timeout: 120_000 });
    expect(stderr.toString()).toBe("");
    expect(stdout.toString()).toBe("EMFILE true\ntext 4 4\nEMFILE\nDiskError EMFILE true\n");
  });
});

test.skipIf(!isThere("linux"))(
  nameWith(
    "linux",
    "connections have as many as they may have, also after a thread opened a file beyond that",
  ),
  async () => {
    await withFolder(async (folder) => {
      const program = `
        import fs from "node:fs";
        import { Worker, isMainThread, parentPort } from "node:worker_threads";
        import { reserveDescriptors } from ${JSON.stringify(join(lib, "descriptors.ts"))};
        import { systemDisk } from ${JSON.stringify(join(lib, "disk.ts"))};
        const taken = [];
        const take = () => { try { for (;;) taken.push(fs.openSync("/dev/null", "r")); } catch (error) { return error.code; } };
        if (isMainThread) {
          const worker = new Worker(import.meta.path);
          await new Promise((resolve) => worker.once("message", resolve));
          reserveDescriptors(100);
          console.log(take(), taken.length < 100);
          worker.postMessage("create");
          console.log(await new Promise((resolve) => worker.once("message", resolve)));
          console.log(take(), taken.length < 100);
          process.exit();
        } else {
          parentPort.on("message", () => {
            systemDisk.close(systemDisk.create("file"));
            parentPort.postMessage("created");
          });
          parentPort.postMessage("ready");
        }`;
      await Bun.write(join(folder, "take.ts"), program);
      const script = `ulimit -n 200; exec "${process.execPath}" take.ts`;
      const { stdout, stderr } = Bun.spawnSync(["sh", "-c", script], { cwd: folder, timeout: 120_000 });
      expect(stderr.toString()).toBe("");
      expect(stdout.toString()).toBe("EMFILE true\ncreated\nEMFILE true\n");
    });
  },
);

testWith("linux", "threads that use the reserve at the same time leave the limit as it was", async () => {
  await withFolder(async (folder) => {
    const program = `
        import fs from "node:fs";
        import { Worker, isMainThread, parentPort } from "node:worker_threads";
        import { reserveDescriptors, withReserve } from ${JSON.stringify(join(lib, "descriptors.ts"))};
        const limit = () => /Max open files +(\\d+)/.exec(fs.readFileSync("/proc/self/limits", "utf8"))[1];
        const open = () => {
          for (let time = 0; time < 20_000; time++) fs.closeSync(withReserve(() => fs.openSync("/dev/null", "r")));
        };
        if (isMainThread) {
          const workers = [0, 1].map(() => new Worker(import.meta.path));
          const all = () => Promise.all(workers.map((worker) => new Promise((resolve) => worker.once("message", resolve))));
          await all();
          reserveDescriptors(100);
          const taken = [];
          try { for (;;) taken.push(fs.openSync("/dev/null", "r")); } catch {}
          const opened = all();
          for (const worker of workers) worker.postMessage("open");
          open();
          const answers = await opened;
          for (const file of taken) fs.closeSync(file);
          console.log(limit(), ...answers);
          process.exit();
        } else {
          parentPort.on("message", () => {
            open();
            parentPort.postMessage("opened");
          });
          parentPort.postMessage("ready");
        }`;
    await Bun.write(join(folder, "threads.ts"), program);
    const script = `ulimit -n 200; exec "${process.execPath}" threads.ts`;
    const { stdout, stderr } = Bun.spawnSync(["sh", "-c", script], { cwd: folder, timeout: 120_000 });
    expect(stderr.toString()).toBe("");
    expect(stdout.toString()).toBe("100 opened opened\n");
  });
});
