/** Commands leave other people's files alone, and say how a data folder is named. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { whileStill } from "../../src/cli/backup/pinned.ts";
import type { Call } from "../../src/cli/command.ts";
import { withControl } from "../../src/cli/control/control.ts";
import { expectOwnData, expectOwnFolder } from "../../src/cli/data-folder.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { callLibc } from "../../src/lib/disk/libc.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { command } from "../support/command.ts";
import { useExecutable } from "../support/executable.ts";
import { isThere, nameWith, testWith } from "../support/needs.ts";
import { RecordedTerminal } from "../support/recorded-terminal.ts";
import { account, ServerProcess } from "../support/server.ts";

const executable = useExecutable();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "footfall-other-files-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const call = (path: string, terminal = new RecordedTerminal()) =>
  ({ clock: systemClock, random: systemRandom, settings: { folder: path }, terminal }) as unknown as Call;
const list = (path: string) => withControl(call(path), (control) => control.websites(null));
const add = (path: string) => withControl(call(path), (control) => control.addUser(account), true);

test("a command that reads makes no data folder", async () => {
  const refusal = { code: 404, message: expect.stringContaining("is no data folder: name it with --data") };
  await expect(list(folder)).rejects.toMatchObject(refusal);
  expect(readdirSync(folder)).toEqual([]);
  writeFileSync(join(folder, "foo.txt"), "");
  await expect(list(folder)).rejects.toMatchObject(refusal);
  expect(readdirSync(folder)).toEqual(["foo.txt"]);
  await expect(list(join(folder, "missing"))).rejects.toMatchObject(refusal);
});

test("a server that is told half of a first account, or a wrong one, begins no data folder", async () => {
  const empty = join(folder, "empty");
  mkdirSync(empty);
  const named = ["--admin-username", "ada", "--port", "0"];
  for (const words of [
    named,
    [...named, "--admin-password", "short"],
    [...named, "--admin-password-file", join(folder, "none")],
    ["--admin-password", account.password, "--port", "0"],
    ["--admin-username", " ", "--admin-password", account.password, "--port", "0"],
  ])
    for (const path of [empty, join(folder, "missing")])
      expect(await command(path, ...words)).toMatchObject({ exitCode: 2 });
  expect(readdirSync(folder)).toEqual(["empty"]);
  expect(readdirSync(empty)).toEqual([]);
});

test("a command that reads all of it says that there is none, and how it is named", async () => {
  mkdirSync(join(folder, "empty"));
  for (const name of ["empty", "missing"])
    await expect(whileStill(join(folder, name), async () => {})).rejects.toMatchObject({
      code: 404,
      message: expect.stringContaining(`${join(folder, name)} is no data folder: name it with --data`),
    });
  expect(readdirSync(folder)).toEqual(["empty"]);
});

test("a command that writes makes one of a folder that is empty or not there, and of no other", async () => {
  writeFileSync(join(folder, "foo.txt"), "");
  await expect(add(folder)).rejects.toMatchObject({
    code: 404,
    message: expect.stringContaining(
      "has other files: name a data folder, or an empty or new one, with --data",
    ),
  });
  expect(readdirSync(folder)).toEqual(["foo.txt"]);
  const [empty, missing, begun] = ["empty", "missing", "begun"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(empty);
  mkdirSync(join(begun, "wal"), { recursive: true });
  for (const path of [empty, missing, begun]) {
    await add(path);
    expect(await list(path)).toEqual([]);
  }
});

test("a command that begins a data folder says so, and the next one does not", async () => {
  const path = join(folder, "data");
  for (const [username, noted] of [
    ["ada", [`this began a new data folder, ${path}: name that of a server elsewhere with --data`]],
    ["grace", []],
  ] as const) {
    const terminal = new RecordedTerminal();
    await withControl(call(path, terminal), (control) => control.addUser({ ...account, username }), true);
    expect(terminal.noted).toEqual([...noted]);
  }
});

test("a server that begins among other files says so at its first start, and in a folder of its own nothing", async () => {
  const warning = "The data began among other files, such as ";
  mkdirSync(join(folder, "@eaDir"));
  writeFileSync(join(folder, "foo.txt"), "");
  const own = join(folder, "own");
  for (const [path, greeted] of [
    [folder, expect.stringContaining(`  ${warning}"@eaDir". Choose a folder of its own with --data.\n`)],
    [folder, expect.not.stringContaining(warning)],
    [own, expect.not.stringContaining(warning)],
  ]) {
    const server = await ServerProcess.start([executable], folder, ["--data", path]);
    expect(server.greeting).toEqual(greeted);
    expect(await server.end("SIGTERM")).toBe(0);
  }
});

test("a folder that has lost its checkpoints is refused with how to go on", async () => {
  await add(join(folder, "data"));
  for (const name of readdirSync(join(folder, "data")))
    if (name.endsWith(".manifest")) rmSync(join(folder, "data", name));
  for (const act of [list, add])
    await expect(act(join(folder, "data"))).rejects.toThrow(
      "has a log but no checkpoint: see what 'footfall repair' can keep, or restore a backup",
    );
});

const nobody = 65_534;

/** Gives everything in a folder to a user that is not root. */
function giveAway(path: string): void {
  for (const name of readdirSync(path, { recursive: true, encoding: "utf8" }))
    chownSync(join(path, name), nobody, nobody);
  chownSync(path, nobody, nobody);
}

testWith("root", "who may not look into a data folder is not told that there is none", async () => {
  const data = join(folder, "data");
  await add(data);
  // The folder of the first case belongs to root, and that of the second is in one of root's.
  for (const path of [folder, data]) {
    const refusal = `this user may not look into ${path}: run this as root, or as the user of its server`;
    process.seteuid!(nobody);
    try {
      for (const act of [list, add, (at: string) => whileStill(at, async () => {})])
        await expect(act(path)).rejects.toMatchObject({ code: 403, message: refusal });
      for (const words of [["repair"], ["cluster", "status"]])
        expect(await command(path, ...words)).toMatchObject({
          exitCode: 2,
          printed: expect.stringContaining(refusal),
        });
    } finally {
      process.seteuid!(0);
    }
  }
  expect(await list(data)).toEqual([]);
});

const ownersIn = (path: string) =>
  readdirSync(path, { recursive: true, encoding: "utf8" }).map((name) => statSync(join(path, name)).uid);

testWith("root", "root leaves nothing of its own in the folder of another user's server", async () => {
  const [data, backups] = [join(folder, "data"), `${join(folder, "backups")}/`];
  await add(data);
  giveAway(data);
  for (const act of [list, add])
    await expect(act(data)).rejects.toMatchObject({
      code: 409,
      message: expect.stringContaining("run this as that user, or while the server runs, or as root between"),
    });
  for (const words of [["backup", backups], ["backup", backups], ["check"], ["dump"]])
    expect(await command(data, ...words)).toMatchObject({ exitCode: 0 });
  expect(await command(data, "repair", "--accept-loss")).toMatchObject({ exitCode: 2 });
  expect(readdirSync(data)).toContain("incarnation");
  expect(readdirSync(data)).toContain("backup.lock");
  expect(new Set(ownersIn(data))).toEqual(new Set([nobody]));
  // The copies are root's own.
  expect(new Set(ownersIn(backups))).toEqual(new Set([0]));
});

testWith("root", "root begins and restores nothing in an empty folder of another user", async () => {
  const [data, empty, archive] = ["data", "empty", "all.tar"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await add(data);
  expect(await command(data, "backup", archive)).toMatchObject({ exitCode: 0 });
  mkdirSync(empty);
  giveAway(empty);
  const refusal = `belongs to the user with the number ${nobody}`;
  await expect(add(empty)).rejects.toMatchObject({ code: 409, message: expect.stringContaining(refusal) });
  expect(await command(empty, "restore", archive)).toMatchObject({
    exitCode: 2,
    printed: expect.stringContaining(refusal),
  });
  expect(readdirSync(empty)).toEqual([]);
  // A server may have this one open: nobody is told to take it from its user.
  giveAway(data);
  expect(await command(data, "restore", archive)).toMatchObject({
    exitCode: 2,
    printed: expect.stringMatching(/is not empty, .* restore into a new folder/),
  });
});

test.skipIf(!isThere("root"))(
  nameWith(
    "root",
    "root starts no server on the data of another user, and one in an empty folder of another user",
  ),
  async () => {
    const [data, empty] = [join(folder, "data"), join(folder, "empty")];
    await add(data);
    mkdirSync(empty);
    for (const path of [data, empty]) giveAway(path);
    const names = readdirSync(data);
    const { exitCode, printed } = await command(data, "serve", "--port", "0");
    expect([exitCode, printed]).toEqual([
      2,
      `footfall: ${data} belongs to the user with the number ${nobody}, whose server could not open what root writes there: ` +
        `start the server as that user, or give root the folder for good with 'chown -R root ${data}'`,
    ]);
    expect(readdirSync(data)).toEqual(names);
    expect(new Set(ownersIn(data))).toEqual(new Set([nobody]));
    // A container that runs as root begins its data in a volume of the image's user, and starts again with it.
    for (let start = 0; start < 2; start++) {
      const server = await ServerProcess.start([executable], folder, ["--data", empty]);
      expect(await server.end("SIGTERM")).toBe(0);
    }
    // The owner of a folder that was begun before it had a lock is that of its files.
    rmSync(join(data, "LOCK"));
    expect(await command(data, "serve", "--port", "0")).toMatchObject({ exitCode: 2 });
    expect(Bun.spawnSync(["sh", "-c", /'(chown [^']+)'/.exec(printed)?.[1] ?? ""]).exitCode).toBe(0);
    const server = await ServerProcess.start([executable], folder, ["--data", data]);
    expect(await server.end("SIGTERM")).toBe(0);
  },
);

test.skipIf(!isThere("root") || !isThere("linux"))(
  nameWith(
    "root",
    "on a mount that gives what root makes to another user, root starts servers and runs commands",
  ),
  async () => {
    const data = join(folder, "data");
    await add(data);
    giveAway(folder);
    const expectBoth = () =>
      [expectOwnData, expectOwnFolder].map((expectOwn) => expect(() => expectOwn(data)));
    // This thread is root, and its new files belong to that user: as with NFS that squashes root, or a mount with one owner.
    callLibc("setfsuid", nobody);
    try {
      for (const expected of expectBoth()) expected.not.toThrow();
    } finally {
      callLibc("setfsuid", 0);
    }
    for (const expected of expectBoth())
      expected.toThrow("whose server could not open what root writes there");
    // Root's server ran there after the other user's: it goes on, as it did before.
    const newest = readdirSync(data)
      .filter((name) => name.endsWith(".manifest"))
      .toSorted()
      .at(-1)!;
    chownSync(join(data, newest), 0, 0);
    expectOwnData(data);
    // Nothing is left of looking.
    expect(readdirSync(data).filter((name) => name.startsWith("owner-"))).toEqual([]);
  },
);

testWith(
  "root",
  "the refusal says what lends root a folder, also one behind a link, and gives it back",
  async () => {
    // The unit of systemd has its folder in one that its user may not enter, and a link to it.
    const [shut, link, archive] = ["private", "state", "all.tar"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    mkdirSync(shut, { mode: 0o700 });
    const data = join(shut, "state");
    await add(data);
    expect(await command(data, "backup", archive)).toMatchObject({ exitCode: 0 });
    rmSync(data, { recursive: true });
    mkdirSync(data);
    giveAway(data);
    symlinkSync(data, link);
    const { exitCode, printed } = await command(link, "restore", archive);
    expect(exitCode).toBe(2);
    const [lend, giveBack] = Array.from(printed.matchAll(/'(chown [^']+)'/g), ([, line = ""]) => line);
    const runs = (line = "") => expect(Bun.spawnSync(["sh", "-c", line], { cwd: folder }).exitCode).toBe(0);
    runs(lend);
    expect(await command(link, "restore", archive)).toMatchObject({ exitCode: 0 });
    runs(giveBack);
    expect([statSync(data).uid, ...new Set(ownersIn(data))]).toEqual([nobody, nobody]);
  },
);
