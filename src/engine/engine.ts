/** The interface of a running data folder: commands, the API and questions see nothing else of it. */
import type { Registry, Website } from "../accounts/registry/registry.ts";
import type { HidingProxy } from "../collect/visits/proxies.ts";
import type { Question, Selection } from "../core/questions/query.ts";
import type { Outcome } from "../core/outcome.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import type { Random } from "../lib/random.ts";
import type { Answer } from "../query-worker/answer.ts";
import type { NewRecord } from "../record/record.ts";
import type { RemovedCounts } from "../store/state/removal/removed-values.ts";
import type { Site } from "../store/state/site.ts";
import type { HitIntake } from "./intake/hit-intake.ts";
import type { MonthImport } from "./intake/month-import.ts";
import type { DiskReport } from "./log/disk-room.ts";

/** The state of a folder and its disk, for whoever watches the server. */
export interface EngineHealth extends DiskReport {
  /** The number of the last record of the log. */
  readonly records: number;
  /** Whether the disk has room for hits, the log could be written, the clock may be right, and the server does not stop. */
  readonly takesHits: boolean;
  /** Websites with a damaged file. */
  readonly unavailableWebsites: number;
}

/** The running state of one data folder: one log, one state, one writer. */
export interface Engine {
  /** Accounts, websites and sessions as of the last durable record. Read only. */
  readonly registry: Registry;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** FOOTFALL_DEMO: accounts, websites and settings cannot be changed through HTTP. */
  readonly demo: boolean;
  /** The log's time: the wall clock, but if it goes back by less than 5 s, the time of the last record. */
  nowMs(): number;
  /**
   * Until when the server was off for an hour or more the last time, in milliseconds since 1970: before this start, while the
   * machine slept, or as good as off, until a clock that was wrong by so much was set. 0 for never. While another node of a
   * cluster was there, a start counts as none. What nobody could count in that time says nothing about the websites.
   */
  offUntilMs(): number;
  /** FOOTFALL_RETENTION: the start of the oldest month that is kept, in milliseconds since 1970; 0 if all are kept. */
  keptFromMs(): number;
  /** The way in for hits, and what was not counted of them. Another one takes its place where a node begins to append. */
  readonly hits: HitIntake;
  /** The proxy that hides the visitors of a website, so that it has no visits; undefined if none is known. */
  hidingProxyOf(website: Website): HidingProxy | undefined;
  /**
   * Logs a record, with the time of now where it has none, and when it is durable applies it; the outcome is apply's.
   * Throws Refusal 500.
   */
  commit(record: NewRecord): Promise<Outcome>;
  /** Whether a website has its statistics; else a file of it is damaged, and all that needs them is refused. */
  isAvailable(websiteId: number): boolean;
  /** Returns the statistics of a website, read only; undefined for an unknown id. Throws Refusal 500 if unavailable. */
  site(websiteId: number): Site | undefined;
  /**
   * Answers a question about a website as JSON. `signal` aborts when nobody waits for it any more; questions of links have
   * turns of their own. Throws Refusal: 400
   * for a question that cannot be asked, 404 if the website is gone, 500 if it is unavailable or too many wait.
   */
  ask(websiteId: number, question: Question, signal?: AbortSignal, isByLink?: boolean): Promise<Answer>;
  /** Calls `onChange` after each change of a website's page views; returns a function that ends this. */
  watch(websiteId: number, onChange: () => void): () => void;
  /**
   * Counts the page views and events of a website that all filters select, and with `isDryRun` false removes them; call
   * `purge` then. `signal` gives it up before anything is removed; `expectAllowed` is called right before that, and what it
   * throws gives it up too. Throws Refusal: 400 for filters that select too many values, 404 if the website is gone, 500.
   */
  removeRows(
    websiteId: number,
    selection: Selection,
    isDryRun: boolean,
    signal?: AbortSignal,
    expectAllowed?: () => void,
  ): Promise<RemovedCounts>;
  /**
   * Adds months of which only sums are known, and removes them again; call `purge` after the last one. It throws Refusal:
   * 404 if the website is gone, 409, 500.
   */
  readonly monthImport: Pick<MonthImport, "untilOf" | "whyNot" | "add" | "remove">;
  /** Makes a checkpoint that keeps no older file, because deleted data must leave every file. Resolves when done. */
  purge(): Promise<void>;
  /** Asks the disk. Throws DiskError. */
  health(): EngineHealth;
  /** Lines for Prometheus about the log, checkpoints and memory; nothing in them is personal. */
  metricLines(): string[];
  /** Finishes what is in flight, writes a checkpoint and the `closed` record, releases the folder. */
  stop(): Promise<void>;
}
