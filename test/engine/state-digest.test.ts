/**
 * Nodes of several versions compare their digests where the forms are equal: a program that makes another digest of the same
 * folder has to say so by another form, or its nodes would stop each other in the middle of an upgrade.
 */
import { expect, test } from "bun:test";
import { digestForm, digestOf } from "../../src/engine/state-digest.ts";
import { goldenDisk, goldenNames, openGolden } from "../support/golden-folder.ts";
import { memoryIo } from "../support/memory-io.ts";

/**
 * If only the digests changed, `digestFormat` has to rise (engine/state-digest.ts). If the form did, because more is stored,
 * both are written anew here, so that the next change is noticed.
 */
const kept = {
  form: 2863854429,
  digests: {
    "folder-1": 1717706208,
    "folder-2": 2777775771,
    "folder-2-before-contents": 1717706208,
    "months-1": 3719894902,
    "months-2": 621985061,
    "months-3": 621985061,
  },
};

async function digests(): Promise<Record<string, number | undefined>> {
  const found: Record<string, number | undefined> = {};
  for (const name of [...goldenNames("folder"), ...goldenNames("months")]) {
    const engine = await openGolden("/data", { io: memoryIo(goldenDisk(name)) });
    found[name] = digestOf(engine["recovered"].state, engine.appliedSeq);
    await engine.stop();
  }
  return found;
}

test("the kept folders have another digest only where the form is another one", async () => {
  expect({ form: digestForm(), digests: await digests() }).toEqual(kept);
});
