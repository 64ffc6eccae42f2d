/**
 * The examples of docs/formats.md, made by the program itself: files with next to nothing in them, byte for byte, with
 * the meaning of the bytes. Each has the name under which the page shows it.
 */
import { Packr } from "msgpackr/pack";
import { encodeBatch, SegmentStrings } from "../../src/record/codec.ts";
import { encodeManifest } from "../../src/snapshot/manifest.ts";
import {
  aligned,
  encodeSections,
  fileChecksum,
  headBytes,
  type Section,
} from "../../src/snapshot/section.ts";
import type { Chunk } from "../../src/store/chunks/chunk.ts";
import { saveChunk, saveHeads } from "../../src/store/files/save-chunk.ts";
import { saveSite } from "../../src/store/files/save.ts";
import { Site } from "../../src/store/state/site.ts";
import { encodeFrame, encodeHeader, frameBytes, headerBytes, headerChecksum } from "../../src/wal/format.ts";
import { load, noonMs, valuesOf } from "./records.ts";

type Part = readonly [length: number, meaning: string];

const lineBytes = 16;
const folderId = Uint8Array.from({ length: 16 }, (_, at) => at * 17);

/** A line a part: offset, bytes, meaning; long parts go on in lines of their own. */
function dump(bytes: Uint8Array, parts: readonly Part[]): string {
  const lines: string[] = [];
  let at = 0;
  for (const [length, meaning] of parts)
    for (let end = at + length, first = true; at < end; first = false) {
      const row = bytes.subarray(at, Math.min(at + lineBytes, end));
      const hex = [...row].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
      const offset = at.toString().padStart(4);
      lines.push(`${offset}  ${hex.padEnd(3 * lineBytes)} ${first ? meaning : ""}`.trimEnd());
      at += row.length;
    }
  if (at !== bytes.length) throw new Error(`the parts have ${at} of ${bytes.length} bytes`);
  return lines.join("\n");
}

function segment(): string {
  const record = load("b-1", { values: valuesOf("/"), properties: [["plan", "free"]] });
  const payload = encodeBatch([record], new SegmentStrings());
  const header = encodeHeader({ folderId, number: 1, firstSeq: 1, previousLength: 0, previousChecksum: 0 });
  const seed = headerChecksum(header);
  const bytes = new Uint8Array(headerBytes + frameBytes(payload.length));
  bytes.set(header);
  encodeFrame(bytes, headerBytes, payload, { firstSeq: 1, count: 1, previousChecksum: seed, seed });
  const padding = bytes.length - headerBytes - 28 - payload.length;
  const parts: Part[] = [
    [4, 'magic, "FFW1"'],
    [4, "format 1"],
    [16, "id of the data folder"],
    [8, "first sequence number 1"],
    [8, "the segment before has 0 bytes that count"],
    [4, "checksum of its last frame: there is none"],
    [4, "number 1"],
    [4, "checksum of the 48 bytes before"],
    [4, "zero"],
    [4, "magic of a frame"],
    [4, `the payload has ${payload.length} bytes`],
    [8, "first sequence number 1"],
    [4, "1 record"],
    [4, "checksum before: that of the header"],
    [4, "checksum of this frame"],
    [payload.length, "payload"],
    ...(padding > 0 ? [[padding, "padding"] as const] : []),
  ];
  const values = new Packr({ useRecords: false }).unpack(payload) as unknown[];
  const written = values.map((value) => `  ${JSON.stringify(value)}`).join(",\n");
  return `${dump(bytes, parts)}\n\npayload = [\n${written}\n]`;
}

function container(): string {
  const sections = [
    { name: "log", data: new TextEncoder().encode('{"lastMs":0}') },
    { name: "path.ends", data: new Uint8Array(Uint32Array.of(1, 7, 9).buffer) },
  ];
  const bytes = encodeSections(sections);
  const parts: Part[] = [
    [4, 'magic, "FFFC"'],
    [4, "format"],
    [4, "2 sections"],
    [headBytes - 12, "checksum of the 12 bytes before"],
    ...sections.flatMap(({ name, data }): Part[] => [
      [4, `the name has ${name.length} bytes`],
      [4, `the data has ${data.length} bytes`],
      [4, "checksum of name and data"],
      [4, "zero"],
      [aligned(name.length), `"${name}", padded`],
      [aligned(data.length), "data, padded"],
    ]),
    [4, 'magic, "FFFE"'],
    [4, "checksum of all before"],
  ];
  return `${dump(bytes, parts)}\n\nas the manifest says it: ${bytes.length} bytes, checksum ${fileChecksum(bytes)}`;
}

/** A line a section: its name and its data, as JSON where it is that. */
function listed(sections: readonly Section[]): string {
  const width = Math.max(...sections.map(({ name }) => name.length));
  return sections
    .map(({ name, data }) => {
      const text = new TextDecoder().decode(data);
      const shown = text.startsWith("{")
        ? text.replaceAll(/(.{1,90}(?:,|\}+$))/g, `$1\n${" ".repeat(width + 2)}`)
        : hexOf(data);
      return `${name.padEnd(width)}  ${shown}`.trimEnd();
    })
    .join("\n");
}

function hexOf(data: Uint8Array): string {
  return data.length === 0
    ? "(no bytes)"
    : [...data].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
}

function website(): Site {
  const site = new Site(1);
  const row = site.addRow(noonMs, valuesOf("/"), 3);
  site.addProperties(row, { properties: [["plan", "free"]] }, noonMs);
  return site;
}

function manifest(): string {
  const files = [{ name: "0000000000000007.state", bytes: 1_234, checksum: 305_419_896 }];
  const names = { dimensions: ["path", "…"], columns: ["path", "…"], flags: ["unique", "…"] };
  const bytes = encodeManifest({ seq: 7, folderId: folderId.toHex(), names, files });
  const json = new TextDecoder().decode(bytes.subarray(headBytes + 16 + aligned("manifest".length), -8));
  return JSON.stringify(JSON.parse(json.replaceAll("\0", "")), undefined, 2);
}

export function formatExamples(): Readonly<Record<string, string>> {
  const [chunk] = [...website().chunks.values()] as [Chunk];
  return {
    segment: segment(),
    container: container(),
    manifest: manifest(),
    heads: listed(saveHeads([chunk.head])),
    site: listed(saveSite(website())),
    chunk: listed(saveChunk(chunk)),
  };
}
