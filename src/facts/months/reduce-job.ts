/**
 * Writes the file of a month that gives up its rows from the files of a checkpoint, and writes it again when ids
 * change.
 */
import { dirname, join } from "node:path";
import { derivedNames, type DerivedName } from "../../core/questions/stored-dimension.ts";
import { writeFile, type Disk } from "../../lib/disk/disk.ts";
import { packed } from "../../lib/packing/packed-columns.ts";
import type { FileEntry } from "../../snapshot/manifest.ts";
import type { Sections } from "../../snapshot/named-sections.ts";
import { readEntry } from "../../snapshot/read-checkpoint.ts";
import { encodeSections, fileChecksum, readJson, type Section } from "../../snapshot/section.ts";
import { Chunk } from "../../store/chunks/chunk.ts";
import { joinedChunk, type ChunkPlan } from "../../store/files/join-chunks.ts";
import { viewChunk, viewColumns } from "../../store/files/save-chunk.ts";
import { fileOfMonth, ReducedMonth, usesName, type ReducedIds } from "../../store/state/reduced-month.ts";
import type { Target } from "../../core/website/goal.ts";
import type { KeptGoals } from "./converted.ts";
import type { ChannelsOf } from "../channel-sums.ts";
import { classesIn, classSections, laterClasses } from "./class-sums.ts";
import type { RollupOf } from "../facts.ts";
import { readSite } from "../making/job.ts";
import { ReducedFacts } from "./reduced-facts.ts";
import { pagedSections } from "./paged-digests.ts";
import { digestUnits, reducedSections } from "./reduce.ts";
import {
  conversionsName,
  crossingsName,
  goalsName,
  packedGoalValues,
  quartersName,
  type ConversionsOf,
} from "./sections/goal-sections.ts";
import { totalsSection } from "./goal-totals.ts";
import { listedOf } from "../rollup.ts";
import { packedRepeats, repeatsName, rollupSections, sorted } from "./sections/reduced-sections.ts";
import { timedName, timedRollupSections } from "./sections/timed-sections.ts";

export interface ReduceJob {
  readonly folder: string;
  /** The path of the file below the folder. */
  readonly name: string;
  /** The files with the website's dictionaries and tuples, in their order. */
  readonly site: readonly FileEntry[];
  /** All chunks of the month. */
  readonly month: ChunkPlan;
  /** The files of the chunks that have the first rows of the next month. */
  readonly later: readonly FileEntry[];
  /** The goals that the website has now. */
  readonly targets: readonly Target[];
}

/**
 * Writes the file, and returns its entry once it is durable. `compile`: looks goals up among the ids of a website;
 * `channelsOf`: returns the channels of its tuples. Throws SnapshotDamage, NewerFormat and DiskError.
 */
export function reduceMonth(
  disk: Disk,
  { folder, name, site: files, month, later, targets }: ReduceJob,
  compile: KeptGoals["compile"],
  channelsOf: ChannelsOf,
): FileEntry {
  const site = readSite(disk, folder, files);
  const read = (entry: FileEntry) => readEntry(disk, folder, entry);
  const joined = new Map(joinedChunk(month, read).map((own) => [own.name, own.data]));
  const sections = reducedSections(
    site,
    atHand(Chunk.sealed(month.head, () => viewColumns(joined))),
    later.map((entry) => atHand(viewChunk(read(entry)))),
    { targets, compile },
    channelsOf,
  );
  const data = encodeSections(fileOfMonth(month.head, sections));
  const path = join(folder, name);
  writeFile(disk, path, data);
  disk.syncDirectory(dirname(path));
  return { name, bytes: data.length, checksum: fileChecksum(data), mapped: true };
}

/** Returns a chunk whose columns are not looked for each time that they are asked for. */
function atHand({ head, columns }: Chunk): Chunk {
  return Chunk.sealed(head, () => columns);
}

/** A month whose file is to be written with the ids of now. */
export interface RenumberPlan {
  readonly file: FileEntry;
  readonly head: ReducedMonth["head"];
  readonly rewrites: readonly ReducedIds[];
}

/** Returns the sections of the file with the ids of now, in the present format. */
export function renumberedSections({ file, head, rewrites }: RenumberPlan, sections: Sections): Section[] {
  const month = new ReducedMonth(head, file, () => sections, rewrites);
  const facts = new ReducedFacts(month, (_, __, make) => make().value);
  const { names, days, events } = facts.events();
  const { ids, counts } = month.uses({ property: "names" });
  return fileOfMonth(head, [
    ...listedOf.flatMap((of) => [
      ...rollupSectionsOf(facts, of),
      ...(month.has(repeatsName(of))
        ? [{ name: repeatsName(of), data: packedRepeats(facts.repeats(of)) }]
        : []),
      ...(facts.isTimed && month.has(repeatsName(of))
        ? [{ name: timedName(repeatsName(of)), data: packedRepeats(facts.repeats(of, "timed")) }]
        : []),
    ]),
    ...derivedNames.flatMap((of) => renumberedClasses(month, facts, of)),
    ...sectionsWithoutIds
      .filter((name) => month.has(name))
      .map((name) => ({ name, data: month.section(name) })),
    ...pagedSections(facts.pages()),
    { name: "events", data: packed([names, days, events]) },
    { name: usesName({ property: "names" }), data: packed([ids, counts]) },
    ...renumberedGoals(month, facts),
  ]);
}

function renumberedClasses(month: ReducedMonth, facts: ReducedFacts, of: DerivedName): Section[] {
  const classes = classesIn(month, of);
  if (classes === undefined) return [];
  const whole = facts.rollup(of, "whole");
  return classSections(of, whole, facts.rollup(of, "day"), laterClasses(classes, whole.ids));
}

function renumberedGoals(month: ReducedMonth, facts: ReducedFacts): Section[] {
  if (!month.has(goalsName)) return [];
  const keys = readJson(month.section(goalsName)) as readonly string[];
  const kept = (names: readonly string[]) => names.map((name) => ({ name, data: month.section(name) }));
  const byTime = kept(keys.flatMap((_, goal) => [quartersName(goal), crossingsName(goal)]));
  const lists: readonly ConversionsOf[] = [...listedOf, "entries", "exits"];
  const valuesOf = (of: ConversionsOf) => keys.map((_, goal) => facts.goalValues(of, goal));
  return [
    ...kept([goalsName]),
    totalsSection(keys.length, byTime),
    ...byTime,
    ...lists
      .filter((of) => month.has(conversionsName(of)))
      .map((of) => ({ name: conversionsName(of), data: packedGoalValues(valuesOf(of)) })),
  ];
}

const sectionsOfVisits = ["repeats", "crossings", "quarters"];
/** The sections that name no ids. */
const sectionsWithoutIds = [
  ...sectionsOfVisits,
  ...sectionsOfVisits.map(timedName),
  ...digestUnits.map((unit) => `durations ${unit}`),
];

function rollupSectionsOf(facts: ReducedFacts, of: RollupOf): Section[] {
  if (!facts.has(of)) return [];
  const whole = facts.rollup(of, "whole");
  const days = () => facts.rollup(of, "day");
  if (facts.isTimed) return timedRollupSections(of, whole, days);
  return rollupSections(of, sorted(whole), sorted(days()));
}
