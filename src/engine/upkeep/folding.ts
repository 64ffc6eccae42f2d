/**
 * Makes room for new names where a website has nearly all bytes of the budget that it may have: names that are rare, and
 * that nobody has sent for a day, are folded into `(other)`, the rarest and oldest first. What they counted stays in all
 * totals.
 */
import { visitDimensions } from "../../core/questions/stored-dimension.ts";
import { dayMs } from "../../core/hit.ts";
import { Refusal } from "../../core/refusal.ts";
import { hashesText } from "../../store/state/rebuilding/fold.ts";
import { dictionariesByKind } from "../../store/values/dictionaries.ts";
import { NameUses, type Uses } from "../../store/state/name-uses.ts";
import type { Site } from "../../store/state/site.ts";
import { NameBudget, nameBytes } from "../admission/name-budget.ts";
import { firstMs, Periodic } from "./periodic.ts";
import type { EngineParts } from "./engine-parts.ts";

const visitKinds: ReadonlySet<string> = new Set(visitDimensions.map(({ name }) => name));
const checkEveryMs = 3_600_000;
/** Names are folded once a website has this share of what it may have, until it has no more than the other. */
const shortShare = 0.9;
const enoughShare = 0.7;
/**
 * A name that has more rows than this stays, unless the names of its kind have more on average: else whoever sends each name
 * a few times more would keep the budget for ever.
 */
const rareMax = 10;
/** The most names of one record. */
const namesOfRecordMax = 50_000;

/** A website that runs short, and the bytes that it should have less. */
interface ShortWebsite {
  readonly websiteId: number;
  readonly wanted: number;
}

/** A name that may be folded, by its id. */
interface Candidate {
  readonly kind: string;
  readonly id: number;
  readonly count: number;
  readonly lastMs: number;
}

export class NameFolding extends Periodic {
  constructor(private readonly options: EngineParts) {
    super(checkEveryMs, firstMs);
  }

  protected failed(error: unknown): void {
    this.options.engine.logger.error("rare names could not be folded yet", { error: String(error) });
  }

  /**
   * Folds names if the budget runs short. Throws the first Refusal that kept names of a website from being folded, when the
   * other websites had their turn.
   */
  protected async work(): Promise<void> {
    const { logger } = this.options.engine;
    const looked = new Set<number>();
    const waiting = new Map<number, number>();
    /** Folded, and written again by the next checkpoint, which needs room for all of them. */
    const unwritten = new Set<number>();
    let folded = 0;
    let refusal: Refusal | undefined;
    for (;;) {
      const short = this.shortest(looked, waiting);
      if (short === undefined) break;
      looked.add(short.websiteId);
      try {
        folded += await this.foldBeside(unwritten, short);
        if (this.isStopped) return;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        refusal ??= error;
        waiting.set(short.websiteId, short.wanted);
      }
    }
    if (folded > 0)
      logger.info("rare and old names were folded into (other), to make room for new ones", {
        names: folded,
      });
    if (unwritten.size > 0) await this.options.checkpointer.purge();
    if (refusal !== undefined) throw refusal;
    if (looked.size > 0 && folded === 0)
      logger.warn("names take nearly all of FOOTFALL_NAMES, and none of them is rare and old");
  }

  /**
   * Returns the largest website that runs short and was not looked at, and the bytes that it should have less. Whoever sent
   * junk sent it there, and what is folded there leaves more to the others. `waiting`: by website, the bytes that could not
   * be folded yet. They count as folded: no other website gives up names in their place.
   */
  private shortest(
    looked: ReadonlySet<number>,
    waiting: ReadonlyMap<number, number>,
  ): ShortWebsite | undefined {
    const { engine, recovered } = this.options;
    const { registry, store } = recovered.state;
    const ownerOf = (websiteId: number) => registry.ownerOf(websiteId);
    const budget = new NameBudget({ bytes: engine.nameBytes, sites: store.sites, ownerOf });
    for (const [websiteId, bytes] of waiting) budget.add(websiteId, -bytes);
    const short = [...budget.websiteIds].filter(
      (id) => !looked.has(id) && budget.usedBy(id) > shortShare * budget.mostFor(id),
    );
    const [websiteId] = short.sort((a, b) => budget.usedBy(b) - budget.usedBy(a));
    if (websiteId === undefined) return undefined;
    return { websiteId, wanted: budget.usedBy(websiteId) - enoughShare * budget.mostFor(websiteId) };
  }

  /** Folds names of a website beside those that are not written again yet, or once they are where there is no room for all. */
  private async foldBeside(unwritten: Set<number>, short: ShortWebsite): Promise<number> {
    const { checkpointer } = this.options;
    // No checkpoint is under way meanwhile: chunks are not merged then, nor files removed.
    const fold = () =>
      checkpointer.between(() => this.foldSome(short, new Set([...unwritten, short.websiteId])));
    const names = await fold().catch(async (error: unknown) => {
      if (!(error instanceof Refusal) || unwritten.size === 0) throw error;
      await checkpointer.purge();
      unwritten.clear();
      return fold();
    });
    if (names > 0) unwritten.add(short.websiteId);
    return names;
  }

  /**
   * Folds the rarest and oldest names of a website until the wanted bytes are free, if there is room to write all of `written`
   * again. Returns how many.
   */
  private async foldSome({ websiteId, wanted }: ShortWebsite, written: ReadonlySet<number>): Promise<number> {
    const { recovered, room, nowMs } = this.options;
    const { sites } = recovered.state.store;
    const expectRoom = () =>
      room.expectToRewrite(written, "folding rare names", "to write the website again");
    // To look at all names for nothing each hour would cost much.
    expectRoom();
    const site = sites.get(websiteId);
    const uses = site && (await this.usesOf(site));
    if (site === undefined || uses === undefined) return 0;
    const beforeMs = nowMs() - dayMs;
    // The values of visits are folded with those of the hits that they came from.
    const kinds = [...uses.byKind()].filter(([kind]) => !visitKinds.has(kind));
    const found = kinds.flatMap(([kind, own]) => candidatesOf(kind, own, beforeMs));
    found.sort((a, b) => a.count - b.count || a.lastMs - b.lastMs);
    const dictionaries = dictionariesByKind(site);
    const names: { kind: string; name: string }[] = [];
    let freed = 0;
    for (const { kind, id } of found) {
      if (freed >= wanted) break;
      const name = dictionaries.get(kind)?.value(id) ?? "";
      if (name === "") continue;
      names.push({ kind, name });
      freed += Buffer.byteLength(name) + nameBytes;
    }
    // The disk may have got full meanwhile.
    if (names.length > 0) expectRoom();
    for (let at = 0; at < names.length; at += namesOfRecordMax)
      await this.log(websiteId, names.slice(at, at + namesOfRecordMax));
    return names.length;
  }

  /** Returns undefined where the website was removed or made anew meanwhile, or the server stops. */
  private async usesOf(site: Site): Promise<NameUses | undefined> {
    const { sites } = this.options.recovered.state.store;
    const uses = new NameUses(site);
    for (const _ of this.stepsOf(site, uses))
      if (!(await this.pause()) || sites.get(site.websiteId) !== site) return undefined;
    return uses;
  }

  private *stepsOf(site: Site, uses: NameUses): Generator<void, void> {
    // Chunks that still change are read last.
    const chunks = [...site.chunks.values()].sort((a, b) => Number(b.sealed) - Number(a.sealed));
    for (const chunk of chunks) {
      uses.add(chunk);
      yield;
    }
    for (const month of site.reduced.values()) {
      uses.addMonth(month);
      yield;
    }
    // It throws where the chunks that checkpoints write anew cannot be read: then the fold must not be logged.
    yield* this.options.recovered.files.chunks.compareToRewrite(site);
  }

  private async log(websiteId: number, names: readonly { kind: string; name: string }[]): Promise<void> {
    const { recovered, commit } = this.options;
    const { beacons } = recovered.state.store;
    const byKind = Array.from(
      Map.groupBy(names, ({ kind }) => kind),
      ([kind, own]) => ({ kind, hashes: hashesText(own.map(({ name }) => beacons.hashOf(name))) }),
    );
    await commit({ kind: "namesFolded", websiteId, names: byKind });
  }
}

function candidatesOf(kind: string, { counts, lastMs }: Uses, beforeMs: number): Candidate[] {
  const found: Candidate[] = [];
  const used = counts.filter((count, id) => id > 0 && count > 0);
  const average = used.reduce((sum, count) => sum + count, 0) / Math.max(1, used.length);
  const rare = Math.max(rareMax, average);
  for (let id = 1; id < counts.length; id++)
    if (counts[id]! <= rare && lastMs[id]! < beforeMs)
      found.push({ kind, id, count: counts[id]!, lastMs: lastMs[id]! });
  return found;
}
