/** The tools on a folder with months that gave up their rows: check, backup, restore and repair. */
import { expect, test } from "bun:test";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { command } from "../support/command.ts";
import { useFolder } from "../support/folder.ts";
import {
  answersTo,
  goldenAnswers,
  goldenTop,
  openGolden,
  type KeptAnswer,
} from "../support/golden-folder.ts";

const top = useFolder();

const sound = join(top, "sound");
cpSync(join(goldenTop, "months-1"), sound, { recursive: true });

function monthsIn(folder: string): ReadonlyMap<string, string> {
  const names = (readdirSync(folder, { recursive: true }) as string[]).filter((name) =>
    name.endsWith(".month"),
  );
  return new Map(names.sort().map((name) => [name, readFileSync(join(folder, name)).toHex()]));
}

function copy(name: string): string {
  const folder = join(top, name);
  cpSync(sound, folder, { recursive: true });
  return folder;
}

/** The answers of a copy of the folder: asking leaves its own files as they are. */
async function answersOf(folder: string): Promise<KeptAnswer[]> {
  const asked = join(top, `asked ${readdirSync(top).length}`);
  cpSync(folder, asked, { recursive: true });
  const engine = await openGolden(asked);
  const answers = await goldenAnswers(engine);
  await engine.stop();
  return answers;
}

test("a backup, to a file and to a folder, has them, and so has what is restored", async () => {
  const expected = await answersOf(sound);
  for (const kind of ["backup.tar", "backups"]) {
    const target = kind === "backups" ? `${join(top, kind)}/` : join(top, kind);
    expect(await command(copy(`of ${kind}`), "backup", target)).toMatchObject({ exitCode: 0 });
    const restored = join(top, `from ${kind}`);
    expect(await command(restored, "restore", target)).toMatchObject({ exitCode: 0 });
    expect(monthsIn(restored)).toEqual(monthsIn(sound));
    expect(await command(restored, "check")).toMatchObject({ exitCode: 0 });
    expect(await answersOf(restored)).toEqual(expected);
  }
});

test.each(["flipped", "missing", "swapped"])(
  "one that is %s is reported, and leaves with its month",
  async (how) => {
    const folder = copy(how);
    const [name = "", other = ""] = [...monthsIn(folder).keys()];
    const path = join(folder, name);
    if (how === "missing") rmSync(path);
    if (how === "swapped") cpSync(join(folder, other), path);
    if (how === "flipped")
      writeFileSync(
        path,
        readFileSync(path).map((byte, at) => (at === 5_000 ? byte ^ 4 : byte)),
      );
    const found = await command(folder, "check");
    expect(found.exitCode).not.toBe(0);
    expect(found.printed).toContain(name);
    const mended = await command(folder, "repair", "--accept-loss", "--aside", `${folder} aside`);
    expect(mended).toMatchObject({ exitCode: 0 });
    const month = /(\d{4}-\d{2})-/.exec(name)?.[1];
    expect(mended.printed).toMatch(new RegExp(`lost: .*${month}: .* page views and events`));
    expect(await command(folder, "check")).toMatchObject({ exitCode: 0 });
    expect([...monthsIn(folder).keys()]).toEqual([...monthsIn(sound).keys()].filter((own) => own !== name));
    const engine = await openGolden(folder);
    const others = (await answersOf(sound)).filter(
      ({ websiteId }) => !name.startsWith(`chunks/${websiteId}/`),
    );
    expect(await answersTo(engine, others)).toEqual(others);
    await engine.stop();
  },
);
