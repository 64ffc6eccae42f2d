/** A check finds what was made wrong in any file of a folder, says where, and leaves everything as it is. */
import { beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { storedNames } from "../../src/engine/checkpoint/checkpoint-names.ts";
import { dimensionIndex } from "../../src/core/questions/stored-dimension.ts";
import { dayMs } from "../../src/core/hit.ts";
import { checkFolder } from "../../src/engine/opening/check-folder.ts";
import { systemDisk } from "../../src/lib/disk/disk.ts";
import { decodeManifest, encodeManifest, isManifest } from "../../src/snapshot/manifest.ts";
import { decodeSections, encodeSections, fileChecksum } from "../../src/snapshot/section.ts";
import { TestClock } from "../support/clock.ts";
import { useFolder } from "../support/folder.ts";
import { openFolder } from "../support/open-folder.ts";
import { imported, load, noonMs, valuesOf } from "../support/records.ts";
import { randomBySeed } from "../support/seed.ts";
import { until } from "../support/until.ts";
import { addWebsites } from "../support/websites.ts";

const folder = useFolder();
const chance = randomBySeed();

/** Two finished months with facts, whose names and values grew after the first of them was in its file. */
beforeAll(async () => {
  const clock = new TestClock(noonMs);
  const engine = await openFolder(folder, { clock, smallRows: 100 });
  await addWebsites(engine, "a.example");
  const facts = (count: number) =>
    until(() => names().filter((name) => name.endsWith(".facts")).length >= count, `${count} files of facts`);
  for (const [month, ago] of [80, 45].entries()) {
    const timeMs = (at: number) => noonMs - ago * dayMs + at * 60_000;
    const times = Array.from({ length: 1_000 }, (_, at) => timeMs(at));
    const { loads } = imported(times);
    const valuesAt = (at: number) =>
      valuesOf(`/${month}/${at % 50}`).with(dimensionIndex.language, at % 2 === 0 ? "de" : "de-AT");
    const own = loads.map((view, at) => ({ ...view, values: valuesAt(at) }));
    const file = `access-${month}.log`;
    await engine.commit({ ...imported(times), file, loads: own });
    await engine.purge();
    await facts(month + 1);
  }
  await engine.commit(load("last", { values: valuesOf("/last") }));
  await engine.purge();
  await engine.commit(load("logged", { values: valuesOf("/logged") }));
  await engine.stop();
});

const paths = () => readdirSync(folder, { recursive: true, encoding: "utf8" });
const names = () => paths().filter((name) => statSync(join(folder, name)).isFile());
const kind = (suffix: string) => names().filter((name) => name.endsWith(suffix));

function faults(): string[] {
  const found: string[] = [];
  const onFault = (fault: string) => found.push(fault);
  checkFolder({ disk: systemDisk, folder, files: undefined, onFault, onProgress: () => {} });
  return found;
}

/** Returns the faults while `change` is made to the bytes of a file; undefined removes it. */
function faultsWith(name: string, change: (bytes: Buffer) => Uint8Array | undefined): string[] {
  const path = join(folder, name);
  const before = readFileSync(path);
  const changed = change(Buffer.from(before));
  if (changed === undefined) rmSync(path);
  else writeFileSync(path, changed);
  const found = faults();
  writeFileSync(path, before);
  return found;
}

describe("a check of a folder", () => {
  test("finds nothing in a sound one, and changes nothing", () => {
    const all = () => new Map(names().map((name) => [name, readFileSync(join(folder, name))]));
    const before = all();
    expect(kind(".facts").length).toBe(2);
    const onProgress = (done: number, total: number) => expect(done).toBeLessThanOrEqual(total);
    const onFault = (fault: string) => expect(fault).toBe("");
    const checked = checkFolder({ disk: systemDisk, folder, files: undefined, onFault, onProgress });
    expect(checked.files).toBeGreaterThan(4);
    expect(checked.seq).toBeGreaterThan(6);
    expect(all()).toEqual(before);
  });

  test("finds a flipped bit, a cut and a loss of every file, and names it with the place", () => {
    const newest = kind(".wal").sort().at(-1);
    for (const name of names()) {
      if (name === "LOCK") continue;
      const { length } = readFileSync(join(folder, name));
      if (name === newest) continue;
      const flips = [0, Math.floor(chance() * length), length - 1].map((at) =>
        faultsWith(name, (bytes) => bytes.fill((bytes[at] as number) ^ 16, at, at + 1)),
      );
      for (const found of flips)
        expect({ name, found: found[0] }).toEqual({ name, found: expect.stringContaining(name) });
      expect(flips.flat().every((fault) => /; \S/.test(fault))).toBe(true);
      const isLog = name.startsWith("wal/");
      expect(faultsWith(name, (bytes) => bytes.subarray(0, length - 8))[0]).toContain(name);
      // Facts that are not there are made again.
      if (!name.endsWith(".facts") && !isManifest(name))
        expect(faultsWith(name, () => undefined)[0]).toContain(isLog ? "wal" : name);
    }
    expect(faults()).toEqual([]);
  });

  test("tells a batch that a crash cut at the end of the log from damage before it", () => {
    const newest = kind(".wal").sort().at(-1) as string;
    const { length } = readFileSync(join(folder, newest));
    const tornWith = (change: (bytes: Buffer) => Uint8Array) => {
      const path = join(folder, newest);
      const before = readFileSync(path);
      writeFileSync(path, change(Buffer.from(before)));
      const onFault = (fault: string) => expect(fault).toBe("");
      const { isTorn } = checkFolder({
        disk: systemDisk,
        folder,
        files: undefined,
        onFault,
        onProgress() {},
      });
      writeFileSync(path, before);
      return isTorn;
    };
    expect(tornWith((bytes) => bytes)).toBe(false);
    expect(tornWith((bytes) => bytes.subarray(0, length - 8))).toBe(true);
    expect(tornWith((bytes) => bytes.fill(0, length - 1))).toBe(false);
    expect(tornWith((bytes) => bytes.fill(255, length - 9, length - 8))).toBe(true);
    expect(faultsWith(newest, (bytes) => bytes.fill(255, 8, 9))[0]).toContain(newest);
    expect(faultsWith(newest, (bytes) => bytes.fill(255, 60, 61))[0]).toContain(`${newest} at byte 56`);
  });

  test("finds facts that are of other rows, or say so without being it", () => {
    const [one = "", two = ""] = kind(".facts");
    expect(faultsWith(one, () => readFileSync(join(folder, two)))[0]).toContain("has the facts of");
    const [chunk = ""] = kind(".chunk");
    expect(chunk).not.toBe("");
    const forged = faultsWith(one, (bytes) => {
      const sections = decodeSections(bytes, one);
      const other = decodeSections(readFileSync(join(folder, two)), two);
      return encodeSections(
        [...sections].map(([name, data]) => ({
          name,
          data: name === "quarters" ? (other.get(name) as Uint8Array) : data,
        })),
      );
    });
    expect(forged).toEqual([expect.stringContaining("section quarters differs from the rows")]);
  });

  test("finds sums by channel and label that differ, and passes over those by other channels and labels", () => {
    const [one = ""] = kind(".facts");
    const flipped = (data: Uint8Array) => Uint8Array.from(data, (byte, at) => (at === 4 ? byte ^ 1 : byte));
    const faultsOf = (...changed: readonly string[]) =>
      faultsWith(one, (bytes) =>
        encodeSections(
          [...decodeSections(bytes, one)].map(([name, data]) => ({
            name,
            data: changed.includes(name) ? flipped(data) : data,
          })),
        ),
      );
    expect(faultsOf("rollup by channel whole")).toEqual([
      expect.stringContaining("section rollup by channel whole differs from the rows"),
    ]);
    expect(faultsOf("by channel", "rollup by channel whole")).toEqual([]);
    expect(faultsOf("by channel", "rollup by visit_channel whole")).toHaveLength(1);
    expect(faultsOf("visits by groups language whole")).toEqual([
      expect.stringContaining("section visits by groups language whole differs from the rows"),
    ]);
    expect(faultsOf("groups language whole", "visits by groups language whole")).toEqual([]);
    expect(faultsOf("groups language whole", "visits")).toHaveLength(1);
  });

  test("finds a file that breaks a rule although all checksums are right", () => {
    const manifest = names().filter(isManifest).sort().at(-1) as string;
    const { files, ...rest } = decodeManifest(readFileSync(join(folder, manifest)), manifest, storedNames);
    const entry = files.find(({ name }) => name.endsWith(".chunk")) as (typeof files)[number];
    const path = join(folder, entry.name);
    copyFileSync(path, `${path}.sound`);
    const sections = decodeSections(readFileSync(path), entry.name);
    const bad = encodeSections(
      [...sections].map(([name, data]) => ({
        name,
        data: name === "flags" ? new Uint8Array(data.length).fill(255) : data,
      })),
    );
    const facts = kind(".facts").map(
      (name) => [join(folder, name), readFileSync(join(folder, name))] as const,
    );
    const found = faultsWith(manifest, () => {
      writeFileSync(path, bad);
      for (const [name] of facts) rmSync(name);
      const others = names().filter((name) => isManifest(name) && name !== manifest);
      for (const name of others) rmSync(join(folder, name));
      const changed = { ...entry, bytes: bad.length, checksum: fileChecksum(bad) };
      return encodeManifest({ ...rest, files: files.map((file) => (file === entry ? changed : file)) });
    });
    expect(found).toEqual([expect.stringContaining("the state breaks a rule")]);
  });
});

test("a folder that has lost its manifests is no sound one", () => {
  const copy = `${folder}-copy`;
  cpSync(folder, copy, { recursive: true });
  for (const name of readdirSync(copy).filter(isManifest)) rmSync(join(copy, name));
  const faults: string[] = [];
  const onFault = (fault: string) => faults.push(fault);
  const found = () => {
    checkFolder({ disk: systemDisk, folder: copy, files: undefined, onFault, onProgress() {} });
    return faults.splice(0);
  };
  expect(found()).toEqual([
    expect.stringContaining("has a log but no checkpoint: see what 'footfall repair' can keep"),
  ]);
  rmSync(join(copy, "wal"), { recursive: true });
  expect(found()).toEqual([expect.stringContaining("neither a manifest nor a log")]);
  rmSync(copy, { recursive: true });
});
