/**
 * Reads the sections of a verified file by their names. A section that is missing or of the wrong shape is
 * WrongContent; the callers decide what a section missing from an older file means.
 */
import { expectContent } from "../lib/decoding.ts";
import { readJson, type Section } from "./section.ts";

/** The sections of a file, some of which may be read when they are asked for. */
export type Sections = Pick<ReadonlyMap<string, Uint8Array>, "has" | "get">;

export function byName(sections: readonly Section[]): Sections {
  return new Map(sections.map(({ name, data }) => [name, data]));
}

/** Returns sections by name: those of `own`, and others from `sections`, which are asked for them one by one. */
export function inPlaceOf(sections: Sections, own: readonly Section[]): Sections {
  const known = byName(own);
  return {
    has: (name) => known.has(name) || sections.has(name),
    get: (name) => known.get(name) ?? sections.get(name),
  };
}

export function section(sections: Sections, name: string): Uint8Array {
  const data = sections.get(name);
  expectContent(data !== undefined, `the section ${name} is missing`);
  return data;
}

export function copied(sections: Sections, name: string): ArrayBuffer {
  return section(sections, name).slice().buffer;
}

/** Returns a view of the section; sections begin at multiples of eight. */
export function viewedWords(sections: Sections, name: string): Uint32Array {
  const { buffer, byteOffset, length } = viewed(sections, name, 4);
  return new Uint32Array(buffer, byteOffset, length / 4);
}

export function viewedHalves(sections: Sections, name: string): Uint16Array {
  const { buffer, byteOffset, length } = viewed(sections, name, 2);
  return new Uint16Array(buffer, byteOffset, length / 2);
}

export function viewedNumbers(sections: Sections, name: string): Float64Array {
  const { buffer, byteOffset, length } = viewed(sections, name, 8);
  return new Float64Array(buffer, byteOffset, length / 8);
}

export function json(sections: Sections, name: string): unknown {
  return readJson(section(sections, name));
}

function viewed(sections: Sections, name: string, bytesOfEntry: number): Uint8Array {
  const data = section(sections, name);
  expectContent(data.length % bytesOfEntry === 0, `the section ${name} has ${data.length} bytes`);
  return data;
}
