/** The login cookie, and the session that a request has by it. */
import { sessionLifetimeMs, type User } from "../../accounts/account.ts";
import { deviceLifetimeMs, deviceOf, newDevice } from "../../accounts/login/device.ts";
import type { Known } from "../../accounts/login/check-queue.ts";
import { Refusal } from "../../core/refusal.ts";
import {
  authenticate,
  renewSession,
  type Authenticated,
  type RequestOrigin,
} from "../../engine/admin/account/sessions.ts";
import { tokenPrefix } from "../../engine/admin/account/tokens.ts";
import type { Caller } from "../../engine/admin/caller.ts";
import { placeOf } from "../../core/addresses/address.ts";
import type { Call } from "../transport/route.ts";

export const sessionCookie = "_me_sess";
/** The cookie that a login leaves in a browser, so that its next login goes before those of strangers. */
export const deviceCookie = "_me_device";
const attributes = { httpOnly: true, sameSite: "lax", secure: true } as const;

export function sendSession(call: Call, token: string): void {
  setCookie(call, sessionCookie, token, sessionLifetimeMs);
}

export function forgetSession(call: Call): void {
  setCookie(call, sessionCookie, "", 0);
}

/** Makes the browser known for later logins to the account. */
export function sendDevice(call: Call, user: User, { sessionId }: Pick<Caller, "sessionId">): void {
  const nowMs = call.services.engine.nowMs();
  setCookie(call, deviceCookie, newDevice(user, nowMs, sessionId), deviceLifetimeMs);
}

/** Returns the sessions and devices that the cookies of a request prove. */
export function knownBy(call: Call): Known[] {
  const { engine } = call.services;
  const session = sessionOf(call)?.session;
  const devices = cookieValues(call.request, deviceCookie).map((token) =>
    deviceOf(token, engine.registry.users, engine.nowMs()),
  );
  const known = [session && { userId: session.userId, id: session.sessionId }, ...devices];
  return known.filter((each) => each !== undefined);
}

/** Returns where a request comes from. */
export function originOfCall({ services, request }: Call): RequestOrigin {
  const { address, network } = services.senderOf(request);
  return { address: placeOf(address), network };
}

function setCookie({ cookies, services }: Call, name: string, value: string, lifetimeMs: number): void {
  cookies[name]!.set({
    ...attributes,
    path: services.base || "/",
    value,
    maxAge: lifetimeMs / 1_000,
  });
}

/** Returns the login of the first session cookie that is valid. */
export function sessionOf({
  services: { engine },
  request,
}: Call): (Authenticated & { token: string }) | undefined {
  for (const token of cookieValues(request, sessionCookie)) {
    const login = authenticate(engine, token);
    if (login !== undefined) return { ...login, token };
  }
  return undefined;
}

/**
 * Returns the login of a request, and renews the session and its cookie when it is time. Throws Refusal 401: a bad
 * cookie counts as no session.
 */
export async function requireSession(call: Call): Promise<Authenticated> {
  const login = sessionOf(call);
  if (login === undefined) throw new Refusal(401, whyNoLogin(call.request));
  if (await renewSession(call.services.engine, login.session)) sendSession(call, login.token);
  return login;
}

/** A bearer token that is none of Footfall's is passed over, as proxies add some; whoever has nothing else is told of it. */
function whyNoLogin({ headers }: Request): string {
  return /^Bearer\b/i.test(headers.get("authorization") ?? "")
    ? `authorization: this token is unknown: one of Footfall begins with ${tokenPrefix}`
    : "log in first: this request has no valid session";
}

/**
 * Returns every value of that name, in the order of the header and not decoded. There can be several, of which Elysia reads
 * one: a sibling subdomain may set a cookie of the same name for the whole domain.
 */
function cookieValues(request: Request, name: string): string[] {
  const pairs = request.headers.get("cookie")?.split(";") ?? [];
  return pairs
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}
