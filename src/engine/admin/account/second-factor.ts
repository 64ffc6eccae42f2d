/**
 * The use cases of the second factor: offer a secret, switch it on with a first code, switch it off. A secret that is offered is
 * kept nowhere: it comes back with the code. Whoever sends one knows the password, and could make one just as well.
 */
import { newSecret, secretForm, stepOf } from "../../../accounts/login/totp.ts";
import type { User } from "../../../accounts/registry/registry.ts";
import { Refusal } from "../../../core/refusal.ts";
import type { Engine } from "../../engine.ts";
import { assertMayChange, goneRefusal, type Caller } from "../caller.ts";
import { fieldsOf, optionalText, requiredText, type Fields } from "../fields.ts";
import { usedStepOf, wrongCode } from "./login-code.ts";
import { callersUser, checkCurrent, type Guarded } from "./users.ts";

export interface GuardedCall {
  readonly engine: Engine;
  readonly caller: Caller;
  readonly guarded: Guarded;
}

/** Makes a secret. Takes `{current_password}`. Throws Refusal 400, 401, 403, and 409 for an account that has one. */
export async function offerSecondFactor(call: GuardedCall, body: unknown): Promise<string> {
  await changerOf(call, fieldsOf(body), false);
  return newSecret(call.engine.random);
}

/**
 * Switches it on, and ends all other sessions. Takes `{current_password, secret, code}`: the secret that was offered, and a
 * code of it. Throws Refusal 400, 401, 403, and 409 for an account that has one.
 */
export async function addSecondFactor(call: GuardedCall, body: unknown): Promise<User> {
  const { engine, caller } = call;
  const fields = fieldsOf(body);
  const secret = requiredText(fields, "secret");
  if (!secretForm.test(secret)) throw new Refusal(400, "secret: expected the one that was offered");
  const code = requiredText(fields, "code");
  const { userId } = await changerOf(call, fields, false);
  const usedStep = stepOf(code, secret, engine.nowMs(), -1);
  if (usedStep === undefined) throw wrongCode(400);
  const keepSessionId = caller.sessionId;
  const outcome = await engine.commit({
    kind: "secondFactorChanged",
    userId,
    secret,
    usedStep,
    keepSessionId,
  });
  if (outcome === "taken") throw wrongState(true);
  if (outcome === "missing") throw goneRefusal();
  return callersUser(engine, caller);
}

/** Switches it off. Takes `{current_password, code}`. Throws Refusal 400, 401, 403, and 409 for an account without one. */
export async function removeSecondFactor(call: GuardedCall, body: unknown): Promise<User> {
  const { engine, caller } = call;
  const fields = fieldsOf(body);
  const code = optionalText(fields, "code");
  const user = await changerOf(call, fields, true);
  const known = { userId: user.userId, id: caller.sessionId };
  usedStepOf(engine, call.guarded.guard, { user, known, code }, 400);
  await takeSecondFactor(engine, user);
  return callersUser(engine, caller);
}

/** Switches it off for the operator. Throws Refusal 409 for an account without one. */
export async function takeSecondFactor(engine: Engine, { userId }: User): Promise<void> {
  const outcome = await engine.commit({
    kind: "secondFactorChanged",
    userId,
    secret: null,
    usedStep: 0,
    keepSessionId: "",
  });
  if (outcome === "missing") throw wrongState(false);
}

/** Returns the account of a caller who knows the password, if it has a second factor or has none, as `isOn` says. */
async function changerOf(
  { engine, caller, guarded }: GuardedCall,
  fields: Fields,
  isOn: boolean,
): Promise<User> {
  assertMayChange(engine, caller);
  await checkCurrent(engine, caller, optionalText(fields, "current_password"), guarded);
  // The check took time: a caller who was logged out meanwhile must not change anything.
  const user = callersUser(engine, caller);
  if ((user.secondFactor !== undefined) !== isOn) throw wrongState(!isOn);
  return user;
}

function wrongState(isOn: boolean): Refusal {
  return new Refusal(409, isOn ? "the second factor is on already" : "there is no second factor");
}
