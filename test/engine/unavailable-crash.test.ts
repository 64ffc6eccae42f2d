/** Power cuts and full disks while a website is unavailable: with its file back, everything acknowledged is there. */
import { expect, test } from "bun:test";
import { MemoryDisk, PowerCut } from "../support/memory-disk.ts";
import { userAdded, websiteAdded } from "../support/account-records.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { memoryIo } from "../support/memory-io.ts";
import { load, valuesOf } from "../support/records.ts";
import { randomBySeed } from "../support/seed.ts";

const isOfIt = /\/chunks\/2\/.*\.site$/;

/** Two websites in a checkpoint, the file of the second damaged; `restore` puts it back on any disk. */
async function damaged() {
  const disk = new MemoryDisk();
  const engine = await openInMemory(disk);
  await engine.commit(userAdded(1, "ada"));
  for (const websiteId of [1, 2]) {
    await engine.commit(websiteAdded(websiteId, `${websiteId}.example`));
    await engine.commit(load(`first-${websiteId}`, { websiteId, values: valuesOf("/first") }));
  }
  await engine.purge();
  const [file] = [...disk.files].filter(([path]) => isOfIt.test(path)) as [[string, Uint8Array]];
  const [path, whole] = file;
  const after = disk.clone();
  after.put(path, whole.with(60, (whole[60] as number) ^ 1));
  return { disk: after, restore: (onto: MemoryDisk) => onto.put(path, whole) };
}

/** Two lives, with hits of both websites, a checkpoint in each, and a clean stop. Returns what was acknowledged. */
async function live(disk: MemoryDisk, acknowledged: string[]): Promise<void> {
  for (const round of [1, 2]) {
    let powerOff = () => {};
    const cut = new Promise<"cut">((resolve) => (powerOff = () => resolve("cut")));
    const engine = await openInMemory(disk, { io: memoryIo(disk, powerOff) });
    const work = async () => {
      for (const websiteId of [1, 2]) {
        const name = `${round}-${websiteId}`;
        const record = load(name, { websiteId, values: valuesOf(`/${name}`) });
        if ((await engine.commit(record).catch(() => "failed")) === "done") acknowledged.push(name);
      }
      await engine.purge().catch(() => {});
      await engine.stop();
      return "done";
    };
    if ((await Promise.race([work(), cut])) === "cut") throw new PowerCut("the power is cut");
  }
}

async function expectAll(disk: MemoryDisk, acknowledged: readonly string[]): Promise<void> {
  const engine = await openInMemory(disk);
  engine.check();
  for (const name of ["first-1", "first-2", ...acknowledged]) {
    const websiteId = Number(name.at(-1));
    expect([name, await engine.commit(load(name, { websiteId }))]).toEqual([name, "duplicate"]);
  }
  await engine.stop();
}

test("a power cut at every call loses nothing, whether the file comes back before the next start or later", async () => {
  const random = randomBySeed();
  const base = await damaged();
  const whole = base.disk.clone();
  await live(whole, []);
  const calls = whole.history.length;
  expect(calls).toBeGreaterThan(100);
  for (let call = 1; call <= calls; call += 1 + Math.floor(random() * 5)) {
    const disk = base.disk.clone();
    disk.cutPowerAt(call);
    const acknowledged: string[] = [];
    try {
      await live(disk, acknowledged);
    } catch (error) {
      if (!(error instanceof PowerCut)) throw error;
    }
    let after = disk.crash(random);
    if (random() < 0.5) {
      await live(after, []);
      after = after.clone();
    }
    base.restore(after);
    await expectAll(after, acknowledged);
  }
});

test("a disk that is full from any call on, for a while, loses nothing either", async () => {
  const random = randomBySeed();
  const base = await damaged();
  for (let call = 1; call <= 150; call += 1 + Math.floor(random() * 5)) {
    const disk = base.disk.clone();
    disk.fillAt(call, 1 + Math.floor(random() * 20));
    const acknowledged: string[] = [];
    await live(disk, acknowledged).catch(() => {});
    const after = disk.clone();
    base.restore(after);
    await expectAll(after, acknowledged);
  }
});
