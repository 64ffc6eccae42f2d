import { describe, expect, test } from "bun:test";
import { ChangedSections } from "../../src/snapshot/changed-sections.ts";
import { SnapshotDamage, type Section } from "../../src/snapshot/section.ts";
import { randomFrom } from "../support/random.ts";
import { seed } from "../support/seed.ts";

const length = 4_096;
const random = randomFrom(seed());
const bytes = (size = length) => Uint8Array.from({ length: size }, () => Math.floor(256 * random()));
/** Some of the bytes get other values. */
const changed = (before: Uint8Array, share: number) =>
  before.map((byte) => (random() < share ? byte ^ (1 + Math.floor(255 * random())) : byte));

function mapping(file: readonly Section[]): Map<string, Uint8Array> {
  return new Map(file.map(({ name, data }) => [name, data.slice()]));
}

describe("sections in place of a file's", () => {
  const file = ["few", "many", "longer", "same", "other"].map((name) => ({ name, data: bytes() }));
  const of = (name: string) => file.find((section) => section.name === name)!.data;
  const made = [
    { name: "few", data: changed(of("few"), 0.01) },
    { name: "many", data: changed(of("many"), 0.5) },
    { name: "longer", data: bytes(length + 8) },
    { name: "same", data: of("same").slice() },
    { name: "new", data: bytes(8) },
  ];
  const expected = new Map([...file, ...made].map(({ name, data }) => [name, data]));

  /** Copies, which are freed. */
  const own = () => made.map(({ name, data }) => ({ name, data: data.slice() }));

  test("are what they are in every mapping of the file, and the file's others beside them", () => {
    const sections = new ChangedSections(own());
    for (let mappings = 0; mappings < 3; mappings++) {
      const over = sections.over(mapping(file));
      for (const [name, data] of expected) expect([name, over.get(name)]).toEqual([name, data]);
      expect([over.has("new"), over.has("other"), over.has("none")]).toEqual([true, true, false]);
      expect(over.get("none")).toBeUndefined();
    }
  });

  test("take the memory of what differs, where that is little", () => {
    const sections = new ChangedSections(own());
    expect(sections.bytes).toBe(4 * length + 8 + 8);
    sections.over(mapping(file));
    const differing = made[0]!.data.filter((byte, at) => byte !== of("few")[at]).length;
    expect(sections.bytes).toBe(5 * differing + length + (length + 8) + 8);
  });

  test("are let go with the mapping that they were written into", () => {
    const sections = new ChangedSections(own());
    const one = bytes(2 * length);
    one.set(of("few"));
    one.set(of("same"), length);
    const mapped = [one.subarray(0, length), one.subarray(length)] as const;
    const over = sections.over(
      new Map([
        ["few", mapped[0]],
        ["same", mapped[1]],
      ]),
    );
    const read = [over.get("few")!, over.get("many")!];
    expect(read.map(({ length }) => length)).toEqual([length, length]);
    sections.letGo();
    expect([...mapped, ...read].map(({ length }) => length)).toEqual([0, 0, 0, 0]);
    expect(sections.bytes).toBeLessThan(length);
  });

  test("leave a file as it is that they do not change", () => {
    const same = mapping(file);
    expect(new ChangedSections([]).over(same)).toBe(same);
  });

  test("are what they are where those of the file are damaged", () => {
    const damaged = mapping(file);
    const get = damaged.get.bind(damaged);
    damaged.get = (name) => {
      if (name === "few" || name === "other")
        throw new SnapshotDamage("1.chunk", 0, "wrong section checksum");
      return get(name);
    };
    const over = new ChangedSections(own()).over(damaged);
    for (const { name } of made) expect([name, over.get(name)]).toEqual([name, expected.get(name)]);
    expect(() => over.get("other")).toThrow("wrong section checksum");
  });

  test("are asked of the file again after it could not be read", () => {
    const sections = new ChangedSections(own());
    const damaged = new Map(mapping(file));
    damaged.get = () => {
      throw new Error("damaged");
    };
    expect(() => sections.over(damaged)).toThrow("damaged");
    expect(sections.over(mapping(file)).get("few")).toEqual(expected.get("few"));
  });
});
