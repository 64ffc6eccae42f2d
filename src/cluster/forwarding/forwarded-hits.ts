/**
 * Hits as they go from one node to another, several in one message, and what became of each. A message is JSON: an array
 * of hits, and `HitsAnswer`.
 */
import { Refusal, type RefusalCode } from "../../core/refusal.ts";
import type { RejectionReason } from "../../core/rejection.ts";
import type { HitHeaders, JudgedSender } from "../../collect/hit.ts";
import type { HitAnswer } from "../../engine/intake/hit-intake.ts";
import type { NotSequencing } from "./forwarded.ts";

/** A hit with all that the sequencer reads of its request. Fields are appended, and a node may lack the last ones. */
export type ForwardedHit = readonly [
  body: string,
  userAgent: string,
  acceptLanguage: string,
  address: string,
  network: string,
  isUnnamedProxy: boolean,
];

/** True for a hit that counts, else why it does not, or the parts of a Refusal. */
export type HitResult =
  true | RejectionReason | readonly [code: RefusalCode, message: string, retryAfterS: number | null];

export interface HitResults {
  /** The last record that the sequencer had applied when it answered. */
  readonly seq: number;
  /** One for each hit, in their order. */
  readonly results: readonly HitResult[];
}

export type HitsAnswer = HitResults | NotSequencing;

/** Judges the body of a hit. Throws Refusal, and nothing else. */
export type HitAnswerer = (
  body: string,
  headers: HitHeaders,
  sender: Omit<JudgedSender, "isPeerTrusted">,
) => Promise<HitAnswer>;

export async function resultOf(hit: ForwardedHit, answerer: HitAnswerer): Promise<HitResult> {
  const [body, userAgent, acceptLanguage, address, network, isUnnamedProxy] = hit;
  const headers = { userAgent, acceptLanguage };
  try {
    const answer = await answerer(body, headers, { address, network, isUnnamedProxy });
    return answer.accepted || answer.reason;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return [error.code, error.message, error.retryAfterS ?? null];
  }
}

/** Throws the Refusal of a hit that was refused. */
export function answerOf(result: HitResult): HitAnswer {
  if (result === true) return { accepted: true };
  if (typeof result === "string") return { accepted: false, reason: result };
  const [code, message, retryAfterS] = result;
  throw new Refusal(code, message, retryAfterS ?? undefined);
}
