/** Reading the sections of a file that was verified: what is missing or of the wrong shape is a bug. */
import { assert } from "../lib/assert.ts";
import { readJson } from "../snapshot/section.ts";

export type Sections = ReadonlyMap<string, Uint8Array>;

export function section(sections: Sections, name: string): Uint8Array {
  const data = sections.get(name);
  assert(data !== undefined, `a verified file has the section ${name}`);
  return data;
}

export function copied(sections: Sections, name: string): ArrayBuffer {
  return section(sections, name).slice().buffer;
}

export function words(sections: Sections, name: string): Uint32Array<ArrayBuffer> {
  return new Uint32Array(copied(sections, name));
}

/** Where they lie: sections begin at multiples of eight. */
export function viewedWords(sections: Sections, name: string): Uint32Array {
  const { buffer, byteOffset, byteLength } = section(sections, name);
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}

export function viewedHalves(sections: Sections, name: string): Uint16Array {
  const { buffer, byteOffset, byteLength } = section(sections, name);
  return new Uint16Array(buffer, byteOffset, byteLength / 2);
}

export function json(sections: Sections, name: string): unknown {
  return readJson(section(sections, name));
}
