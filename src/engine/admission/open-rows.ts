/**
 * Bounds the memory of full chunks that hits may still change, for a day. Once a checkpoint has such a chunk its columns are
 * mapped from that file (store/columns/basis.ts), and only those that hits may change count: 6 bytes a row and 4 a property.
 * The bound is half of the setting for memory, because questions have the rest. Past half of the bound one network has only a share of the rest, as with names, so that
 * whoever floods the server does not shut everybody else out; past all of it page views and events are refused until some
 * are a day old. A removal of rows takes 8 bytes a row more, until a checkpoint has written what stays. A website of ten million hits a month takes 2 MB. Without the bound the server would be killed for want of memory, and so would each start after that.
 */
import { columnNames } from "../../core/questions/dimension.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import { Seldom } from "../../lib/seldom.ts";
import { memoryOf } from "../../store/columns/basis.ts";
import { plainColumns } from "../../store/columns/columns.ts";
import type { Site } from "../../store/state/site.ts";
import { NetworkBuckets, ofDay } from "./floods.ts";
import { networkShare } from "./names.ts";

/** The share of the memory that imports may fill, and hits that come with a token: the rest is for visitors. */
const importedShare = 1 / 2;
const sentShare = 3 / 4;

/** The memory of a row in bytes before a checkpoint has it, half of its ids with 32 bits; and of a property. */
const rowBytes = bytesOf("rows") + 3 * columnNames.length;
const propertyBytes = bytesOf("properties");

/** The rows are counted again after this long. */
const countedForMs = 1_000;
/** Chunks that are a day old are sealed by a checkpoint. */
const fullEveryMs = 600_000;

const fullText =
  "page views and events of the last day take more memory than FOOTFALL_MEMORY allows: more are refused as a flood until " +
  "a checkpoint has them, or some are a day old";

export interface OpenRowsOptions {
  readonly sites: ReadonlyMap<number, Site>;
  readonly bytesMax: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called every ten minutes while there is no room: a checkpoint seals chunks that are a day old. */
  readonly onFull: () => void;
}

export class OpenRows {
  private readonly shares: NetworkBuckets;
  private readonly full: Seldom;
  private counted = { bytes: 0, atMs: -Infinity };

  constructor(private readonly options: OpenRowsOptions) {
    const { bytesMax, clock } = options;
    const share = (bytesMax / 2) * networkShare;
    this.shares = new NetworkBuckets(ofDay(share));
    this.full = new Seldom(clock, fullEveryMs);
  }

  /** Returns whether an import that adds these rows of the last day would leave too little room for visitors. */
  isFullForImport(rows: number, properties: number): boolean {
    const bytesMax = this.options.bytesMax * importedShare;
    // An import may add a chunk within the second for which the count holds.
    const known = this.bytes;
    this.counted.bytes = known + rows * rowBytes + properties * propertyBytes;
    if (this.counted.bytes <= bytesMax) return false;
    this.counted.atMs = -Infinity;
    return this.bytes > bytesMax;
  }

  /**
   * Returns whether there is no room for a row with this many properties. `network`: undefined for one that many share;
   * `isSent`: it came with a token.
   */
  isFull(network: string | undefined, properties: number, nowMs: number, isSent = false): boolean {
    const { bytesMax, logger, onFull } = this.options;
    const { bytes } = this;
    if (bytes <= bytesMax / 2) return false;
    if (isSent && bytes > bytesMax * sentShare) return true;
    if (bytes <= bytesMax)
      return (
        network !== undefined && !this.shares.take(network, nowMs, rowBytes + properties * propertyBytes)
      );
    if (this.full.isDue()) {
      logger.warn(fullText, { bytes: bytesMax, needed: bytes });
      onFull();
    }
    return true;
  }

  /** The most memory that all full chunks take that are not sealed, as of the last second. */
  private get bytes(): number {
    const { sites, clock } = this.options;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.counted.atMs < countedForMs) return this.counted.bytes;
    let bytes = 0;
    for (const { chunks } of sites.values())
      for (const chunk of chunks.values())
        if (chunk.full && !chunk.sealed)
          bytes += chunk.basis ? memoryOf(chunk) : chunk.rows * rowBytes + chunk.properties * propertyBytes;
    this.counted = { bytes, atMs: nowMs };
    return bytes;
  }
}

function bytesOf(of: "rows" | "properties"): number {
  return Object.values(plainColumns).reduce((sum, column) => sum + (column.of === of ? column.bytes : 0), 0);
}
