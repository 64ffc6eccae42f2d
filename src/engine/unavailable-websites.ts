/**
 * Websites of which a file was found damaged at the start. Each of them alone is unavailable until the file is back and the
 * server starts again: questions about it are refused, and hits for it wait in the log, up to a bound.
 */
import { Refusal } from "../core/refusal.ts";
import { Seldom } from "../lib/seldom.ts";
import type { LogRecord } from "../record/record.ts";
import { traitsOf } from "../record/traits.ts";
import type { EngineOptions, Recovered } from "./options/options.ts";
import { advice } from "./refused.ts";

/** The most bytes of hits that wait for a website; later ones are refused. Exported for tests. */
export const waitingBytesMax = 256 * 1024 * 1024;
const tellEveryMs = 3_600_000;

const text =
  `a website is unavailable, because a file of it is damaged: ${advice.file}; then start again. Or stop the server and see ` +
  `what 'footfall repair' can keep, or remove the website; ${advice.ofNode}. Its hits wait in the log, which is kept from then on`;

type Parts = Pick<EngineOptions, "clock" | "logger"> & Pick<Recovered, "state" | "damages">;

export class UnavailableWebsites {
  private readonly lines = new Map<number, Seldom>();

  constructor(private readonly options: Parts) {
    for (const websiteId of options.state.unavailable.keys()) this.tell(websiteId);
  }

  has(websiteId: number): boolean {
    return this.options.state.unavailable.has(websiteId);
  }

  /** Throws Refusal 500 for a website that is unavailable. */
  expectNot(websiteId: number): void {
    if (!this.has(websiteId)) return;
    this.tell(websiteId);
    throw new Refusal(
      500,
      "this website is unavailable, because a file is damaged: see the log of the server",
    );
  }

  /**
   * Throws Refusal 500 for a record that cannot wait, since whoever asks for it is to see what it does; or for a hit for
   * which there is no more room.
   */
  expectToTake(record: LogRecord): void {
    const { unavailable } = this.options.state;
    if (unavailable.size === 0 || !("websiteId" in record)) return;
    const { websiteId } = record;
    const bytes = unavailable.get(websiteId);
    const { isHit, ofOneWebsite } = traitsOf(record);
    if (bytes === undefined || !ofOneWebsite) return;
    if (!isHit || bytes >= waitingBytesMax) this.expectNot(websiteId);
    this.tell(websiteId);
  }

  /** Warns, when something is deleted, that older files stay because these websites need them. */
  tellOfDeletion(): void {
    const { logger, state } = this.options;
    if (state.unavailable.size > 0)
      logger.warn("deleted data stays in files until no website is unavailable, for they need these files");
  }

  /** Logs a line, at most once an hour. */
  private tell(websiteId: number): void {
    const { clock, logger, state, damages } = this.options;
    const line = this.lines.getOrInsertComputed(websiteId, () => new Seldom(clock, tellEveryMs));
    if (!line.isDue()) return;
    const bytes = state.unavailable.get(websiteId) ?? 0;
    logger.error(text, {
      website: state.registry.websites.get(websiteId)?.hostname ?? "",
      error: damages.get(websiteId) ?? "",
      waitingBytes: bytes,
      isFull: bytes >= waitingBytesMax,
    });
  }
}
