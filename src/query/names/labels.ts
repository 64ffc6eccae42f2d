/**
 * Maps each dictionary id to the row of a list that it belongs to, and the row to its label. Ids with the same label
 * share a row: referrers of one group, dialects of one language. The map is kept per website and extended as its
 * dictionary grows.
 */
import type { DimensionName } from "../../core/dimension.ts";
import { roomFor, scratch, type Holder } from "../../lib/scratch.ts";
import { grown } from "../../store/columns/column.ts";
import type { ReadDictionary, ReadTuples } from "../../store/mirror/read-site.ts";
import { countryName, dialectName, languageName } from "./names.ts";
import { referrerGroup } from "./referrer-groups.ts";

/** The options that change the rows of a list. */
export interface Labelling {
  /** referrers: whether rows are groups of referrers. */
  readonly grouped: boolean;
  /** languages: whether rows are dialects. */
  readonly locale: boolean;
}

type Labeller = (value: string) => string;

const itself: Labeller = (value) => value;

function labeller(name: DimensionName, { grouped, locale }: Labelling): Labeller {
  if (name === "referrer" && grouped) return referrerGroup;
  if (name === "language") return locale ? dialectName : languageName;
  return name === "country" ? countryName : itself;
}

/**
 * The bytes that a label takes besides its characters: a string, its index among the labels, and the map entry to it.
 */
const labelBytes = 96;

const none = new Uint32Array(0);

/**
 * The groups of one dictionary's ids. Group 0 is overflow. If they were evicted between questions, they are rebuilt
 * from the dictionary, to which they hold no reference.
 */
export class Groups implements Holder {
  readonly isDear = true;
  /** The group of each dictionary id. */
  ofId = none;
  labels: string[] = [""];
  private known = 1;
  private ofTuple = none;
  private knownTuples = 0;
  private byLabel = new Map<string, number>();
  private ofLabels = 0;

  constructor(private readonly labelOf: (value: string) => string) {}

  extend(dictionary: ReadDictionary): this {
    const { size } = dictionary;
    this.ofId = roomy(size, this.ofId);
    for (; this.known < size; this.known++)
      this.ofId[this.known] = this.groupOf(this.labelOf(dictionary.value(this.known)));
    this.hold();
    return this;
  }

  /** Returns the group of each tuple in the table that holds the dictionary's ids as its member `member`. */
  ofTuples({ members, size }: ReadTuples, member: number): Uint32Array {
    const ids = members[member] as Uint32Array;
    this.ofTuple = roomy(size, this.ofTuple);
    this.hold();
    for (; this.knownTuples < size; this.knownTuples++)
      this.ofTuple[this.knownTuples] = this.ofId[ids[this.knownTuples] as number] as number;
    return this.ofTuple;
  }

  letGo(): void {
    this.ofId = none;
    this.labels = [""];
    this.known = 1;
    this.ofTuple = none;
    this.knownTuples = 0;
    this.byLabel = new Map();
    this.ofLabels = 0;
  }

  private hold(): void {
    scratch.hold(this, this.ofId.byteLength + this.ofTuple.byteLength + this.ofLabels);
  }

  private groupOf(label: string): number {
    const known = this.byLabel.get(label);
    if (known !== undefined) return known;
    this.byLabel.set(label, this.labels.length);
    this.ofLabels += labelBytes + label.length;
    return this.labels.push(label) - 1;
  }
}

/** Returns the same column if it is long enough, else a longer copy. */
function roomy(size: number, column: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  return column.length >= size ? column : grown(column, new Uint32Array(roomFor(size)));
}

const cache = new WeakMap<ReadDictionary, Map<Labeller, Groups>>();

export function groupsOf(dictionary: ReadDictionary, name: DimensionName, labelling: Labelling): Groups {
  const labelOf = labeller(name, labelling);
  const known = cache.get(dictionary) ?? new Map<Labeller, Groups>();
  cache.set(dictionary, known);
  const groups = known.get(labelOf) ?? new Groups(labelOf);
  known.set(labelOf, groups);
  return groups.extend(dictionary);
}
