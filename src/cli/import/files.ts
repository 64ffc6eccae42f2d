/** The files of an import with their formats, in the order of their first times: visitors are new only once a day. */
import type { Collector } from "../../collect/fact.ts";
import { badInput } from "../../core/refusal.ts";
import type { Format } from "./formats/format.ts";
import { isEmpty, recognised } from "./formats/formats.ts";
import { EventData, eventDataFormat } from "./formats/umami-data.ts";
import { Lines, rowBytesMax } from "./lines.ts";
import { LogSource } from "./source.ts";

export interface ImportFile {
  readonly path: string;
  readonly format: Format;
  /** By these it was recognised. */
  readonly firstLines: readonly string[];
  /** Returns it for reading, once for standard input. */
  open(): LogSource;
}

interface Timed extends ImportFile {
  readonly firstMs: number;
}

/**
 * Looks at the first lines of each. `format`: the one to read all as; without it each is recognised. `importLine`: the command that
 * imports standard input, for messages. Throws Refusal 400 for
 * what is of no format, and for standard input beside others; DiskError.
 */
export async function filesInOrder(
  paths: readonly string[],
  standardInput: AsyncIterable<Uint8Array>,
  collector: Collector,
  format?: Format,
  importLine?: string,
): Promise<readonly ImportFile[]> {
  if (paths.length > 1 && paths.includes("-")) throw badInput("FILE", "-", "standard input alone, or files");
  const files: Timed[] = [];
  for (const path of paths)
    files.push(await looked(path, () => new LogSource(path, standardInput, importLine), collector, format));
  return files.toSorted((a, b) => (a.firstMs < b.firstMs ? -1 : a.firstMs > b.firstMs ? 1 : 0));
}

async function looked(
  path: string,
  begin: () => LogSource,
  collector: Collector,
  given: Format | undefined,
): Promise<Timed> {
  const source = begin();
  const firstLines = await source.firstLines();
  const format = given ?? recognised(firstLines, source.shownPath);
  // Standard input cannot be opened twice.
  const isOnce = path === "-";
  if (!isOnce) await source.close();
  const open = () => (isOnce ? source : begin());
  return { path, format, firstLines, open, firstMs: firstTimeOf(firstLines, format, collector) };
}

/**
 * Takes the files with the values of Umami's events from those with its page views, and reads them into memory. Empty files
 * are taken out too, as that of a log that was just rotated, unless all are. Throws as `filesInOrder`.
 */
export async function withEventData(
  paths: readonly string[],
  collector: Collector,
  importLine: string,
): Promise<{
  readonly others: readonly string[];
  readonly empty: readonly string[];
  readonly data: EventData | undefined;
}> {
  const others: string[] = [];
  const empty: string[] = [];
  const data = new EventData();
  let hasData = false;
  const format = eventDataFormat(data);
  for (const path of paths) {
    // Standard input can be read only once.
    const source = path === "-" ? undefined : new LogSource(path, noBytes(), importLine);
    const firstLines = (await source?.firstLines()) ?? [];
    if (source !== undefined && format.recognises(firstLines)) {
      hasData = true;
      const reader = format.open({ collector, hostname: "localhost" });
      const lines = new Lines(rowBytesMax);
      const read = (line: string | undefined) => {
        const before = data.rows;
        const isRead = line !== undefined && reader.read(line) !== "unreadable";
        if (isRead || data.rows > before) return;
        data.rows++;
        data.unreadable++;
      };
      for await (const chunk of source.chunks()) for (const line of lines.of(chunk)) read(line);
      for (const line of lines.of(Buffer.from("\n"))) if (line) read(line);
    } else if (source !== undefined && isEmpty(firstLines) && (await isBlank(source))) empty.push(path);
    else others.push(path);
    await source?.close();
  }
  if (others.length === 0 && empty.length > 0) others.push(empty.shift()!);
  if (others.length === 0) throw badInput("FILE", paths.join(" "), "the file with the page views beside it");
  return { others, empty, data: hasData ? data : undefined };
}

/** Whether there is nothing in a whole file: its first lines may be empty, and others not. */
async function isBlank(source: LogSource): Promise<boolean> {
  for await (const chunk of source.chunks()) if (Buffer.from(chunk).toString().trim() !== "") return false;
  return true;
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}

/** Returns the time of the first row among the first lines; Infinity if there is none. */
function firstTimeOf(lines: readonly string[], format: Format, collector: Collector): number {
  const reader = format.open({ collector, hostname: "localhost" });
  for (const line of lines) {
    const timeMs = format.timeOf?.(line);
    if (timeMs !== undefined) return timeMs;
    const reading = reader.read(line);
    if (typeof reading !== "string") return reading.timeMs;
  }
  return Infinity;
}
