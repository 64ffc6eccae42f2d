/**
 * Maps each dictionary id to the row of a list that it belongs to, and the row to its label. Ids with the same label
 * share a row: referrers of one group, dialects of one language. The map is kept per website and extended as its
 * dictionary grows.
 */
import { unknownLabel } from "../../core/questions/dimension.ts";
import { ownDimension, unknownReferrer, type RowName } from "../../core/questions/stored-dimension.ts";
import type { Labellers, LabelKind } from "../../facts/grouped-visits.ts";
import { textKey } from "../../lib/hashes/text-key.ts";
import { roomFor, scratch, type Holder } from "../../lib/memory/scratch.ts";
import { grown } from "../../store/columns/column.ts";
import type { ReadDictionary } from "../../store/mirror/read-site.ts";
import { countryName, dialectName, languageName } from "./names.ts";
import { referrerGroup } from "./referrer-groups.ts";
import { compareText, valueOrder } from "./text-order.ts";

/** The options that change the rows of a list. */
export interface Labelling {
  /** referrers: whether rows are groups of referrers. */
  readonly grouped: boolean;
  /** languages: whether rows are dialects. */
  readonly locale: boolean;
}

type Labeller = (value: string) => string;

const itself: Labeller = (value) => value;
/**
 * The other name does not change the order: no referrer lies between the two, for hosts begin with a digit, a small
 * letter or a bracket.
 */
const ungrouped: Labeller = (referrer) => (referrer === unknownReferrer ? unknownLabel : referrer);

/** Each may give several values one label. */
export const labellers: Labellers = {
  "referrer group": referrerGroup,
  language: languageName,
  dialect: dialectName,
  country: countryName,
};

/** Returns the kind of labels that values of a list may share; undefined if each has its own. */
export function labelKindOf(of: RowName, { grouped, locale }: Labelling): LabelKind | undefined {
  const name = ownDimension(of);
  if (name === "referrer") return grouped ? "referrer group" : undefined;
  if (name === "language") return locale ? "dialect" : "language";
  return name === "country" ? "country" : undefined;
}

function labeller(of: RowName, labelling: Labelling): Labeller {
  const kind = labelKindOf(of, labelling);
  if (kind !== undefined) return labellers[kind];
  return ownDimension(of) === "referrer" ? ungrouped : itself;
}

/**
 * The bytes that a label takes besides its characters: a string, its index among the labels, and the map entry to it.
 */
const labelBytes = 96;

const none = new Uint32Array(0);

/**
 * The group of each id; group 0 is overflow. Rebuilt from the dictionary, to which it keeps no reference, if its memory
 * was freed between questions. If values are their own labels, each is a group of its own, and no text is kept. Exported
 * for tests.
 */
export class Groups implements Holder {
  readonly isDear = true;
  /** The group of each dictionary id. */
  ofId = none;
  /** By group, where labels are not the values themselves. */
  labels: string[] = [""];
  private known = 1;
  private ofTuple = none;
  private knownTuples = 0;
  /** By the key of the label. */
  private byLabel = new Map<number, number>();
  private ofLabels = 0;

  constructor(readonly labelOf: Labeller) {}

  get isValues(): boolean {
    return this.labelOf === itself || this.labelOf === ungrouped;
  }

  extend(dictionary: ReadDictionary): this {
    const { size } = dictionary;
    this.ofId = roomy(size, this.ofId);
    for (; this.known < size; this.known++)
      this.ofId[this.known] = this.isValues
        ? this.known
        : this.groupOf(this.labelOf(dictionary.value(this.known)));
    this.hold();
    return this;
  }

  /** Returns the group of each of `size` tuples. `ids`: the dictionary's id in each of them. */
  ofTuples(ids: Uint32Array, size: number): Uint32Array {
    if (this.isValues) return ids;
    this.ofTuple = roomy(size, this.ofTuple);
    this.hold();
    for (; this.knownTuples < size; this.knownTuples++)
      this.ofTuple[this.knownTuples] = this.ofId[ids[this.knownTuples]!]!;
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
    const key = textKey(label);
    const known = this.byLabel.get(key);
    if (known !== undefined && this.labels[known] === label) return known;
    this.byLabel.set(key, this.labels.length);
    this.ofLabels += labelBytes + label.length;
    return this.labels.push(label) - 1;
  }
}

/** The labels of the groups of a dictionary. */
export interface Labels {
  /** One more than the greatest group. */
  readonly size: number;
  /** Returns the label of a group from 1 on. */
  of(group: number): string;
  /** Orders two groups from 1 on by code unit. */
  compare(a: number, b: number): number;
}

/** Returns the labels of groups of the dictionary. */
export function labelsOf({ isValues, labels, labelOf }: Groups, dictionary: ReadDictionary): Labels {
  if (isValues)
    return {
      size: dictionary.size,
      of: (group) => labelOf(dictionary.value(group)),
      compare: valueOrder(dictionary),
    };
  return {
    size: labels.length,
    of: (group) => labels[group]!,
    compare: (a, b) => compareText(labels[a]!, labels[b]!),
  };
}

/** The column, or a longer copy of it. */
function roomy(size: number, column: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  return column.length >= size ? column : grown(column, new Uint32Array(roomFor(size)));
}

const cache = new WeakMap<ReadDictionary, Map<Labeller, Groups>>();

/** Returns the groups of the rows of a list. */
export function groupsOf(dictionary: ReadDictionary, name: RowName, labelling: Labelling): Groups {
  return groupsBy(dictionary, labeller(name, labelling));
}

/** Returns the groups of the values to which `labelOf` gives one label; the same function has them again. */
export function groupsBy(dictionary: ReadDictionary, labelOf: Labeller): Groups {
  const known = cache.getOrInsertComputed(dictionary, () => new Map());
  return known.getOrInsertComputed(labelOf, () => new Groups(labelOf)).extend(dictionary);
}
