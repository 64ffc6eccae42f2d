/**
 * Repairs of folders that are damaged in every way: without consent nothing changes, what is lost is said, everything
 * else stays, and a server starts on the result.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { carryOut } from "../../src/cli/repair/carry-out.ts";
import { planRepair } from "../../src/cli/repair/plan.ts";
import { readManifest } from "../../src/engine/opening/check-folder.ts";
import { systemDisk } from "../../src/lib/disk/disk.ts";
import { useFolder } from "../support/folder.ts";
import { longTest } from "../support/long-test.ts";
import { command } from "../support/command.ts";
import { goldenNames, goldenTop, openGolden } from "../support/golden-folder.ts";
import { openFolder } from "../support/open-folder.ts";
import { load, valuesOf } from "../support/records.ts";
import { rounds, someOf } from "../support/rounds.ts";
import { randomBySeed } from "../support/seed.ts";
import { dumpOf, filesIn, makeSoundFolder, rowsOf } from "../support/sound-folder.ts";
import { addWebsites } from "../support/websites.ts";

const damages = rounds(15);
const top = useFolder();
const sound = join(top, "sound");
beforeAll(() => makeSoundFolder(sound));

let copies = 0;
/** Returns a copy of the sound folder. */
function newCopy(from = sound): string {
  const folder = join(top, String(++copies));
  cpSync(from, folder, { recursive: true });
  return folder;
}

function contentOf(folder: string): ReadonlyMap<string, string> {
  return new Map(filesIn(folder).map((name) => [name, readFileSync(join(folder, name)).toHex()]));
}

function edit(folder: string, name: string, change: (bytes: Buffer) => Uint8Array): void {
  writeFileSync(join(folder, name), change(readFileSync(join(folder, name))));
}

function flip(folder: string, name: string, at = 200): void {
  edit(folder, name, (bytes) => bytes.fill((bytes[at] as number) ^ 4, at, at + 1));
}

/** The only file that matches, or the one of this number. */
function named(folder: string, pattern: RegExp, at = 0): string {
  const name = filesIn(folder).filter((file) => pattern.test(file))[at];
  if (name === undefined) throw new Error(`no file is like ${pattern}`);
  return name;
}

/** Starts an engine on a folder, sends it a hit, and stops it. */
async function serve(folder: string): Promise<void> {
  const engine = await openFolder(folder);
  await engine.commit(load("after", { values: valuesOf("/after") }));
  engine.check();
  await engine.stop();
}

/** Repairs a folder, and returns what the command says is lost. The folder is served afterwards. */
async function repaired(folder: string): Promise<string[]> {
  const before = contentOf(folder);
  const dry = await command(folder, "repair");
  expect(dry).toEqual({
    exitCode: 3,
    printed: expect.stringContaining("keep that, and nothing was changed"),
  });
  const within = await command(folder, "repair", "--accept-loss", "--aside", join(folder, "aside"));
  expect(within).toEqual({ exitCode: 2, printed: expect.stringContaining("is in the data folder") });
  expect(contentOf(folder)).toEqual(before);
  const aside = `${folder}-aside`;
  const { exitCode, printed } = await command(folder, "repair", "--accept-loss", "--aside", aside);
  expect({ exitCode, printed }).toEqual({ exitCode: 0, printed: expect.stringContaining(aside) });
  const after = contentOf(folder);
  const copied = contentOf(aside);
  for (const [name, bytes] of before)
    if (after.get(name) !== bytes)
      expect({ name, copied: copied.get(name) === bytes }).toEqual({ name, copied: true });
  expect(await command(folder, "check")).toMatchObject({ exitCode: 0 });
  return printed.split("\n").flatMap((line) => /^lost: (.*)/.exec(line)?.[1] ?? []);
}

const rowLines = (lines: readonly string[]) => lines.filter((line) => /"kind":"(pageview|event)"/.test(line));

/** Repairs a folder that is damaged so, and expects that these lines of the sound one's dump are gone. */
async function expectRepaired(
  damage: (folder: string) => void,
  losses: readonly unknown[],
  isLost: (line: string) => boolean = () => false,
): Promise<string> {
  const folder = newCopy();
  damage(folder);
  expect(await repaired(folder)).toEqual(losses as string[]);
  expect(rowLines(dumpOf(folder))).toEqual(rowLines(dumpOf(sound)).filter((line) => !isLost(line)));
  await serve(newCopy(folder));
  return folder;
}

const isOf = (websiteId: number, month: string) => (line: string) =>
  line.startsWith(`{"time":"${month}`) && line.includes(`"websiteId":${websiteId},`);

describe("a folder in which nothing is damaged", () => {
  test("stays as it is, byte for byte", async () => {
    const folder = newCopy();
    const before = contentOf(folder);
    const lock = readFileSync(join(folder, "LOCK"));
    for (const words of [["repair"], ["repair", "--accept-loss"]])
      expect(await command(folder, ...words)).toMatchObject({
        exitCode: 0,
        printed: "nothing is damaged, and nothing was changed",
      });
    expect(contentOf(folder)).toEqual(before);
    expect(readFileSync(join(folder, "LOCK"))).toEqual(lock);
    // A crash explains this end: a start cuts it.
    edit(folder, named(folder, /wal$/, 1), (bytes) => bytes.subarray(0, bytes.length - 8));
    expect(await command(folder, "repair", "--accept-loss")).toMatchObject({ exitCode: 0 });
  });

  test("is refused while a server has it, and if it is none", async () => {
    const folder = newCopy();
    const engine = await openFolder(folder);
    expect(await command(folder, "repair")).toMatchObject({
      exitCode: 2,
      printed: expect.stringContaining("in use"),
    });
    await engine.stop();
    mkdirSync(join(top, "none"));
    expect(await command(join(top, "none"), "repair")).toMatchObject({ exitCode: 2 });
  });
});

describe("without any loss", () => {
  test("an older checkpoint takes the place of a damaged one", async () => {
    for (const [pattern, at] of [
      [/manifest$/, 1],
      [/state$/, 1],
      [/changes$/, 0],
    ] as const)
      await expectRepaired((folder) => flip(folder, named(folder, pattern, at), 100), ["nothing"]);
  });

  test("a directory in the place of a manifest keeps a server away, with advice, and is repaired", async () => {
    for (const at of [0, 1]) {
      const folder = newCopy();
      const manifest = join(folder, named(folder, /manifest$/, at));
      rmSync(manifest);
      mkdirSync(manifest);
      expect(await openFolder(folder).catch(String)).toMatch(
        /manifest: it is a directory .*: restore a backup .* 'footfall repair'/,
      );
      expect(await repaired(folder)).toEqual(["nothing"]);
      expect(dumpOf(folder)).toEqual(dumpOf(sound));
      await serve(folder);
    }
  });

  test("a folder that a power cut left behind the last step of a restore is repaired as any other", async () => {
    const damage = (folder: string) => {
      mkdirSync(join(folder, "restoring"));
      flip(folder, named(folder, /state$/, 1));
    };
    await expectRepaired(damage, ["nothing"]);
  });

  longTest(
    "the newest checkpoint stays alone if the older one, or the log between them, is damaged",
    async () => {
      await expectRepaired((folder) => flip(folder, named(folder, /state$/)), ["nothing"]);
      await expectRepaired((folder) => flip(folder, named(folder, /wal$/), 1_000), ["nothing"]);
      await expectRepaired((folder) => rmSync(join(folder, named(folder, /wal$/))), ["nothing"]);
    },
  );

  longTest("files of facts go that are damaged, of another chunk, or no files", async () => {
    await expectRepaired((folder) => flip(folder, named(folder, /facts$/)), ["nothing"]);
    const copied = (folder: string) =>
      cpSync(join(folder, named(folder, /facts$/)), join(folder, named(folder, /facts$/, 1)));
    await expectRepaired(copied, ["nothing"]);
    const directory = (folder: string) => {
      const name = join(folder, named(folder, /facts$/));
      rmSync(name);
      mkdirSync(name);
      writeFileSync(join(name, "x"), "");
    };
    await expectRepaired(directory, ["nothing"]);
  });

  longTest("segments and manifests go that belong to another folder, or have another's name", async () => {
    const other = join(top, "other");
    await makeYoungFolder(other);
    const put = (from: string, to: string) => (folder: string) => cpSync(join(other, from), join(folder, to));
    await expectRepaired(put("wal/0000000000000001.wal", "wal/0000000000000240.wal"), ["nothing"]);
    await expectRepaired(put("0000000000000000.manifest", "0000000000000000.manifest"), ["nothing"]);
    const segment = (folder: string) =>
      cpSync(join(folder, named(folder, /wal$/)), join(folder, "wal", "0000000000000200.wal"));
    await expectRepaired(segment, ["nothing"]);
  });

  test("a log that is there from its first record on needs no checkpoint", async () => {
    const young = join(top, "young");
    await makeYoungFolder(young);
    const expected = dumpOf(young);
    for (const pattern of [/state$/, /manifest$/]) {
      const name = named(young, pattern);
      for (const damage of [
        (path: string) => flip(path, name, 30),
        (path: string) => rmSync(join(path, name)),
      ]) {
        const folder = newCopy(young);
        damage(folder);
        expect(await repaired(folder)).toEqual(["nothing"]);
        expect(dumpOf(folder)).toEqual(expected);
        await serve(folder);
      }
    }
  });
});

/** A folder whose only checkpoint is the first, empty one. */
async function makeYoungFolder(path: string): Promise<void> {
  const folder = `${path}-served`;
  const engine = await openFolder(folder);
  await addWebsites(engine, "1.example");
  for (let at = 0; at < 9; at++) await engine.commit(load(`b${at}`, { values: valuesOf(`/${at}`) }));
  cpSync(folder, path, { recursive: true });
  await engine.stop();
}

describe("with a loss that is said", () => {
  test("the log is cut before a damaged batch", async () => {
    const folder = newCopy();
    flip(folder, named(folder, /wal$/, 1), 1_000);
    writeFileSync(join(folder, "incarnation"), "0123456789abcdef");
    const [loss = ""] = await repaired(folder);
    // Its later records have the numbers of lost ones, and its backups another name.
    expect(existsSync(join(folder, "incarnation"))).toBeFalse();
    const [, first, last, many] =
      /^records (\d+) to (\d+) of the log: (\d+) hits and changes$/.exec(loss) ?? [];
    expect(Number(last) - Number(first) + 1).toBe(Number(many));
    expect(Number(many)).toBeGreaterThan(3);
    expect(dumpOf(folder)).toEqual(dumpOf(sound, Number(first) - 1));
    await serve(folder);
  });

  test("without the log the checkpoint stays", async () => {
    for (const [damage, lost] of [
      [(folder: string) => flip(folder, named(folder, /wal$/, 1), 10), /^records \d+ to \d+ of the log/],
      [
        (folder: string) => rmSync(join(folder, "wal"), { recursive: true }),
        /^what followed record \d+ in the log, if/,
      ],
    ] as const) {
      const folder = newCopy();
      damage(folder);
      const seq = Number(/(\d+)\.manifest/.exec(named(folder, /manifest$/, 1))?.[1]);
      expect(await repaired(folder)).toEqual([expect.stringMatching(lost)]);
      expect(dumpOf(folder)).toEqual(dumpOf(sound, seq));
      await serve(folder);
    }
  });

  test("a damaged chunk leaves with its month, and others of the website stay", async () => {
    const what = `1.example, 2025-12: ${rowsOf.finished} page views and events`;
    for (const damage of [
      (folder: string) => flip(folder, named(folder, /2025-12.*chunk$/)),
      (folder: string) => rmSync(join(folder, named(folder, /2025-12.*chunk$/))),
      (folder: string) =>
        cpSync(
          join(folder, named(folder, /2026-01.*chunk$/)),
          join(folder, named(folder, /2025-12.*chunk$/)),
        ),
    ])
      await expectRepaired(damage, [what], isOf(1, "2025-12"));
  });

  test("a chunk that still changes leaves, and hits of its page views find none", async () => {
    const what = `2.example, 2026-03: ${rowsOf.current} page views and events`;
    const damage = (folder: string) => flip(folder, named(folder, /2\/2026-03.*chunk$/));
    await expectRepaired(damage, [what], isOf(2, "2026-03"));
  });

  test("without its names a website loses its page views, and stays", async () => {
    const losses = [
      `2.example, 2026-01: ${rowsOf.finished} page views and events`,
      `2.example, 2026-03: ${rowsOf.current} page views and events`,
    ];
    const damage = (folder: string) => flip(folder, named(folder, /2\/.*site$/));
    const folder = await expectRepaired(damage, losses, (line) => line.includes('"websiteId":2,'));
    expect((await command(folder, "website", "list")).printed).toContain("2.example");
  });

  test("a run of beacons takes nothing that was counted", async () => {
    const damage = (folder: string) => flip(folder, named(folder, /beacons$/));
    await expectRepaired(damage, [expect.stringContaining("durations and events that still come")]);
  });

  /** A start without a file of the first website, which has been unavailable since, and two checkpoints without it. */
  async function withoutWebsite(damage: (folder: string) => void = () => {}): Promise<string> {
    const folder = newCopy();
    damage(folder);
    for (let start = 0; start < 2; start++) await serve(folder);
    return folder;
  }
  const removeChunk = (folder: string) => rmSync(join(folder, named(folder, /2025-12.*chunk$/)));

  test("a website that was unavailable loses what was in its file, and nothing that came since", async () => {
    const folder = await withoutWebsite(removeChunk);
    expect(filesIn(folder).filter((name) => name.endsWith(".manifest"))).toHaveLength(3);
    expect(await repaired(folder)).toEqual([`1.example, 2025-12: ${rowsOf.finished} page views and events`]);
    const all = rowLines(dumpOf(await withoutWebsite()));
    expect(all.join()).toContain("/after");
    expect(rowLines(dumpOf(folder))).toEqual(all.filter((line) => !isOf(1, "2025-12")(line)));
    await serve(folder);
  });

  test("a website that was unavailable begins anew if no checkpoint that has it can be used", async () => {
    const folder = await withoutWebsite(removeChunk);
    flip(folder, named(folder, /state$/));
    const seq = Number.parseInt(named(folder, /manifest$/, 2), 10);
    expect(await repaired(folder)).toEqual([`1.example: all page views and events up to record ${seq}`]);
    const all = rowLines(dumpOf(await withoutWebsite()));
    expect(rowLines(dumpOf(folder))).toEqual(all.filter((line) => !line.includes('"websiteId":1,')));
    await serve(folder);
    expect((await command(folder, "website", "list")).printed).toContain("1.example");
  });

  test("a folder of which no state is left cannot be repaired, and stays as it is", async () => {
    const folder = newCopy();
    for (const at of [0, 1]) flip(folder, named(folder, /state$/, at));
    const before = contentOf(folder);
    expect(await command(folder, "repair", "--accept-loss")).toMatchObject({
      exitCode: 2,
      printed: expect.stringContaining("cannot be repaired"),
    });
    expect(contentOf(folder)).toEqual(before);
    mkdirSync(join(folder, "restoring"));
    for (const name of filesIn(folder)) if (name.endsWith(".manifest")) rmSync(join(folder, name));
    expect((await command(folder, "repair")).printed).toContain("restore it again");
  });
});

test.each(someOf(goldenNames("folder")))("%s, of an earlier version, is repaired too", async (name) => {
  for (const pattern of someOf([/chunk$/, /site$/])) {
    const folder = newCopy(join(goldenTop, name));
    // The older checkpoint, which may not need the other file, is no way out.
    flip(folder, named(folder, /state$/));
    const { files } = readManifest(systemDisk, folder, named(folder, /manifest$/, 1));
    flip(folder, files.find((entry) => pattern.test(entry.name))?.name as string);
    const losses = await repaired(folder);
    expect(losses.join()).toMatch(/^\S+, \d{4}-\d\d: \d+ page views and events/);
    const engine = await openGolden(folder);
    engine.check();
    await engine.stop();
    expect(await command(folder, "check")).toMatchObject({ exitCode: 0 });
  }
});

test("a repair that cannot note what it does says why, and changes nothing", async () => {
  const folder = newCopy();
  flip(folder, named(folder, /manifest$/, 1));
  mkdirSync(join(folder, "repairing.new"));
  const before = contentOf(folder);
  expect(await command(folder, "repair", "--accept-loss")).toEqual({
    exitCode: 2,
    printed: expect.stringMatching(/\nfootfall: cannot remove \S+repairing.new: .+ \((EISDIR|EPERM)\)$/),
  });
  expect(contentOf(folder)).toEqual(before);
});

test("a repair that was interrupted keeps servers away, is undone, and done again", async () => {
  const folder = newCopy();
  flip(folder, named(folder, /2025-12.*chunk$/));
  const before = contentOf(folder);
  const plan = planRepair(systemDisk, folder);
  mkdirSync(join(folder, "x.new"));
  const written = new Map([...plan.written, ["x", Buffer.from("x")] as const]);
  expect(() => carryOut(folder, { ...plan, written }, `${folder}-aside`)).toThrow("x.new");
  expect(contentOf(folder)).not.toEqual(before);
  for (const words of [["website", "list"], ["check"], ["repair"]])
    expect(await command(folder, ...words)).toMatchObject({
      exitCode: 2,
      printed: expect.stringContaining("was interrupted"),
    });
  const { exitCode, printed } = await command(
    folder,
    "repair",
    "--accept-loss",
    "--aside",
    `${folder}-again`,
  );
  expect({ exitCode, printed }).toEqual({
    exitCode: 0,
    printed: expect.stringContaining(`put back from ${folder}-aside`),
  });
  const copied = contentOf(`${folder}-again`);
  for (const [name, bytes] of copied) expect(bytes).toBe(before.get(name) as string);
  expect(existsSync(join(folder, "repairing"))).toBe(false);
  await serve(folder);
});

test(`${damages} random damages are repaired, or leave all as it is`, async () => {
  const chance = randomBySeed();
  const below = (count: number) => Math.floor(chance() * count);
  const all = rowLines(dumpOf(sound));
  const newest = named(sound, /wal$/, 1);
  let done = 0;
  // A third of them at least is repaired: of few, it may take some more.
  for (let round = 0; round < damages || done <= damages / 3; round++) {
    expect(round).toBeLessThan(20 * damages);
    const folder = newCopy();
    const names = filesIn(folder);
    const what: string[] = [];
    for (let damages = 1 + below(2); damages > 0; damages--) {
      const name = names[below(names.length)] as string;
      const other = names[below(names.length)] as string;
      const how = below(4);
      what.push(`${name} ${how} ${other}`);
      if (name === other || !existsSync(join(folder, name)) || !existsSync(join(folder, other))) continue;
      const { length } = readFileSync(join(folder, name));
      if (how === 0) rmSync(join(folder, name));
      else if (how === 1) edit(folder, name, (bytes) => bytes.subarray(0, below(length)));
      else if (how === 2) cpSync(join(folder, other), join(folder, name));
      else flip(folder, name, below(length));
    }
    const before = contentOf(folder);
    const aside = `${folder}-aside`;
    const { exitCode, printed } = await command(folder, "repair", "--accept-loss", "--aside", aside);
    const shown = { round, what, exitCode, printed };
    if (exitCode === 2) {
      expect({ ...shown, printed }).toEqual({
        ...shown,
        printed: expect.stringContaining("cannot be repaired"),
      });
      expect(contentOf(folder)).toEqual(before);
      continue;
    }
    done++;
    expect(shown).toEqual({ ...shown, exitCode: 0 });
    const left = rowLines(dumpOf(folder));
    const lost = all.length - left.length;
    const said = [
      ...printed.matchAll(/^lost: .*: (?:at least )?(\d+) (page views and events|hits and changes)$/gm),
    ];
    const most = said.reduce((sum, [, figure]) => sum + Number(figure), 0);
    // Nothing tells a newest segment that is gone or cut from one that was never longer.
    const isUnknown = /at least|if anything/.test(printed) || what.some((one) => one.startsWith(newest));
    expect({ ...shown, isSaid: isUnknown || lost <= most }).toEqual({ ...shown, isSaid: true });
    await serve(folder);
    expect({ ...shown, check: (await command(folder, "check")).exitCode }).toEqual({ ...shown, check: 0 });
  }
});
