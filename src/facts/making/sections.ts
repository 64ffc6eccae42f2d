/**
 * Facts as sections of bytes, and as views of the sections. Views copy nothing, because sections are aligned to eight
 * bytes. Each section begins with two numbers that state its sizes, followed by its arrays one after the other.
 *
 *   rollup D U := parts u32, entries u32, totalMs f64*, ends u32*, unique u32*, visitsOfPart u32*, timedVisitsOfPart u32*,
 *                 ids u32*, counts u32*, visits u32*, distinctVisits u32*, timedVisits u32*
 *   rollup by D U := as rollup D U; by D := tuples u32, checksum u32
 *   outside R  := groups u32, 0 u32, totalMs f64*, pageviews u32*; of a rollup or of the quarters, if there are any
 *   quarters   := quarters u32, 0 u32, totalMs f64*, numbers i32*, counts u32*, visits u32*
 *   wavelet    := durations u32, levels u32, ones u32*, bits u32*
 *   pages      := pages u32, durations u32, ids u32*, ends u32*, values u32*
 *   events     := names u32, 0 u32, names u32*, events u32*
 *   visits     := pages u32, rows u32, pages u32*, firstRows u32*, endRows u32*, bits u32*, ofSeveralDays u32*
 *
 * but for `incomplete visits`, which is the file of a chunk (incomplete-visits.ts), and those of grouped-sections.ts.
 */
import { storedDimensions, type DerivedName } from "../../core/questions/stored-dimension.ts";
import type { Section } from "../../snapshot/section.ts";
import { section, type Sections } from "../../snapshot/named-sections.ts";
import { visitParts } from "../../store/columns/row-flag.ts";
import { pageViewClasses } from "../../store/columns/row-class.ts";
import type { Chunk } from "../../store/chunks/chunk.ts";
import type { NameEvents } from "../events.ts";
import { incompleteName, incompleteVisitsIn } from "../incomplete-visits.ts";
import type { Rollup, Unit } from "../entries.ts";
import type { ChannelCheck, ChunkFacts, RollupOf } from "../facts.ts";
import type { GroupedVisits, LabelKind } from "../grouped-visits.ts";
import type { Outside } from "../outside-visits.ts";
import type { PageDurations } from "../page-durations.ts";
import { quarterVisits, type Quarters } from "../quarters.ts";
import { pageWords, type ChunkVisits } from "../visits.ts";
import { waveletWords, type Wavelet } from "../wavelet.ts";
import { Arrays, roomOf, sectionOf } from "./arrays.ts";
import { groupedName, groupedVisitsIn, groupsIn, groupsName } from "./grouped-sections.ts";
import { usable } from "./unusable.ts";

function rollupIn(data: Uint8Array): Omit<Rollup, "outside"> {
  const arrays = new Arrays(data);
  const [parts, entries] = arrays.sizes;
  return {
    totalMs: arrays.doubles(entries),
    ends: arrays.words(parts),
    unique: arrays.words(parts),
    visitsOfPart: arrays.words(parts),
    timedVisitsOfPart: arrays.words(parts),
    ids: arrays.words(entries),
    counts: arrays.words(entries * pageViewClasses),
    visits: arrays.words(entries * visitParts),
    distinctVisits: arrays.words(entries),
    timedVisits: arrays.words(entries),
  };
}

export function rollupSections(of: RollupOf, unit: Unit, { outside, ...sums }: Rollup): Section[] {
  const name = rollupName(of, unit);
  const sizes = [sums.ends.length, sums.ids.length] as const;
  return [sectionOf(name, sizes, rollupIn, sums), ...outsideSections(name, outside)];
}

function rollupName(of: RollupOf, unit: Unit): string {
  return `rollup ${typeof of === "string" ? checkName(of) : storedDimensions[of]?.name} ${unit}`;
}

/** The name is part of those of all sums by this channel. */
export function checkName(of: DerivedName): string {
  return `by ${of}`;
}

function checkIn(data: Uint8Array): ChannelCheck {
  const [tuples, checksum] = new Arrays(data).sizes;
  return { tuples, checksum };
}

export function checkSection(of: DerivedName, { tuples, checksum }: ChannelCheck): Section {
  return { name: checkName(of), data: roomOf(0, tuples, checksum) };
}

function outsideIn(data: Uint8Array): Outside {
  const arrays = new Arrays(data);
  const [groups] = arrays.sizes;
  return { totalMs: arrays.doubles(groups), pageviews: arrays.words(groups) };
}

/** `of`: the name of the section whose groups they are. */
function outsideSections(of: string, outside: Outside | undefined): Section[] {
  if (outside === undefined) return [];
  return [sectionOf(`outside ${of}`, [outside.pageviews.length, 0], outsideIn, outside)];
}

function quartersIn(data: Uint8Array): Omit<Quarters, "outside"> {
  const arrays = new Arrays(data);
  const [quarters] = arrays.sizes;
  return {
    totalMs: arrays.doubles(quarters + 1),
    numbers: arrays.signed(quarters),
    counts: arrays.words((quarters + 1) * pageViewClasses),
    visits: arrays.words((quarters + 1) * quarterVisits),
  };
}

export function quartersSections({ outside, ...sums }: Quarters): Section[] {
  const section = sectionOf("quarters", [sums.numbers.length, 0], quartersIn, sums);
  return [section, ...outsideSections("quarters", outside)];
}

export function waveletIn(data: Uint8Array): Wavelet {
  const arrays = new Arrays(data);
  const [length, levels] = arrays.sizes;
  const words = waveletWords(length, levels);
  return { length, levels, ones: arrays.words(words.ones), bits: arrays.words(words.bits) };
}

/** Returns a section of zeros, to be filled through `waveletIn`. */
export function newWavelet(length: number, levels: number): Section {
  const { ones, bits } = waveletWords(length, levels);
  return { name: "wavelet", data: roomOf(4 * (ones + bits), length, levels) };
}

function pagesIn(data: Uint8Array): PageDurations {
  const arrays = new Arrays(data);
  const [pages, durations] = arrays.sizes;
  return { ids: arrays.words(pages), ends: arrays.words(pages), values: arrays.words(durations) };
}

export function pagesSection(pages: PageDurations): Section {
  return sectionOf("pages", [pages.ids.length, pages.values.length], pagesIn, pages);
}

function eventsIn(data: Uint8Array): NameEvents {
  const arrays = new Arrays(data);
  const [names] = arrays.sizes;
  return { names: arrays.words(names), events: arrays.words(names) };
}

export function eventsSection(events: NameEvents): Section {
  return sectionOf("events", [events.names.length, 0], eventsIn, events);
}

function visitsIn(data: Uint8Array): ChunkVisits {
  const arrays = new Arrays(data);
  const [pages, rows] = arrays.sizes;
  return {
    pages: arrays.words(pages),
    firstRows: arrays.words(pages),
    endRows: arrays.words(pages),
    bits: arrays.words(pages * pageWords),
    ofSeveralDays: arrays.words(rows),
  };
}

export function visitsSection(visits: ChunkVisits): Section {
  return sectionOf("visits", [visits.pages.length, visits.ofSeveralDays.length], visitsIn, visits);
}

/**
 * The facts in sections that `buildFacts` returned. The data of each section is aligned to eight bytes. Each method throws
 * UnusableFacts.
 */
export class FactsView implements ChunkFacts {
  private incomplete: Chunk | undefined;

  /** `names`: the sections that were written. Reading one of these throws if it is missing. */
  constructor(
    private readonly sections: Sections,
    private readonly names: ReadonlySet<string>,
    private readonly file: string,
  ) {}

  rollup(of: RollupOf, unit: Unit): Rollup | undefined {
    const name = rollupName(of, unit);
    const own = this.readIfAny(name, rollupIn);
    return own && { ...own, outside: this.outside(name) };
  }

  channelCheck(of: DerivedName): ChannelCheck {
    return this.read(checkName(of), checkIn);
  }

  groupedVisits(by: LabelKind, unit: Unit): GroupedVisits | undefined {
    const groups = this.readIfAny(groupsName(by, unit), groupsIn);
    return groups && { ...groups, ...this.read(groupedName(by, unit), groupedVisitsIn) };
  }

  quarters(): Quarters {
    return { ...this.read("quarters", quartersIn), outside: this.outside("quarters") };
  }

  private outside(of: string): Outside | undefined {
    return this.readIfAny(`outside ${of}`, outsideIn);
  }

  durations(): Wavelet {
    return this.read("wavelet", waveletIn);
  }

  pageDurations(): PageDurations {
    return this.read("pages", pagesIn);
  }

  events(): NameEvents {
    return this.read("events", eventsIn);
  }

  visits(): ChunkVisits {
    return this.read("visits", visitsIn);
  }

  incompleteVisits(): Chunk | undefined {
    return (this.incomplete ??= this.readIfAny(incompleteName, incompleteVisitsIn));
  }

  private readIfAny<T>(name: string, decode: (data: Uint8Array) => T): T | undefined {
    return this.names.has(name) ? this.read(name, decode) : undefined;
  }

  private read<T>(name: string, decode: (data: Uint8Array) => T): T {
    return usable(this.file, () => decode(section(this.sections, name)));
  }
}
