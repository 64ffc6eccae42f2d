/**
 * Exports what a website has: page views with their events, or what is made of them. It comes in pieces, each made in the
 * Worker that answers questions when the one before it was taken, so that neither memory nor hits depend on its length.
 */
import {
  endingParts,
  type ExportEnding,
  type ExportKind,
  type ExportPlace,
} from "../../core/questions/exported.ts";
import type { Period } from "../../core/questions/query.ts";
import { Refusal } from "../../core/refusal.ts";
import { packed } from "../../lib/packing/packed.ts";
import type { Engine } from "../engine.ts";

export interface ExportAsked {
  readonly websiteId: number;
  readonly of: ExportKind;
  readonly ending: ExportEnding;
  readonly period: Period;
}

/** How often a piece is asked for while too many other questions wait. */
const attemptsMax = 10;

/**
 * Yields the bytes of the file. `signal` aborts when nobody wants it any more. `onAsk` is called whenever a piece is asked
 * for: many pieces may have no bytes. Throws Refusal.
 */
export function exported(
  engine: Engine,
  asked: ExportAsked,
  signal?: AbortSignal,
  onAsk: () => void = () => {},
): AsyncGenerator<Uint8Array> {
  const [format, packing] = endingParts(asked.ending);
  const endMs = Math.min(asked.period.endMs, endOf(engine, asked.websiteId));
  const period = { ...asked.period, endMs };
  const pieces = piecesOf(engine, { ...asked, format, period }, signal, onAsk);
  return packing === undefined ? pieces : packed(pieces, packing);
}

/** Rows that come meanwhile would have no end. Some may be later than now: they came while the clock was ahead. */
function endOf(engine: Engine, websiteId: number): number {
  let endMs = engine.nowMs();
  for (const { maxMs, propertyMaxMs } of engine.site(websiteId)?.chunks.values() ?? [])
    endMs = Math.max(endMs, maxMs, propertyMaxMs);
  return endMs;
}

async function* piecesOf(
  engine: Engine,
  { websiteId, of, format, period }: Omit<ExportAsked, "ending"> & { readonly format: "jsonl" | "csv" },
  signal: AbortSignal | undefined,
  onAsk: () => void,
): AsyncGenerator<Uint8Array> {
  let from: ExportPlace | undefined;
  do {
    const question = { list: "export", of, format, period, filters: [], from } as const;
    const ask = () => {
      onAsk();
      return engine.ask(websiteId, question, signal);
    };
    const { bytes, json } = await whenThereIsRoom(ask, signal);
    if (bytes !== undefined && bytes.length > 0) yield bytes;
    from = (JSON.parse(json) as { next?: ExportPlace }).next;
  } while (from !== undefined);
}

/** Asks again where the server said when. */
async function whenThereIsRoom<T>(ask: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await ask();
    } catch (error) {
      const waitS = error instanceof Refusal ? error.retryAfterS : undefined;
      if (waitS === undefined || attempt === attemptsMax || signal?.aborted === true) throw error;
      await Bun.sleep(1_000 * waitS);
    }
}
