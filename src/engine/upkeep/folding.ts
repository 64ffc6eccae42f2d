/**
 * Makes room for new names when the budget of bytes runs short: names that are rare, and that nobody has sent for a day,
 * are folded into `(other)`, the rarest and oldest first. What they counted stays in all totals.
 */
import { visitDimensions } from "../../core/stored-dimension.ts";
import { dayMs } from "../../core/hit.ts";
import type { Logger } from "../../lib/log.ts";
import type { RecordOf } from "../../record/record.ts";
import { dictionariesByKind, hashesText } from "../../store/state/fold.ts";
import { NameUses, type Uses } from "../../store/state/name-uses.ts";
import type { Site } from "../../store/state/site.ts";
import { bytesOf, nameBytes } from "../admission/names.ts";
import { Periodic } from "./periodic.ts";

const visitKinds: ReadonlySet<string> = new Set(visitDimensions.map(({ name }) => name));
const checkEveryMs = 3_600_000;
/** Names are folded once this share of the budget is taken, until no more than the other is. */
const shortShare = 0.9;
const enoughShare = 0.7;
/** A name that has more rows than this stays. */
const rareMax = 10;
/** The most names of one record. */
const namesOfRecordMax = 50_000;

export interface FoldingOptions {
  /** The budget for the names of all websites. */
  readonly bytes: number;
  readonly sites: ReadonlyMap<number, Site>;
  readonly logger: Logger;
  /** The log's time. */
  readonly nowMs: () => number;
  /** The hash by which a record names a name. */
  readonly hashOf: (name: string) => bigint;
  /** Runs `act` while no checkpoint is under way: chunks are not merged then, nor files removed. */
  readonly between: <T>(act: () => Promise<T>) => Promise<T>;
  readonly commit: (record: RecordOf<"namesFolded">) => Promise<unknown>;
  /** Resolves when the files have the names no more. */
  readonly purge: () => Promise<void>;
}

/** A name that may be folded, by its id. */
interface Candidate {
  readonly kind: string;
  readonly id: number;
  readonly count: number;
  readonly lastMs: number;
}

export class NameFolding {
  private readonly rounds: Periodic;

  constructor(private readonly options: FoldingOptions) {
    const onError = (error: unknown) =>
      options.logger.error("rare names could not be folded yet", { error: String(error) });
    this.rounds = new Periodic(checkEveryMs, () => this.fold(), onError);
  }

  /** Folds names if the budget runs short. Never rejects: the next check tries again. */
  check(): Promise<void> {
    return this.rounds.round();
  }

  /** Resolves when the check under way has ended. */
  stop(): Promise<void> {
    return this.rounds.stop();
  }

  private async fold(): Promise<void> {
    const { bytes, sites, logger, between, purge } = this.options;
    const taken = sites.values().reduce((sum, site) => sum + bytesOf(site), 0);
    if (taken <= bytes * shortShare) return;
    let wanted = taken - bytes * enoughShare;
    let folded = 0;
    // The largest first: whoever sent the junk sent it there.
    const largest = [...sites.values()].sort((a, b) => bytesOf(b) - bytesOf(a));
    for (const { websiteId } of largest) {
      if (wanted <= 0) break;
      const { count, freed } = await between(() => this.foldSome(websiteId, wanted));
      if (this.rounds.isStopped) return;
      folded += count;
      wanted -= freed;
    }
    if (folded === 0)
      return logger.warn("names take nearly all of FOOTFALL_NAMES, and none of them is rare and old");
    logger.info("rare and old names were folded into (other), to make room for new ones", { names: folded });
    await purge();
  }

  /** Folds the rarest and oldest names of a website until this many bytes are free. Returns what it folded. */
  private async foldSome(websiteId: number, bytes: number): Promise<{ count: number; freed: number }> {
    const site = this.options.sites.get(websiteId);
    const uses = site && (await this.usesOf(site));
    if (site === undefined || uses === undefined) return { count: 0, freed: 0 };
    const beforeMs = this.options.nowMs() - dayMs;
    // The values of visits are folded with those of the hits that they came from.
    const kinds = [...uses.byKind()].filter(([kind]) => !visitKinds.has(kind));
    const found = kinds.flatMap(([kind, own]) => candidatesOf(kind, own, beforeMs));
    found.sort((a, b) => a.count - b.count || a.lastMs - b.lastMs);
    const dictionaries = dictionariesByKind(site);
    const names: { kind: string; name: string }[] = [];
    let freed = 0;
    for (const { kind, id } of found) {
      if (freed >= bytes) break;
      const name = dictionaries.get(kind)?.value(id) ?? "";
      if (name === "") continue;
      names.push({ kind, name });
      freed += Buffer.byteLength(name) + nameBytes;
    }
    for (let at = 0; at < names.length; at += namesOfRecordMax)
      await this.log(websiteId, names.slice(at, at + namesOfRecordMax));
    return { count: names.length, freed };
  }

  /** Returns undefined where the website was removed or made anew meanwhile, or the server stops. */
  private async usesOf(site: Site): Promise<NameUses | undefined> {
    const uses = new NameUses(site);
    // Chunks that still change are read last.
    const chunks = [...site.chunks.values()].sort((a, b) => Number(b.sealed) - Number(a.sealed));
    for (const chunk of chunks) {
      uses.add(chunk);
      if (!(await this.rounds.pause()) || this.options.sites.get(site.websiteId) !== site) return undefined;
    }
    for (const month of site.reduced.values()) {
      uses.addMonth(month);
      if (!(await this.rounds.pause()) || this.options.sites.get(site.websiteId) !== site) return undefined;
    }
    return uses;
  }

  private async log(websiteId: number, names: readonly { kind: string; name: string }[]): Promise<void> {
    const { hashOf, commit, nowMs } = this.options;
    const byKind = Array.from(
      Map.groupBy(names, ({ kind }) => kind),
      ([kind, own]) => ({ kind, hashes: hashesText(own.map(({ name }) => hashOf(name))) }),
    );
    await commit({ kind: "namesFolded", timeMs: nowMs(), websiteId, names: byKind });
  }
}

function candidatesOf(kind: string, { counts, lastMs }: Uses, beforeMs: number): Candidate[] {
  const found: Candidate[] = [];
  for (let id = 1; id < counts.length; id++)
    if (counts[id]! <= rareMax && lastMs[id]! < beforeMs)
      found.push({ kind, id, count: counts[id]!, lastMs: lastMs[id]! });
  return found;
}
