/** Saved funnels of a website: steps that its owner saved under a name. */
import type { Listed } from "./listed-entries.ts";

export interface Funnel {
  readonly id: number;
  readonly name: string;
  /** The 2 to 8 steps as the question about a funnel has them, such as `page:/pricing`. */
  readonly steps: readonly string[];
}

export type Funnels = Listed<Funnel>;

/** The most funnels of a website. */
export const funnelsMax = 50;
export const funnelNameCharactersMax = 100;
/** The most characters of all steps of a funnel, as the address that asks for them has them. */
export const funnelStepsCharactersMax = 4_000;
