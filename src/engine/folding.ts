/**
 * Makes room for new names when the budget of bytes runs short: names that are rare, and that nobody has sent for a day,
 * are folded into `(other)`, the rarest and oldest first. What they counted stays in all totals.
 */
import { dayMs } from "../core/hit.ts";
import type { Logger } from "../lib/log.ts";
import type { RecordOf } from "../record/record.ts";
import { dictionariesByKind, hashesText } from "../store/state/fold.ts";
import { NameUses, type Uses } from "../store/state/name-uses.ts";
import type { Site } from "../store/state/site.ts";
import { bytesOf, nameBytes } from "./admission/names.ts";

const checkEveryMs = 3_600_000;
/** Names are folded once this share of the budget is taken, until no more than the other is. */
const shortShare = 0.9;
const enoughShare = 0.7;
/** A name that has more rows than this stays. */
const rareMax = 10;
/** A record names so many at most. */
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
  readonly commit: (record: RecordOf<"namesFolded">) => Promise<unknown>;
  /** Resolves when the files have the names no more. */
  readonly purge: () => Promise<void>;
}

interface Candidate {
  readonly kind: string;
  readonly name: string;
  readonly bytes: number;
  readonly count: number;
  readonly lastMs: number;
}

export class NameFolding {
  private readonly timer: Timer;
  private last: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(private readonly options: FoldingOptions) {
    this.timer = setInterval(() => void this.check(), checkEveryMs);
  }

  /** Folds names if the budget runs short. Never rejects: the next check tries again. */
  check(): Promise<void> {
    this.last = this.last.then(() => this.fold()).catch((error) => this.failed(error));
    return this.last;
  }

  /** Resolves when the check under way has ended. */
  stop(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    return this.last;
  }

  private async fold(): Promise<void> {
    const { bytes, sites, logger, purge } = this.options;
    const taken = sites.values().reduce((sum, site) => sum + bytesOf(site), 0);
    if (taken <= bytes * shortShare) return;
    let wanted = taken - bytes * enoughShare;
    let folded = 0;
    // The largest first: whoever sent the junk sent it there.
    for (const site of [...sites.values()].sort((a, b) => bytesOf(b) - bytesOf(a))) {
      if (wanted <= 0) break;
      const names = await this.rarest(site, wanted);
      if (names === undefined || this.isStopped) return;
      folded += names.length;
      wanted -= names.reduce((sum, name) => sum + name.bytes, 0);
      for (let at = 0; at < names.length; at += namesOfRecordMax)
        await this.log(site.websiteId, names.slice(at, at + namesOfRecordMax));
    }
    if (folded === 0)
      return logger.warn("names take nearly all of FOOTFALL_NAMES, and none of them is rare and old");
    logger.info("rare and old names were folded into (other), to make room for new ones", { names: folded });
    await purge();
  }

  /** Returns the rarest and oldest names that take so many bytes; undefined when it was stopped meanwhile. */
  private async rarest(site: Site, bytes: number): Promise<Candidate[] | undefined> {
    const uses = new NameUses(site);
    // What still changes is read last.
    const chunks = [...site.chunks.values()].sort((a, b) => Number(b.sealed) - Number(a.sealed));
    for (const chunk of chunks) {
      uses.add(chunk);
      // Hits are handled in between.
      await new Promise((resolve) => setImmediate(resolve));
      if (this.isStopped) return undefined;
    }
    const beforeMs = this.options.nowMs() - dayMs;
    const found = [...uses.byKind()].flatMap(([kind, own]) => candidatesOf(site, kind, own, beforeMs));
    found.sort((a, b) => a.count - b.count || a.lastMs - b.lastMs);
    const taken: Candidate[] = [];
    let sum = 0;
    for (const candidate of found) {
      if (sum >= bytes) break;
      taken.push(candidate);
      sum += candidate.bytes;
    }
    return taken;
  }

  private async log(websiteId: number, candidates: readonly Candidate[]): Promise<void> {
    const { hashOf, commit, nowMs } = this.options;
    const byKind = Map.groupBy(candidates, ({ kind }) => kind);
    const names = Array.from(byKind, ([kind, own]) => ({
      kind,
      hashes: hashesText(own.map(({ name }) => hashOf(name))),
    }));
    await commit({ kind: "namesFolded", timeMs: nowMs(), websiteId, names });
  }

  private failed(error: unknown): void {
    this.options.logger.error("rare names could not be folded yet", { error: String(error) });
  }
}

function candidatesOf(site: Site, kind: string, { counts, lastMs }: Uses, beforeMs: number): Candidate[] {
  const dictionary = dictionariesByKind(site).get(kind);
  if (dictionary === undefined) return [];
  const found: Candidate[] = [];
  for (let id = 1; id < counts.length; id++) {
    if (counts[id]! > rareMax || lastMs[id]! >= beforeMs) continue;
    const name = dictionary.value(id);
    if (name === "") continue;
    const bytes = Buffer.byteLength(name) + nameBytes;
    found.push({ kind, name, bytes, count: counts[id]!, lastMs: lastMs[id]! });
  }
  return found;
}
