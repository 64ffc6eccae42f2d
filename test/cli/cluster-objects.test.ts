/** A node starts from the newest backup of its cluster where its own copy ends before the stream begins. */
import { expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { copyToStore } from "../../src/cli/backup/copy.ts";
import { filesOf } from "../../src/cli/backup/pinned.ts";
import { storeMadeAt } from "../../src/cli/backup/store-at-place.ts";
import { incarnationFile } from "../../src/cli/backup/store.ts";
import { bringUp, placeOf } from "../../src/cli/cluster/objects.ts";
import { restoringName } from "../../src/engine/opening/new-folder.ts";
import { readManifest } from "../../src/engine/opening/check-folder.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemDisk } from "../../src/lib/disk/disk.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { isManifest } from "../../src/snapshot/manifest.ts";
import { seededRandom, TestClock } from "../support/clock.ts";
import { useFolder } from "../support/folder.ts";
import { openFolder } from "../support/open-folder.ts";
import { load, valuesOf } from "../support/records.ts";
import { dumpOf, filesIn } from "../support/sound-folder.ts";
import { addWebsites } from "../support/websites.ts";

const top = useFolder();

const incarnation = "5".repeat(32);
const random = seededRandom(1);
let names = 0;
const newPath = () => join(top, String(++names));

/** Adds page views to a folder, which is made if it is missing, and stops it cleanly. */
async function grow(folder: string, views: number): Promise<void> {
  const clock = new TestClock();
  const engine = await openFolder(folder, { clock, random });
  if (engine.registry.users.size === 0) {
    await addWebsites(engine, "a.example");
  }
  for (let at = 0; at < views; at++)
    await engine.commit(
      load(`${names}-${at}`, { timeMs: clock.nowMs(), values: valuesOf(`/${names}/${at}`) }),
    );
  await engine.stop();
}

async function backUp(
  folder: string,
  objects: string,
  store = storeMadeAt(placeOf(objects, { incarnation })),
): Promise<number> {
  const { list } = await copyToStore(store, 2, {
    disk: systemDisk,
    folder,
    files: filesOf(folder),
    isServed: false,
    clock: new TestClock(),
    random: seededRandom(names++),
    onProgress: () => {},
  });
  return list.seq;
}

/** The copy of another node: its backups are another incarnation's. */
function copyOf(folder: string): string {
  const copy = newPath();
  cpSync(folder, copy, { recursive: true });
  rmSync(join(copy, incarnationFile), { force: true });
  return copy;
}

/** Returns the name of the folder that has the backups of a copy. */
function topOf(folder: string): string {
  const { folderId } = readManifest(
    systemDisk,
    folder,
    systemDisk.list(folder).findLast(isManifest) as string,
  );
  return `${folderId}-${readFileSync(join(folder, incarnationFile), "utf8").slice(0, 16)}`;
}

interface Cluster {
  readonly objects: string;
  /** A copy that is behind both backups. */
  readonly behind: string;
  /** The copy of which the newest backup is, and its last record. */
  readonly newest: string;
  readonly seq: number;
}

const cluster = makeCluster();

async function makeCluster(): Promise<Cluster> {
  const [objects, first] = [newPath(), newPath()];
  mkdirSync(objects);
  await grow(first, 5);
  const behind = copyOf(first);
  await grow(first, 5);
  const newest = copyOf(first);
  await backUp(first, objects);
  await grow(newest, 5);
  return { objects, behind, newest, seq: await backUp(newest, objects) };
}

const bring = (folder: string, objects: string | undefined, firstSeq: number) =>
  bringUp({ folder, objects, stream: { incarnation, firstSeq }, clock: systemClock, logger: silentLogger });

function contentOf(folder: string): Record<string, string> {
  const names = filesIn(folder);
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "base64")]));
}

test("the newest backup of any node replaces a copy that is behind, or is that of a new node", async () => {
  const { objects, newest, seq, ...others } = await cluster;
  const behind = copyOf(others.behind);
  writeFileSync(join(behind, "node"), "b");
  const fresh = newPath();
  for (const folder of [behind, fresh]) {
    await bring(folder, objects, seq);
    expect(dumpOf(folder)).toEqual(dumpOf(newest));
    expect(existsSync(join(folder, restoringName))).toBe(false);
    await grow(folder, 1);
  }
  // A file that is no part of a copy stays.
  expect(readFileSync(join(behind, "node"), "utf8")).toBe("b");
});

test("a copy after which the stream goes on stays as it is, also where its log says so", async () => {
  const { objects, behind, newest, seq } = await cluster;
  const before = contentOf(newest);
  const [manifest] = systemDisk.list(newest).filter(isManifest).toReversed();
  expect(Number.parseInt(manifest as string, 10)).toBeLessThan(seq);
  await bring(newest, objects, seq + 1);
  expect(contentOf(newest)).toEqual(before);
  const old = contentOf(behind);
  await bring(behind, undefined, 1);
  expect(contentOf(behind)).toEqual(old);
});

test("it says what is missing, and whatever fails leaves the copy as it was", async () => {
  const { behind, seq, ...others } = await cluster;
  const objects = copyOf(others.objects);
  const before = contentOf(behind);
  await expect(bring(behind, undefined, seq)).rejects.toThrow("--objects");
  await expect(bring(behind, newPath(), seq)).rejects.toThrow("there is no backup in");
  const place = placeOf(objects, { incarnation });
  const stored = filesIn(place).filter((name) => name.includes(".state."));
  for (const name of stored) writeFileSync(join(place, name), "damaged");
  await expect(bring(behind, objects, seq)).rejects.toThrow("is damaged");
  expect(contentOf(behind)).toEqual(before);
});

test("a copy stays where no backup goes as far as the stream begins, and it is said who has the rest", async () => {
  const { objects, behind, seq } = await cluster;
  const folder = copyOf(behind);
  const before = contentOf(folder);
  const wayOut = "Nodes that still run have them";
  const empty = newPath();
  mkdirSync(placeOf(empty, { incarnation }), { recursive: true });
  await expect(bring(folder, objects, seq + 2)).rejects.toThrow(
    `and the stream begins with record ${seq + 2}, but the newest backup in ${placeOf(objects, { incarnation })} ends with record ${seq}. `,
  );
  await expect(bring(folder, objects, seq + 2)).rejects.toThrow(wayOut);
  await expect(bring(folder, empty, seq + 2)).rejects.toThrow("has no backup that is complete. If that is");
  await expect(bring(folder, empty, seq + 2)).rejects.toThrow(wayOut);
  expect(contentOf(folder)).toEqual(before);
});

test("one that was interrupted while the copy was replaced is done again", async () => {
  const { objects, newest, seq, ...others } = await cluster;
  const behind = copyOf(others.behind);
  // The manifests have gone, and the first files of the backup are in their places.
  for (const name of systemDisk.list(behind).filter(isManifest)) rmSync(join(behind, name));
  cpSync(join(newest, "wal"), join(behind, "wal"), { recursive: true });
  mkdirSync(join(behind, restoringName));
  await bring(behind, objects, seq);
  expect(dumpOf(behind)).toEqual(dumpOf(newest));
});

test("a node that was replaced while it made a backup takes nothing from those of the next one", async () => {
  const { behind, newest } = await cluster;
  const objects = newPath();
  const [old, next] = [copyOf(behind), copyOf(newest)];
  const place = placeOf(objects, { incarnation });
  await backUp(old, objects);
  // It is paused with its first new file under way, and wakes when the next one has made and given up backups.
  await grow(old, 1);
  const [paused, woken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const store = storeMadeAt(place);
  const write = store.write.bind(store);
  store.write = async (name, bytes) => {
    paused.resolve();
    await woken.promise;
    return write(name, bytes);
  };
  const late = backUp(old, objects, store);
  await paused.promise;
  let seq = 0;
  for (let times = 0; times < 3; times++) {
    await grow(next, 5);
    seq = await backUp(next, objects);
  }
  const ofNext = () => contentOf(join(place, topOf(next)));
  const before = ofNext();
  woken.resolve();
  expect(await late).toBeLessThan(seq);
  expect(ofNext()).toEqual(before);
  expect(Object.keys(before).filter((name) => name.endsWith(".backup")).length).toBe(2);
  const fresh = newPath();
  await bring(fresh, objects, seq + 1);
  expect(dumpOf(fresh)).toEqual(dumpOf(next));
  // Nor does the next one take anything from it: somebody may be fetching its files.
  const ofOld = contentOf(join(place, topOf(old)));
  await grow(next, 5);
  await backUp(next, objects);
  expect(contentOf(join(place, topOf(old)))).toEqual(ofOld);
});
