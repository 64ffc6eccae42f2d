import { parseHit, type HitHeaders, type Sender } from "../../src/collect/hit.ts";
import type { Engine } from "../../src/engine/engine.ts";
import type { HitAnswer } from "../../src/engine/intake/hit-intake.ts";
import { someone } from "./records.ts";
import { browser } from "./server.ts";

/** Sends an engine a hit, as a browser of somebody's does but for what `from` says. */
export function hitTo(
  engine: Pick<Engine, "hits">,
  body: object,
  from: Partial<Omit<HitHeaders, "isPicture"> & Sender> = {},
): Promise<HitAnswer> {
  const { userAgent = browser, acceptLanguage = "de", ...sender } = from;
  return engine.hits.take(parseHit(body), { userAgent, acceptLanguage }, { ...someone, ...sender });
}
