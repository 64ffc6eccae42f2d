/** The login cookie, and the session that a request has by it. */
import type { Cookie } from "elysia";
import { sessionLifetimeMs } from "../../accounts/account.ts";
import { Refusal } from "../../core/refusal.ts";
import { authenticate, renewSession, type Authenticated, type Caller } from "../../engine/admin/admin.ts";
import type { Call, SessionCall } from "./route.ts";

export const sessionCookie = "_me_sess";
const attributes = { path: "/", httpOnly: true, sameSite: "lax", secure: true } as const;

export function sendSession(cookie: Cookie<unknown>, token: string): void {
  cookie.set({ ...attributes, value: token, maxAge: sessionLifetimeMs / 1_000 });
}

export function forgetSession(cookie: Cookie<unknown>): void {
  cookie.set({ ...attributes, value: "", maxAge: 0 });
}

/**
 * Returns the login of a request, and renews the session and its cookie when it is time. Throws Refusal 401: a bad
 * cookie counts as no session.
 */
export async function requireSession({ services: { engine }, cookie }: Call): Promise<Authenticated> {
  // A cookie that looks like JSON arrives parsed; one that is badly encoded arrives as null.
  const token = typeof cookie.value === "string" ? cookie.value : "";
  const login = authenticate(engine, token);
  if (login === undefined) throw new Refusal(401, "log in first: this request has no valid session");
  if (await renewSession(engine, login.session)) sendSession(cookie, token);
  return login;
}

export function callerOf({ login: { user, session } }: SessionCall): Caller {
  return { userId: user.userId, sessionId: session.sessionId };
}
