/** The person who asks for a change, and the check whether it may be made. */
import { Refusal } from "../../core/refusal.ts";
import type { Engine } from "../engine.ts";

/** An account through one of its sessions or API tokens, or the operator in the account's name. */
export interface Caller {
  readonly userId: number;
  /** The id of the session or of the token; "" for the operator. */
  readonly sessionId: string;
  /** The one website that the token is for: all others are not there. */
  readonly onlyWebsiteId?: number;
}

/** A caller who asks for something of a website, by its name. */
export interface WebsiteCall {
  readonly engine: Engine;
  readonly caller: Caller;
  readonly hostname: string;
}

/** Refuses changes in demo mode by anybody but the operator. Throws Refusal 403. */
export function assertMayChange(engine: Engine, caller: Caller): void {
  if (engine.demo && caller.sessionId !== "") throw demoRefusal();
}

export function demoRefusal(): Refusal {
  return new Refusal(403, "this is a demo: accounts, websites and settings cannot be changed");
}

/** Returns the Refusal for an account or session that was removed while its request was under way. */
export function goneRefusal(): Refusal {
  return new Refusal(401, "this session has ended: log in again");
}
