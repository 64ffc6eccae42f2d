/** Commits changes of owners, but those that would part a name from its `www.` forms (accounts/common-owner.ts). */
import { partedBy, type OwnerRecord } from "../../accounts/common-owner.ts";
import type { Outcome } from "../../core/outcome.ts";
import { Refusal, shown, type RefusalCode } from "../../core/refusal.ts";
import type { Engine } from "../engine.ts";

/**
 * Commits a record that takes a website from an owner. It is judged before it is logged, and again when it is applied: where
 * another change came before it that parts them only together with this one, this one is judged anew. Throws Refusal.
 */
export async function commitOwners(
  engine: Engine,
  record: OwnerRecord,
  code: RefusalCode = 409,
): Promise<Outcome> {
  for (;;) {
    const [one, other] = partedBy(engine.registry.hostnames, record).map(({ hostname }) => shown(hostname));
    if (one !== undefined)
      throw new Refusal(
        code,
        `hostname: ${one} and ${other} are one website to visitors: first make an account that stays an owner of both, or remove one of them`,
      );
    const outcome = await engine.commit({ ...record, oneOwner: true });
    if (outcome !== "parted") return outcome;
  }
}
