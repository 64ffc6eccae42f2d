/**
 * Commits changes of owners, but those that would part a name from its `www.` forms (accounts/registry/common-owner.ts), or pass a website
 * on to an account that has no room for it.
 */
import { partedBy, passedOnBy, type OwnerRecord } from "../../accounts/registry/common-owner.ts";
import type { Outcome } from "../../core/outcome.ts";
import { Refusal, shown, type RefusalCode } from "../../core/refusal.ts";
import type { Engine } from "../engine.ts";
import type { Caller } from "./caller.ts";
import { expectRoomForPassed } from "./website/room-of-account.ts";

/** The last change that is under way of the websites of an account, by its id. */
const underWay = new WeakMap<Engine, Map<number, Promise<unknown>>>();

/**
 * Commits a record that takes a website from an owner. It is judged before it is logged, once earlier changes of what the same
 * account owns are applied: what they pass on takes room. The operator, for whom there is always room, does not wait. Throws
 * Refusal.
 */
export async function commitOwners(
  engine: Engine,
  caller: Caller,
  record: OwnerRecord,
  code: RefusalCode = 409,
): Promise<Outcome> {
  if (caller.sessionId === "") return commitUnparted(engine, record, code);
  for (;;) {
    const ownerId = ownerOf(engine, record);
    const outcome = await inTurn(engine, ownerId, async () => {
      // Another account has got it meanwhile.
      if (ownerOf(engine, record) !== ownerId) return undefined;
      return commitUnparted(engine, record, code, () =>
        expectRoomForPassed(engine, passedOnBy(engine.registry.hostnames, record)),
      );
    });
    if (outcome !== undefined) return outcome;
  }
}

/** The first owner of what a record changes; 0 if it is gone. */
function ownerOf({ registry }: Engine, record: OwnerRecord): number {
  return record.kind === "userRemoved" ? record.userId : (registry.ownerOf(record.websiteId) ?? 0);
}

async function inTurn<T>(engine: Engine, userId: number, change: () => Promise<T>): Promise<T> {
  const last = underWay.getOrInsertComputed(engine, () => new Map());
  const own = last.get(userId)?.then(change) ?? change();
  const over = own.catch(() => {});
  last.set(userId, over);
  try {
    return await own;
  } finally {
    if (last.get(userId) === over) last.delete(userId);
  }
}

/**
 * It is judged again when it is applied: where another change came before it that parts two forms only together with this one,
 * this one is judged anew.
 */
async function commitUnparted(
  engine: Engine,
  record: OwnerRecord,
  code: RefusalCode,
  expectRoom = () => {},
): Promise<Outcome> {
  for (;;) {
    const [one, other] = partedBy(engine.registry.hostnames, record).map(({ hostname }) => shown(hostname));
    if (one !== undefined)
      throw new Refusal(
        code,
        `hostname: ${one} and ${other} are one website to visitors: first make an account that stays an owner of both, or remove one of them`,
      );
    expectRoom();
    const outcome = await engine.commit({ ...record, oneOwner: true });
    if (outcome !== "parted") return outcome;
  }
}
