/**
 * A node begins with a part of a backup, and fetches the files of finished months while it is at work: what needs them waits,
 * or says what it lacks, and in the end the copy is as whole as any other.
 */
import { expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { copyToStore } from "../../src/cli/backup/copy.ts";
import { filesOf, whileStill } from "../../src/cli/backup/pinned.ts";
import { storeMadeAt } from "../../src/cli/backup/store-at-place.ts";
import { incarnationFile } from "../../src/cli/backup/store.ts";
import type { Fetching } from "../../src/cli/cluster/fetching.ts";
import { expectSound } from "../../src/cli/cluster/move-in.ts";
import { bringUp, placeOf } from "../../src/cli/cluster/objects.ts";
import { dayMs } from "../../src/core/hit.ts";
import type { Question } from "../../src/core/questions/query.ts";
import { awaitedName, type AwaitedFiles } from "../../src/engine/files/awaited-files.ts";
import type { OpenOptions } from "../../src/engine/options/options.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemDisk } from "../../src/lib/disk/disk.ts";
import { subscriptionAdded } from "../support/account-records.ts";
import { seededRandom, TestClock } from "../support/clock.ts";
import { useFolder } from "../support/folder.ts";
import { entriesOf } from "../support/log-lines.ts";
import { openFolder } from "../support/open-folder.ts";
import { noonMs } from "../support/records.ts";
import { dumpOf, filesIn, makeSoundFolder } from "../support/sound-folder.ts";
import { until } from "../support/until.ts";

const top = useFolder();

const incarnation = "5".repeat(32);
let names = 0;
const newPath = () => join(top, String(++names));

const page = { limit: 100, offset: 0, summary: false, grouped: true, locale: false } as const;
const asked = (startMs: number, endMs = Infinity): Question => ({
  ...page,
  list: "pages",
  period: { startMs, endMs },
  filters: [],
});
/** The hits of the current month, in chunks that still change. */
const now = asked(noonMs - dayMs);
const everything = asked(-Infinity);

interface Place {
  /** The folder of which the backup is, and where the backup is. */
  readonly source: string;
  readonly objects: string;
}

let made: Promise<string> | undefined;

/** A folder with finished months of two websites, and one backup of it. */
async function makePlace(): Promise<Place> {
  const source = newPath();
  made ??= makeSoundFolder(join(top, "sound")).then(() => join(top, "sound"));
  cpSync(await made, source, { recursive: true });
  const objects = newPath();
  await backUp(source, objects);
  return { source, objects };
}

async function backUp(folder: string, objects: string): Promise<void> {
  await copyToStore(storeMadeAt(placeOf(objects, { incarnation })), 2, {
    disk: systemDisk,
    folder,
    files: filesOf(folder),
    isServed: false,
    clock: new TestClock(),
    random: seededRandom(++names),
    onProgress: () => {},
  });
}

const { entries, logger } = entriesOf();

const bring = (folder: string, objects: string, firstSeq = 1) =>
  bringUp({ folder, objects, stream: { incarnation, firstSeq }, clock: systemClock, logger, retryMs: 10 });

async function begin({ source, objects }: Place): Promise<{ folder: string; fetching: Fetching }> {
  const folder = newPath();
  const fetching = await bring(folder, objects, filesOf(source).seq + 1);
  return { folder, fetching: fetching as Fetching };
}

const open = (folder: string, awaited?: AwaitedFiles, more: Partial<OpenOptions> = {}) =>
  openFolder(folder, { awaited, ...more });

async function answersOf(engine: RunningEngine): Promise<string[]> {
  const answers = [1, 2].flatMap((id) => [now, everything].map((question) => engine.ask(id, question)));
  return (await Promise.all(answers)).map(({ json }) => json);
}

/** The answers of a whole copy of the folder. */
async function expectedOf({ source }: Place): Promise<string[]> {
  const copy = newPath();
  cpSync(source, copy, { recursive: true });
  const engine = await open(copy);
  const answers = await answersOf(engine);
  await engine.stop();
  return answers;
}

/** Whether something is not settled when all that can be done at once is done. */
async function waits(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol();
  const later = new Promise((resolve) => setTimeout(resolve, 20, pending));
  return (await Promise.race([promise.catch(() => {}), later])) === pending;
}

const storedIn = ({ objects }: Place, ending: string) => {
  const place = placeOf(objects, { incarnation });
  return filesIn(place).flatMap((name) => (name.includes(ending) ? [join(place, name)] : []));
};

for (const smallRows of [0, undefined])
  test(`questions wait for their own files ${smallRows === 0 ? "in the Worker" : "in this thread"}`, async () => {
    const place = await makePlace();
    const expected = await expectedOf(place);
    const { folder, fetching } = await begin(place);
    const lacking = [...fetching.names];
    expect(lacking.map((name) => /\/\d\/\d{4}-\d\d/.exec(name)?.[0]).toSorted()).toEqual([
      "/1/2025-12",
      "/1/2026-01",
      "/2/2026-01",
    ]);
    for (const name of lacking) expect(existsSync(join(folder, name))).toBe(false);
    entries.length = 0;
    const engine = await open(folder, fetching, { logger, ...(smallRows !== undefined && { smallRows }) });
    expect([(await engine.ask(1, now)).json, (await engine.ask(2, now)).json]).toEqual([
      expected[0] as string,
      expected[2] as string,
    ]);
    const answer = engine.ask(1, everything);
    const gone = new AbortController();
    const left = engine.ask(1, everything, gone.signal);
    expect(await waits(answer)).toBe(true);
    gone.abort();
    await expect(left).rejects.toThrow("the request was cancelled");
    // Neither looking for damage nor making facts takes what is to come for damage.
    await engine["scrubber"].pass();
    engine["facts"].update();
    await expect(engine.pinFiles()).rejects.toThrow(`still fetches ${lacking.length} files`);
    // A checkpoint that nobody asks for follows all the same, and the facts after it.
    const purged = smallRows === 0 ? undefined : engine.purge();
    expect(purged === undefined || (await waits(purged))).toBe(true);
    const list = readFileSync(join(folder, awaitedName));
    fetching.begin();
    expect((await answer).json).toBe(expected[1] as string);
    await Promise.all([fetching.whole, purged]);
    expect(await answersOf(engine)).toEqual(expected);
    (await engine.pinFiles()).release();
    if (smallRows === 0)
      await until(
        () => filesIn(folder).filter((name) => name.endsWith(".facts")).length === lacking.length,
        "facts are made",
      );
    await engine.stop();
    expect(entries.filter(({ level }) => level !== "info")).toEqual([]);
    expect(filesIn(folder)).not.toContain(awaitedName);
    expectSound(folder);
    expect(dumpOf(folder)).toEqual(dumpOf(place.source));
    // A list that could not be removed says nothing of a later checkpoint.
    writeFileSync(join(folder, awaitedName), list);
    expect(await bring(folder, place.objects)).toBe(undefined);
    expect(filesIn(folder)).not.toContain(awaitedName);
  });

test("nobody takes a copy that lacks files for a whole one", async () => {
  const { folder } = await begin(await makePlace());
  const text = "is a node's copy that lacks files";
  await expect(open(folder)).rejects.toThrow(text);
  await expect(whileStill(folder, async () => {})).rejects.toThrow(text);
  await expect(
    bringUp({ folder, objects: undefined, stream: { incarnation, firstSeq: 1 }, clock: systemClock, logger }),
  ).rejects.toThrow("lacks files of its copy: say with --objects");
});

test("one that is stopped goes on with the files that are not there yet, and its checkpoint is that of the backup", async () => {
  const place = await makePlace();
  const { folder, fetching } = await begin(place);
  const engine = await open(folder, fetching);
  // One comes, and the others are away.
  const [first, ...others] = storedIn(place, ".chunk.").filter((path) =>
    fetching.names.values().some((name) => path.includes(name)),
  );
  const aside = others.map((path) => [path, readFileSync(path)] as const);
  for (const [path] of aside) rmSync(path);
  fetching.begin();
  await until(() => fetching.names.size === others.length, "one file is there");
  const purged = engine.purge().catch((error: unknown) => error);
  fetching.stop();
  expect(await purged).toMatchObject({ name: "StillAwaited" });
  await engine.stop();
  expect(filesIn(folder)).toContain(awaitedName);
  for (const [path, bytes] of aside) writeFileSync(path, bytes);
  // A place that cannot be reached at the moment is no reason not to start.
  renameSync(place.objects, `${place.objects}-away`);
  expect((await bring(folder, place.objects))?.names.size).toBe(others.length);
  renameSync(`${place.objects}-away`, place.objects);
  const again = (await bring(folder, place.objects)) as Fetching;
  expect([...again.names].every((name) => !(first as string).includes(name))).toBe(true);
  expect(again.names.size).toBe(others.length);
  await again.all();
  expect(await bring(folder, place.objects)).toBe(undefined);
  expect(dumpOf(folder)).toEqual(dumpOf(place.source));
});

test("a file that cannot be had is told, and refused; all else is answered until it is back", async () => {
  const place = await makePlace();
  const expected = await expectedOf(place);
  const { folder, fetching } = await begin(place);
  const [path] = storedIn(place, "chunks/1/2025-12");
  const bytes = readFileSync(path as string);
  writeFileSync(
    path as string,
    bytes.map((byte, at) => (at === 100 ? byte ^ 1 : byte)),
  );
  entries.length = 0;
  const engine = await open(folder, fetching);
  fetching.begin();
  await until(() => fetching.names.size === 1, "the others are there");
  await until(() => entries.some(({ level }) => level === "error"), "it is told");
  expect(entries.find(({ level }) => level === "error")).toMatchObject({
    message: expect.stringContaining("could not be fetched") as string,
    file: expect.stringMatching(/^chunks\/1\/2025-12/) as string,
    error: expect.stringContaining("is damaged") as string,
  });
  // It is tried again every so often: whoever asks in between waits for that.
  await expect(engine.ask(1, everything)).rejects.toThrow("could not be fetched yet");
  const january = asked(Date.UTC(2026, 0, 10), Date.UTC(2026, 0, 30));
  expect(JSON.parse((await engine.ask(1, january)).json).length).toBeGreaterThan(0);
  expect((await engine.ask(2, everything)).json).toBe(expected[3] as string);
  // A caller that waits for all of it hears which file it is, and why.
  const other = await begin(place);
  await expect(other.fetching.all()).rejects.toThrow(/chunks\/1\/2025-12.* is damaged/);
  rmSync(path as string);
  writeFileSync(path as string, bytes);
  await fetching.whole;
  expect(await answersOf(engine)).toEqual(expected);
  await engine.stop();
});

test("a file that a backup has lost comes from that of another node, or else another backup is taken", async () => {
  const place = await makePlace();
  const other = newPath();
  cpSync(place.source, other, { recursive: true });
  rmSync(join(other, incarnationFile), { force: true });
  await backUp(other, place.objects);
  const [newest = "", second = ""] = storedIn(place, ".manifest.").map((path) => dirname(path));
  const { folder, fetching } = await begin(place);
  const { top: begun } = fetching["options"].list;
  const [mine, others] = newest.endsWith(begun.slice(0, -1)) ? [newest, second] : [second, newest];
  const [lost = ""] = fetching.names;
  const stored = filesIn(mine).find((name) => name.startsWith(lost)) as string;
  rmSync(join(mine, stored));
  await fetching.all();
  expect(dumpOf(folder)).toEqual(dumpOf(place.source));

  // A new node takes the other one at once, which is whole.
  entries.length = 0;
  const next = await begin(place);
  expect(entries.map(({ message }) => message)).toContain(
    "a backup of the cluster cannot be read: the one before it is taken",
  );
  expect(others.endsWith(next.fetching["options"].list.top.slice(0, -1))).toBe(true);
  // That backup loses one too: the next start begins with the first again, which is mended.
  cpSync(join(others, stored), join(mine, stored));
  rmSync(join(others, stored));
  const [own = ""] = [...next.fetching.names].filter((name) => !stored.startsWith(name));
  const ofAnother = filesIn(others).find((name) => name.startsWith(own)) as string;
  for (const path of [mine, others]) rmSync(join(path, ofAnother));
  await expect(bring(next.folder, place.objects)).rejects.toThrow("is missing");
  cpSync(join(place.source, own), join(mine, ofAnother));
  const again = (await bring(next.folder, place.objects)) as Fetching;
  await again.all();
  expect(dumpOf(next.folder)).toEqual(dumpOf(place.source));
});

test("a question that reads another file than those of its period is asked again once all are there", async () => {
  const place = await makePlace();
  const expected = await expectedOf(place);
  const { folder, fetching } = await begin(place);
  let calls = 0;
  // The first wait ends too early, as it would for a question that looks further than its period.
  const awaited: AwaitedFiles = {
    names: fetching.names,
    whole: fetching.whole,
    until: async (names) => (calls++ === 0 ? undefined : fetching.until(names)),
  };
  for (const smallRows of [0, 300_000]) {
    calls = 0;
    const engine = await open(folder, awaited, { smallRows });
    const answer = engine.ask(1, everything);
    await until(() => calls === 2, "it has failed, and waits");
    if (smallRows > 0) {
      fetching.begin();
      expect((await answer).json).toBe(expected[1] as string);
      await engine.stop();
      break;
    }
    answer.catch(() => {});
    await engine.stop();
  }
});

test("a log that deletes statistics needs all files at once", async () => {
  const place = await makePlace();
  const engine = await open(place.source);
  await engine.commit({
    kind: "websiteRemoved",
    timeMs: noonMs,
    websiteId: 2,
  } as Parameters<RunningEngine["commit"]>[0]);
  // As a server leaves it that is killed before the checkpoint that follows.
  const killed = newPath();
  cpSync(place.source, killed, { recursive: true });
  const objects = newPath();
  mkdirSync(objects);
  await backUp(killed, objects);
  await engine.stop();
  const folder = newPath();
  expect(await bring(folder, objects, filesOf(killed).seq + 1)).toBe(undefined);
  expect(filesIn(folder)).not.toContain(awaitedName);
  expect(dumpOf(folder)).toEqual(dumpOf(killed));
});

test("a log that deletes a subscription alone needs none, and its address leaves every file once all are there", async () => {
  const { source, objects } = await makePlace();
  const engine = await open(source);
  await engine.commit(subscriptionAdded(1, 1));
  await engine.purge();
  await engine.commit({ kind: "subscriptionRemoved", timeMs: noonMs, websiteId: 1, subscriptionId: 1 });
  const killed = newPath();
  cpSync(source, killed, { recursive: true });
  await engine.stop();
  await backUp(killed, objects);
  const { folder, fetching } = await begin({ source: killed, objects });
  expect(fetching.names.size).toBe(3);
  const holding = () =>
    filesIn(folder).filter((name) => readFileSync(join(folder, name)).includes("ada@example.com"));
  expect(holding().length).toBeGreaterThan(0);
  const joined = await open(folder, fetching);
  fetching.begin();
  await until(() => holding().length === 0, "the address is in no file");
  await joined.stop();
  expectSound(folder);
});
